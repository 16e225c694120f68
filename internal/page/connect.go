package page

import (
	"html/template"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/clients"
)

type connectPage struct {
	frame
	Endpoint string
	Token    bool   // clients need a token
	Variable string // environment variable of a client for a token of the operator; "": there are none
	System   string
	Clients  []connection
	Problem  string
}

// A connection describes how to connect one client.
type connection struct {
	ID, Title string
	Setup     clients.Setup
	Snippet   template.HTML
	Link      template.URL // uses the client's own URL scheme; package clients made it
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
		page.Clients = append(page.Clients, connection{c.ID, c.Title, setup, highlight(q.ctx, setup.Format, setup.Snippet), template.URL(setup.Link)})
	}
	q.show("connect", page)
}
