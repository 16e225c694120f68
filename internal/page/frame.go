package page

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/gate"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
)

// A frame is the data of what surrounds the content of each page of a site.
type frame struct {
	Root, Base             string
	CSS, JS, Icon          string
	Site, Version, Program string
	Title                  string // of this page
	Section                string // the entry of the table of contents for this page
	Viewer                 string // "" if the server needs no token
	Several                bool   // there are other sites
	Query                  string
	Events                 string // URL that announces changes; "" for a page that does not follow them
	Nav                    nav
	Crumbs                 []link
	Reading                bool // the project has not been read completely yet
	Refresh                bool // without the script, the browser reloads the page after some seconds
	Checked                bool // the pages of checks exist
	Errors                 int  // that the last check found
}

type link struct{ Text, Href string }

// A nav is the table of contents of a site. Only the folders on the way to the page are open.
type nav struct {
	Documents, Resources level
	Prompts, Tools       []node
}

// maxLevel is how many entries a level of the table has. The page of the folder has all.
const maxLevel = 100

// A level is a folder of the table.
type level struct {
	Nodes []node
	Total int    // all entries, also those that are left out
	All   string // the page of the folder
}

// Left returns how many entries were left out.
func (l level) Left() int { return l.Total - len(l.Nodes) }

// A node is a folder or a file of the table.
type node struct {
	Text, Href string
	Folder     bool
	Count      int    // files in a folder and its folders
	Here       bool   // the current page
	Inside     *level // the contents of an open folder
}

// frame returns the frame of a page.
func (q *request) frame(title, section string) frame {
	f := q.bare(title)
	f.Base, f.Site, f.Version, f.Section, f.Several = q.base, q.site.Title, q.site.Version, section, len(q.sites) > 1
	f.Events, f.Checked = q.base+"/events", q.author && q.site.Survey != nil
	if f.Checked {
		if report := q.site.Survey.Last().Report; report != nil {
			f.Errors = report.Errors
		}
	}
	if section == "search" {
		f.Query = q.r.URL.Query().Get("q")
	}
	if q.uri != "" {
		f.Events += "?" + encodeQuery("uri", q.uri)
	}
	now := q.site.Server.Current()
	f.Reading = now.Catalog == nil || now.Library == nil
	f.Nav.Documents = level{All: q.base + "/docs/", Total: now.Library.Len()}
	if now.Library.Len() > 0 && section != "resources" && section != "prompts" && section != "tools" {
		q.outline = q.outlineOf(now.Library)
		f.Nav.Documents = q.documentLevel(q.outline.Nodes, "")
	}
	if now.Catalog != nil {
		f.Nav.Resources = level{All: q.base + "/r/", Total: now.Catalog.Root().Len() + len(now.Catalog.Root().Folders()) + len(q.othersBelow(""))}
		if section == "resources" || section == "overview" {
			pagePath, _ := strings.CutPrefix(q.rest, "r/")
			f.Nav.Resources = q.resourceLevel(now.Catalog.Root(), "/r/"+pagePath)
		}
	}
	if now.Prompts != nil {
		for _, p := range now.Prompts.Prompts() {
			href := q.promptHref(p.Name)
			f.Nav.Prompts = append(f.Nav.Prompts, node{Text: promptTitle(p), Href: href, Here: section == "prompts" && href == q.base+"/"+q.rest})
		}
	}
	for _, t := range q.site.Server.Tools() {
		href := q.toolHref(t)
		f.Nav.Tools = append(f.Nav.Tools, node{Text: t.Name, Href: href, Here: section == "tools" && href == q.base+"/"+q.rest})
	}
	return f
}

func promptTitle(p *prompts.Prompt) string {
	if p.Title != "" {
		return p.Title
	}
	return p.Name
}

func (q *request) promptHref(name string) string { return q.base + "/prompts/" + url.PathEscape(name) }
func (q *request) toolHref(t tools.Tool) string  { return q.base + "/tools/" + url.PathEscape(t.Name) }

// show writes a page.
func (q *request) show(name string, data any) { render(q.w, q.r, http.StatusOK, name, data) }

// A message is a page with only a text.
type message struct {
	frame
	Text  string
	Close []link // links that the viewer may have meant
}

// missing answers a request for something that does not exist.
func (q *request) missing(text string, close ...link) {
	q.fail(http.StatusNotFound, "Not found", text, close...)
}

func (q *request) fail(status int, title, text string, close ...link) {
	if !strings.Contains(q.r.Header.Get("Accept"), "text/html") {
		gate.Refuse(q.w, status, text)
		return
	}
	if q.site == nil {
		render(q.w, q.r, status, "projects", projectsPage{frame: q.bare(title), Text: text})
		return
	}
	f := q.frame(title, "")
	f.Events = ""
	render(q.w, q.r, status, "message", message{f, text, close})
}

// failed answers a request whose content could not be read.
func (q *request) failed(err error) {
	q.fail(http.StatusUnprocessableEntity, "This cannot be shown", explainError(err))
}

// bare returns the frame of a page outside of all sites.
func (q *request) bare(title string) frame {
	f := frame{
		Root: q.root, Base: q.root, CSS: q.root + assetsPath + style().name, JS: q.root + assetsPath + script().name, Icon: q.root + assetsPath + icon().name,
		Program: q.version, Title: title,
	}
	if q.auth.Required() {
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
	for _, s := range q.sites {
		now := s.Server.Current()
		p := project{
			Title: s.Title, Version: s.Version, Href: q.root + "/" + s.Name + "/", Endpoint: q.gate.PublicURL(q.r) + "/" + s.Name + "/mcp",
			Reading: now.Catalog == nil,
		}
		p.Resources, p.Documents, p.Prompts = countsOf(now.Catalog, now.Library, now.Prompts)
		page.Sites = append(page.Sites, p)
	}
	slices.SortStableFunc(page.Sites, func(a, b project) int { return strings.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)) })
	q.show("projects", page)
}
