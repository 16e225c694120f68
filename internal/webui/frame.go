package webui

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// A frame is the data of what surrounds the content of each page of a site.
type frame struct {
	Root, Base             string
	Site, Version, Program string
	Title                  string
	Section                string // current entry of the table of contents
	Viewer                 string // "": no token is needed
	Several                bool
	Query                  string
	Nav                    nav
	Crumbs                 []link
	Reading                string // progress of reading the project; "": complete
}

type link struct{ Text, Href string }

// frame returns the frame of a page.
func (q *request) frame(title, section string) frame {
	f := q.bare(title)
	f.Base, f.Site, f.Version, f.Section, f.Several = q.base, q.site.Title, q.site.Version, section, len(q.options.Sites) > 1
	if section == "search" {
		f.Query = q.r.URL.Query().Get("q")
	}
	now := q.site.Server.State()
	f.Reading = reading(now)
	if q.library != nil {
		now.Library = q.library
	}
	f.Nav.Documents = level{All: q.base + "/docs/"}
	f.Nav.HasDocuments = now.Library.Len() > 0
	if f.Nav.HasDocuments && section != "resources" && section != "prompts" && section != "tools" {
		q.outline = now.Library.Outline(q.doc)
		f.Nav.Documents = q.documentLevel(q.outline.Nodes, "")
	}
	if all, ok := q.site.Server.Everything(q.caller.Key); ok {
		f.Nav.Resources = level{All: q.folderHref("")}
		for range all.After("") {
			f.Nav.HasResources = true
			break
		}
		if section == "resources" || section == "overview" {
			f.Nav.Resources = q.resourceLevel(all, "", q.base+"/"+q.rest)
		}
	}
	offers := func(kind string) (nodes []node) {
		for _, o := range q.offers(kind) {
			href := q.offerHref(kind, o.name)
			nodes = append(nodes, node{Text: o.heading, Href: href, Here: href == q.base+"/"+q.rest})
		}
		return nodes
	}
	f.Nav.Prompts, f.Nav.Tools = offers("prompts"), offers("tools")
	return f
}

// reading says how much of a project has been read, or "": all.
func reading(now server.State) string {
	switch {
	case now.Catalog != nil && now.Library != nil:
		return ""
	case now.Library == nil && now.Reading != nil:
		done, total := now.Reading.Share()
		return fmt.Sprintf("The project is still being read: %s of %s documents.", countText(int(done)), countText(int(total)))
	}
	return "The project is still being read."
}

// show writes a page.
func (q *request) show(name string, data any) { render(q.w, q.r, http.StatusOK, name, data) }

// A message is a page with only a text.
type message struct {
	frame
	Text  string
	Close []link
}

// missing answers a request for something that does not exist.
func (q *request) missing(text string, close ...link) {
	q.fail(http.StatusNotFound, "Not found", text, close...)
}

func (q *request) fail(status int, title, text string, close ...link) {
	if !strings.Contains(q.r.Header.Get("Accept"), "text/html") {
		hosts.Refuse(q.w, status, text)
		return
	}
	if q.site == nil {
		render(q.w, q.r, status, "projects", projectsPage{frame: q.bare(title), Text: text})
		return
	}
	render(q.w, q.r, status, "message", message{q.frame(title, ""), text, close})
}

// noPath answers a request for a path of the site where nothing is.
func (q *request) noPath() {
	q.missing("There is nothing at this path. The endpoint of MCP is /mcp.", q.nearDocuments(uri.Decode(q.rest))...)
}

// noDocument answers a request for a document or a folder of documents that does not exist.
func (q *request) noDocument(kind, name string) {
	q.missing("There is no "+kind+" "+shown(name)+".", q.nearDocuments(name)...)
}

// maxNear is how many links the answer to a wrong path suggests.
const maxNear = 5

func (q *request) nearDocuments(name string) []link {
	var near []link
	for _, path := range q.site.Server.State().Library.Near(name, maxNear) {
		near = append(near, link{uri.Display(path), q.documentHref(path)})
	}
	return near
}

// failed answers a request whose content could not be read.
func (q *request) failed(err error) {
	q.fail(http.StatusUnprocessableEntity, "This cannot be shown", explainError(err))
}

// bare returns the frame of a page outside of all sites.
func (q *request) bare(title string) frame {
	f := frame{Root: q.root, Base: q.root, Program: q.options.Version, Title: title}
	if q.options.Auth.Required() {
		f.Viewer = q.caller.Name
	}
	return f
}

type projectsPage struct {
	frame
	Text  string
	Sites []project
}

type project struct {
	Title, Version, Href, Endpoint string
	Reading                        bool
	Resources, Documents, Prompts  int
}

// projects lists the sites.
func (q *request) projects() {
	page := projectsPage{frame: q.bare("Projects")}
	for _, s := range q.options.Sites {
		now := s.Server.State()
		p := project{
			Title: s.Title, Version: s.Version, Href: q.root + "/" + s.Name + "/", Endpoint: q.options.Hosts.PublicURL(q.r) + "/" + s.Name + "/mcp",
			Reading: now.Catalog == nil, Documents: now.Library.Len(), Prompts: len(now.Prompts.Prompts()),
		}
		if now.Catalog != nil {
			p.Resources = now.Catalog.Len()
		}
		page.Sites = append(page.Sites, p)
	}
	slices.SortStableFunc(page.Sites, func(a, b project) int { return strings.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)) })
	q.show("projects", page)
}

//go:embed assets templates
var files embed.FS

// assetsPath is the path of the assets. Their names contain a part of their digest, so browsers may
// cache them forever.
const assetsPath = "/assets/"

// The assets and the templates are read when the first page is shown: most servers never show one.
var (
	// assetPaths are the paths of the assets by their files. Temml turns formulas into MathML; only pages with formulas load it.
	assetPaths = sync.OnceValue(func() map[string]string {
		paths := make(map[string]string)
		for file := range kinds {
			stem, extension, _ := strings.Cut(file, ".")
			paths[file] = fmt.Sprintf("%s%s-%.6x.%s", assetsPath, stem, sha256.Sum256(assetOf(file)), extension)
		}
		return paths
	})
	pages = sync.OnceValue(func() *template.Template {
		return template.Must(template.New("").Funcs(functions).ParseFS(files, "templates/*.html"))
	})
)

// kinds are the types of the assets.
var kinds = map[string]string{
	"page.css": "text/css; charset=utf-8", "page.js": "text/javascript; charset=utf-8", "temml.min.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml",
}

func assetOf(file string) []byte {
	data, err := files.ReadFile("assets/" + file)
	if err != nil {
		panic(err) // it is embedded
	}
	return data
}

func serveAsset(w http.ResponseWriter, r *http.Request, path string) {
	for file, known := range assetPaths() {
		if path == known || path == "/favicon.ico" && file == "icon.svg" {
			w.Header().Set("Content-Type", kinds[file])
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(assetOf(file)))
			return
		}
	}
	http.NotFound(w, r)
}

// render writes a page. It makes the whole page first, so that an error leaves no half page.
func render(w http.ResponseWriter, r *http.Request, status int, name string, data any) {
	var b bytes.Buffer
	if err := pages().ExecuteTemplate(&b, name, data); err != nil {
		http.Error(w, "the page cannot be rendered", http.StatusInternalServerError)
		return
	}
	send(w, r, status, "text/html; charset=utf-8", b.Bytes())
}

// send writes a text, compressed if the client accepts gzip.
func send(w http.ResponseWriter, r *http.Request, status int, kind string, data []byte) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Add("Vary", "Accept-Encoding")
	if len(data) > 1<<10 && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		w.WriteHeader(status)
		z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
		_, _ = z.Write(data)
		_ = z.Close()
		return
	}
	w.WriteHeader(status)
	_, _ = w.Write(data)
}

var functions = template.FuncMap{
	"asset": func(file string) string { return assetPaths()[file] },
	"size":  sizeText, "count": countText,
	"day":   func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") },
	"lower": strings.ToLower,
	"first": func(nodes []node) []node { return nodes[:min(len(nodes), maxBrief)] },
	"sentence": func(s string) string { // for our ASCII texts
		if s == "" {
			return ""
		}
		return strings.ToUpper(s[:1]) + s[1:]
	},
	"plural": func(n int, one string) string {
		if n == 1 {
			return "1 " + one
		}
		return countText(n) + " " + one + "s"
	},
}

// sizeText formats a number of bytes.
func sizeText(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10) + " B"
	case n < 1000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// countText formats a number with commas between thousands.
func countText(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
