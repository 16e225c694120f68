// Package page is the page for people at / of a server over HTTP: a project as clients see it.
//
//	/                    an overview; with several projects their list, and each is below /<name>/
//	/r/<scheme>/<path>   a resource; with a slash at the end, a folder of them
//	/docs/<path>         a document, without its ".md"; with a slash at the end, a folder
//	/docs/<path>.md      the document as it is
//	/raw/<scheme>/<path> a resource as it is
//	/prompts, /tools     lists and forms
//	/templates           the templates, and what is wrong with them
//	/explain             why a file is served as it is, or is not (package explain)
//	/check, /hidden      what a check finds (package survey), and what is not served
//	/search, /connect, /log
//	/events              server-sent events: what has changed, and the viewer's own requests
//	/llms.txt            what there is, for language models; /llms-full.txt has the documents themselves
//	/assets/…            the style and the script
//	/login, /logout      where the server wants tokens
//
// Everything is made on the server, from templates that are part of the program, and can be used
// without the script. The script makes a page follow changes, searches while one types, and opens
// folders in place. Nothing is fetched from elsewhere.
//
// What is shown comes from the answer layer, on the account of the viewer: calls go to
// Server.Answer, and the lists, which MCP has no method for, to Server.Visit. So budgets and audit
// lines are those of any client.
//
// What clients cannot see is for authors only: a server that other computers reach shows neither
// what a check finds nor the names of hidden files.
//
// All that comes from a project is hostile: names, texts, and files. Pages have a
// Content-Security-Policy that runs only the program's own script. Markdown is rendered without raw
// HTML, and sanitized. Files as they are have a policy of their own, which gives them no origin and
// no script, and nosniff. Rendering is bounded in bytes and in time; what is beyond is shown as
// plain text.
//
// Where the server wants tokens, a form takes one, and a cookie that is a random id stands for the
// caller from then on. It is HttpOnly and SameSite=Strict, and every POST must say in Origin that
// it comes from this server.
package page

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/explain"
	"github.com/mcp-docs-server/mcp-docs-server/internal/author/survey"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/gate"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
)

// A Site is a project that is shown.
type Site struct {
	Name    string // of its path
	Title   string
	Version string // of the project
	Client  string // what a client calls the server
	Server  *server.Server
	Ready   func() bool // it has been read once
	// Explain answers a question about a file, which it does not read itself. nil: nothing is
	// explained.
	Explain func(ctx context.Context, question string) (*explain.Answer, error)
	// Survey keeps what a check finds; somebody else runs it. nil: nothing is checked.
	Survey *survey.Survey
}

// Options describe a page.
type Options struct {
	Sites   []Site // at least one
	Auth    *auth.Authenticator
	Gate    *gate.Gate
	Log     *Log // of the calls of viewers; nil: none is kept
	Version string
	Logger  *slog.Logger
	// Author: viewers may see what clients cannot, such as the names of hidden files. It is for
	// servers that only the computer of the author reaches.
	Author bool
}

// A Handler shows the projects of a server.
type Handler struct {
	sites   []Site
	gate    *gate.Gate
	auth    *auth.Authenticator
	door    *door
	log     *Log
	streams *streams
	version string
	logger  *slog.Logger
	author  bool
	inner   http.Handler // behind the door
}

// New returns a handler of all paths that nothing else is at.
func New(o Options) *Handler {
	h := &Handler{
		sites: o.Sites, gate: o.Gate, auth: o.Auth, door: newDoor(), log: o.Log, streams: newStreams(),
		version: o.Version, logger: o.Logger, author: o.Author,
	}
	if h.log == nil {
		h.log = NewLog()
	}
	h.inner = o.Auth.Door(http.HandlerFunc(h.serve), auth.Door{Known: h.known, Refused: h.refused})
	return h
}

// policy is that of all pages. Images and media are files of the project, or images in answers to
// calls, and frames show PDF.
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
	case r.Method == http.MethodPost && !h.gate.FromHere(r):
		gate.Refuse(w, http.StatusForbidden, "a form must be sent from a page of this server; the endpoint of MCP is /mcp")
	case r.Method != http.MethodPost && r.Method != http.MethodGet && r.Method != http.MethodHead:
		header.Set("Allow", "GET, HEAD, POST")
		gate.Refuse(w, http.StatusMethodNotAllowed, "there is nothing at this path for "+r.Method+"; the endpoint of MCP is /mcp")
	case strings.HasPrefix(path, assetsPath):
		serveAsset(w, r, strings.TrimPrefix(path, assetsPath))
	case path == "/favicon.ico":
		icon().serve(w, r)
	case path == "/login":
		h.login(w, r)
	case path == "/logout":
		h.logout(w, r)
	default:
		header.Add("Vary", "Cookie, Authorization")
		h.inner.ServeHTTP(w, r)
	}
}

// A request is one of a caller who was let in.
type request struct {
	*Handler
	w      http.ResponseWriter
	r      *http.Request
	ctx    context.Context
	caller auth.Caller
	root   string // the path of the server, as the browser knows it; no slash at the end
	site   *Site  // nil: the list of them
	base   string // the path of the site, likewise
	rest   string // the escaped path below it, without the slash at its beginning
	uri    string // of the resource that is shown, or ""

	others   []*view.Resource // that are not files; nil: not known yet
	navBytes int              // of the table of contents, so far
	broken   bool             // a file was sent in part
}

// answerTime is how long a page may take.
const answerTime = 25 * time.Second

// serve answers a request of a caller.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request) {
	caller, _ := auth.FromContext(r.Context())
	h.log.watch(caller.Key)
	req := &request{Handler: h, w: w, r: r, ctx: r.Context(), caller: caller, root: h.rootOf(r)}
	path := strings.TrimPrefix(r.URL.EscapedPath(), "/")
	if len(h.sites) == 1 {
		req.site, req.base, req.rest = &h.sites[0], req.root, path
		req.route()
		return
	}
	if path == "" {
		req.projects()
		return
	}
	name, rest, below := strings.Cut(path, "/")
	for i := range h.sites {
		if h.sites[i].Name != name {
			continue
		}
		if !below {
			http.Redirect(w, r, req.root+"/"+name+"/", http.StatusSeeOther)
			return
		}
		req.site, req.base, req.rest = &h.sites[i], req.root+"/"+name, rest
		req.route()
		return
	}
	req.missing("There is nothing at this path. The endpoint of MCP is /mcp.")
}

// rootOf returns the path that the browser knows the server by: a proxy may have taken a part away.
func (h *Handler) rootOf(r *http.Request) string {
	u, err := url.Parse(h.gate.PublicURL(r))
	if err != nil {
		return ""
	}
	return strings.TrimRight(u.EscapedPath(), "/")
}

// route answers a request for a site.
func (q *request) route() {
	first, rest, below := strings.Cut(q.rest, "/")
	if first != "events" && first != "raw" && first != "llms-full.txt" {
		ctx, cancel := context.WithTimeout(q.ctx, answerTime)
		defer cancel()
		q.ctx = ctx
	}
	post := q.r.Method == http.MethodPost
	if post && !((first == "tools" || first == "prompts") && rest != "") {
		q.w.Header().Set("Allow", "GET, HEAD")
		gate.Refuse(q.w, http.StatusMethodNotAllowed, "there is nothing at this path for POST; the endpoint of MCP is /mcp")
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
		q.prompts(rest)
	case first == "tools":
		q.tools(rest)
	case below:
		q.missing("There is nothing at this path.")
	case first == "templates":
		q.templates()
	case first == "search":
		q.search()
	case first == "connect":
		q.connect()
	case first == "check":
		q.check()
	case first == "hidden":
		q.hidden()
	case first == "explain":
		q.explain()
	case first == "log":
		q.showLog()
	case first == "events":
		q.events()
	case first == "llms.txt":
		q.llms()
	case first == "llms-full.txt":
		q.llmsFull()
	default:
		q.missing("There is nothing at this path. The endpoint of MCP is /mcp.")
	}
}
