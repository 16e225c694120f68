package webui

import (
	"context"
	"html/template"
	"path"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/clients"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

const (
	// maxStart is how many bytes of the first document the overview shows.
	maxStart = 8 << 10
	// maxTop is how many documents the overview lists, and maxBrief how many entries a short list has.
	maxTop, maxBrief = 40, 6
)

type overviewPage struct {
	frame
	Endpoint                      string
	Resources, Documents, Prompts int
	ToolCount                     int
	Served                        string // how many Markdown files are documents
	Empty                         bool   // an empty server: explain the page
	Docs                          string
	ResourceFolders               []node
	Start, StartPath              string // the first document; "": not shown
	Lead                          string // its description, if it is not shown
	Body                          body
	Cut                           bool // to the beginning of the document
	// first entries of the contents, if Body has no links to documents
	Top          []item
	Dependencies int
	Packages     []item
}

// overview shows the first page of a site: the document to begin with, and what else the server has.
func (q *request) overview() {
	now := q.site.Server.State()
	page := overviewPage{Endpoint: q.endpoint(), Docs: now.Library.Dir()}
	page.frame = q.frame("Overview", "overview")
	page.ResourceFolders = page.Nav.Resources.Nodes
	page.Nav.Resources.Nodes = nil
	page.Documents, page.Prompts = now.Library.Len(), len(now.Prompts.Prompts())
	if all, ok := q.site.Server.Everything(q.caller.Key); ok {
		page.Resources = all.Files.Len()
		for range all.Others("") {
			page.Resources++
		}
	}
	page.Served = now.Library.Served()
	page.Empty = page.Reading == "" && page.Documents+page.Resources+page.Prompts == 0
	page.ToolCount = len(page.Nav.Tools)
	page.Dependencies = now.Library.Dependencies().Len()
	for _, p := range now.Library.Dependencies().Set().Packages() {
		if start := p.Start(); start != "" && p.Direct {
			page.Packages = append(page.Packages, item{Name: p.String(), Href: q.base + resourcePath("/r/", docs.DependencyURI(p.Path()+"/"+start))})
		}
	}
	if start := now.Library.Start(); start != "" {
		q.begin(&page, now.Library, start)
	}
	if !page.Cut && !strings.Contains(string(page.Body.HTML), `href="`+q.base+"/docs/") {
		nodes := now.Library.Outline(now.Library.Start()).Nodes
		for len(nodes) == 1 && len(nodes[0].Inside) > 0 {
			nodes = nodes[0].Inside
		}
		for _, n := range nodes {
			if href := q.documentHref(n.Path); href != page.Start {
				page.Top = append(page.Top, item{Name: uri.Display(n.Title), Href: href, Size: int64(n.Count)})
			}
		}
		page.Top = page.Top[:min(len(page.Top), maxTop)]
	}
	q.show("overview", page)
}

// begin shows the document to begin with, or nothing if it cannot be shown.
func (q *request) begin(page *overviewPage, library *docs.Library, start string) {
	_ = q.visit("page/document", docs.URI(q.site.Title, start), func(ctx context.Context, v server.View) error {
		read, err := q.readDocument(ctx, v, library, start)
		if err != nil {
			return err
		}
		front, _ := frontmatter.Find(read.text)
		// The site makes a page of components from such a document.
		if path.Ext(start) == ".mdx" || front.End > len(read.text)/2 {
			_, page.Lead = documentAbout(library, start)
			return nil
		}
		read.text = read.text[front.End:]
		if len(read.text) > maxStart {
			if end := strings.LastIndex(read.text[:maxStart], "\n\n"); end > 0 {
				read.text, page.Cut = read.text[:end], true
			}
		}
		page.Start, page.StartPath = q.documentHref(start), uri.Display(start)
		page.Body = q.documentBody(ctx, library, start, read)
		return nil
	})
}

type connectPage struct {
	frame
	Endpoint string
	Token    bool
	Variable string // a client's environment variable for a token; "": there are none
	System   string
	Clients  []connection
	Problem  string
}

// A connection describes how to connect one client.
type connection struct {
	clients.Setup
	Code template.HTML
	Open template.URL // with the client's own URL scheme, from package clients
}

// tokenVariable is the environment variable in which clients have their token, as in the documentation of config.
const tokenVariable = "DOCS_TOKEN"

// systemOf returns the operating system of a browser, for the paths of files.
func systemOf(agent string) string {
	switch {
	case strings.Contains(agent, "Windows"):
		return clients.Windows
	case strings.Contains(agent, "Mac OS"):
		return clients.MacOS
	}
	return clients.Linux
}

// endpoint returns the URL of the site's endpoint.
func (q *request) endpoint() string {
	public := q.options.Hosts.PublicURL(q.r)
	if len(q.options.Sites) > 1 {
		public += "/" + q.site.Name
	}
	return public + "/mcp"
}

// connect shows how to connect clients to this URL.
func (q *request) connect() {
	page := connectPage{frame: q.frame("Connect", "connect"), Endpoint: q.endpoint(), Token: q.options.Auth.Required()}
	page.System = systemOf(q.r.UserAgent())
	s := clients.Remote(q.site.Client, page.Endpoint)
	s.Title = q.site.Title
	if q.options.Auth.Tokens() {
		page.Variable = tokenVariable
		s.Headers = []clients.Header{clients.Bearer(tokenVariable)}
	}
	for _, c := range clients.All() {
		setup, err := c.Setup(s, page.System)
		if err != nil {
			page.Problem = err.Error()
			break
		}
		page.Clients = append(page.Clients, connection{setup, highlight(q.ctx, setup.Format, setup.Snippet), template.URL(setup.Link)})
	}
	q.show("connect", page)
}
