// Package webui is the web UI at / of a server over HTTP. It shows projects as clients see them.
//
//	/                    an overview; with several projects their list, and each is at /<name>/
//	/r/<scheme>/<path>   a resource; with a slash at the end, a folder of resources
//	/docs/<path>         a document, without its ".md"; with a slash at the end, a folder; with ?view=source its
//	                     text, with ?view=agent the answer of the documents tool
//	/docs/<file>?of=…    an image below the project folder, which the document of a site shows
//	/docs/<path>.md      the source of the document
//	/raw/<scheme>/<path> the bytes of a resource
//	/prompts, /tools     lists and forms
//	/templates           the templates
//	/search, /connect
//	/llms.txt            a list for language models; /llms-full.txt has the texts of the documents
//	/assets/…            the style and the script
//	/login, /logout      on servers that need tokens
//
// Decisions:
//
//  1. The server renders each page from embedded templates. The pages work without JavaScript.
//     The script reads a page again when the viewer comes back to it, searches while the viewer
//     types, and opens folders in place. The browser loads nothing from other sites.
//  2. All content comes from the answer layer, in the name of the viewer: calls go to Server.Answer,
//     and lists that no MCP method returns to Server.Visit. So the web UI has the same limits and
//     audit lines as any client.
//  3. Everything from a project is hostile: names, texts and files. A Content-Security-Policy allows
//     only the program's own script. Markdown, with raw HTML, is rendered and then sanitized. Raw
//     files are sent with nosniff and a policy that gives them no origin and no script. Rendering has
//     limits of size and time; text beyond them is shown unrendered.
//  4. On a server that needs tokens, the viewer enters one in a form, and a cookie with a random id
//     identifies the caller from then on. It is HttpOnly and SameSite=Strict, and each POST must name
//     this server in Origin.
package webui

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// A Site is a project that the web UI shows.
type Site struct {
	Name    string
	Title   string
	Version string
	Client  string // of the server, in the configuration of clients
	Server  *server.Server
}

// Options describe a web UI.
type Options struct {
	Sites   []Site
	Auth    *auth.Authenticator
	Hosts   *hosts.Policy
	Version string
}

// A Handler shows the projects of a server.
type Handler struct {
	options Options
	logins  logins
	root    string // see [hosts.Policy.Root]
	inner   http.Handler
}

// New returns the handler of all paths that no other handler serves.
func New(o Options) *Handler {
	h := &Handler{options: o, logins: logins{byID: make(map[string]login)}, root: o.Hosts.Root()}
	h.inner = o.Auth.Handler(http.HandlerFunc(h.serve), auth.Browsers{Known: h.known, Refused: h.refused})
	return h
}

// policy is the policy of all pages. Images and media are files of the project or in answers to
// calls. Frames show PDF files.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; frame-src 'self'; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	// Not "no-referrer", with which browsers send "Origin: null".
	header.Set("Referrer-Policy", "same-origin")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
	header.Set("Cache-Control", "private, no-cache")
	path := r.URL.EscapedPath()
	switch {
	case r.Method == http.MethodPost && strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		hosts.Refuse(w, http.StatusNotFound, "there is no endpoint at this path; the endpoint of MCP is /mcp")
	case r.Method == http.MethodPost && !h.options.Hosts.FromHere(r):
		hosts.Refuse(w, http.StatusForbidden, "a form must be sent from a page of this server; the endpoint of MCP is /mcp")
	case r.Method != http.MethodPost && r.Method != http.MethodGet && r.Method != http.MethodHead:
		hosts.NotAllowed(w, "GET, HEAD, POST", "there is nothing at this path for "+r.Method+"; the endpoint of MCP is /mcp")
	case strings.HasPrefix(path, assetsPath), path == "/favicon.ico":
		serveAsset(w, r, path)
	case path == "/login":
		h.login(w, r)
	case path == "/logout":
		h.logout(w, r)
	default:
		header.Add("Vary", "Cookie, Authorization")
		h.inner.ServeHTTP(w, r)
	}
}

// A request is a request of an authenticated caller.
type request struct {
	*Handler
	w      http.ResponseWriter
	r      *http.Request
	ctx    context.Context
	caller auth.Caller
	site   *Site
	base   string
	rest   string // escaped path in the site, without its first slash
	// library is the documents when the page was begun, so that all of it is of one version; nil: the page is of no document
	library *docs.Library
	doc     string // path of the document, or of the folder with a final slash; or ""

	outline docs.Outline // seen from doc, once the frame is made
	broken  bool         // a part of a file was sent
}

// answerTime is how long a page may take.
const answerTime = 25 * time.Second

// serve answers a request of a caller.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request) {
	caller, _ := auth.FromContext(r.Context())
	req := &request{Handler: h, w: w, r: r, ctx: r.Context(), caller: caller}
	path := strings.TrimPrefix(r.URL.EscapedPath(), "/")
	if len(h.options.Sites) == 1 {
		req.site, req.base, req.rest = &h.options.Sites[0], req.root, path
		req.route()
		return
	}
	name, rest, below := strings.Cut(path, "/")
	i := slices.IndexFunc(h.options.Sites, func(s Site) bool { return s.Name == name })
	switch {
	case path == "":
		req.projects()
	case i < 0:
		req.missing("There is nothing at this path. The endpoint of MCP is /mcp.")
	case !below:
		http.Redirect(w, r, req.root+"/"+name+"/", http.StatusSeeOther)
	default:
		req.site, req.base, req.rest = &h.options.Sites[i], req.root+"/"+name, rest
		req.route()
	}
}

// route answers a request for a site.
func (q *request) route() {
	first, rest, below := strings.Cut(q.rest, "/")
	if first != "raw" && first != "llms-full.txt" {
		ctx, cancel := context.WithTimeout(q.ctx, answerTime)
		defer cancel()
		q.ctx = withPageTime(ctx)
	}
	post := q.r.Method == http.MethodPost
	if post && !((first == "tools" || first == "prompts") && rest != "") {
		hosts.NotAllowed(q.w, "GET, HEAD", "there is nothing at this path for POST; the endpoint of MCP is /mcp")
		return
	}
	switch {
	case q.rest == "":
		q.overview()
	case first == "r" && below:
		q.resource(rest)
	case first == "raw" && below:
		q.raw(rest)
	case first == "docs":
		q.document(rest)
	case first == "prompts":
		q.showOffers(first, "Prompts", "prompts/get", "Get the messages", rest)
	case first == "tools":
		q.showOffers(first, "Tools", "tools/call", "Call the tool", rest)
	case below:
		q.noPath()
	case first == "templates":
		q.templates()
	case first == "search":
		q.search()
	case first == "connect":
		q.connect()
	case first == "llms.txt":
		q.llms()
	case first == "llms-full.txt":
		q.llmsFull()
	default:
		q.noPath()
	}
}

// maxAnswer is how many bytes of an answer are shown.
const maxAnswer = 4 << 20

// call makes an MCP call in the name of the viewer and returns the result as JSON.
func (q *request) call(method string, params any) (json.RawMessage, error) {
	result, _, err := protocol.ClientOf(q.site.Server, q.caller.Key, maxAnswer).Call(q.ctx, method, params)
	return result, err
}

// visit runs work on the project in the name of the viewer. what is the method in logs, and about
// the resource or text that the visit concerns.
func (q *request) visit(what, about string, work func(context.Context, server.View) error) error {
	params, err := jsonwire.Encode(map[string]string{"uri": about})
	if err != nil {
		return err
	}
	return q.site.Server.Visit(q.ctx, &protocol.Call{Method: what, Params: params, Caller: q.caller.Key, Shared: true}, work)
}

// onDisk runs work that may wait for the disk in a visit, see [server.OnDisk].
func onDisk[T any](q *request, what, about string, work func(context.Context, *docs.Library) (T, error)) (out T, err error) {
	err = q.visit(what, about, func(ctx context.Context, v server.View) error {
		library, err := v.Library(ctx)
		if err != nil {
			return err
		}
		out, err = server.OnDisk(ctx, v, about, func(ctx context.Context) (T, error) { return work(ctx, library) })
		return err
	})
	return out, err
}

// explainError returns the message of an error for viewers.
func explainError(err error) string {
	if rpc, ok := errors.AsType[*protocol.Error](err); ok {
		return rpc.Message
	}
	return strings.TrimSpace(err.Error())
}
