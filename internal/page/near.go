package page

import (
	"net/url"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// maxNear is how many links the answer to a wrong path suggests.
const maxNear = 5

// noPath answers a request for a path of the site where nothing is.
func (q *request) noPath() {
	asked := unescape(q.rest)
	first, _, _ := strings.Cut(asked, "/")
	pages := []string{"docs", "r", "prompts", "tools", "templates", "search", "connect", "explain", "log", "llms.txt", "llms-full.txt"}
	if q.author && q.site.Survey != nil {
		pages = append(pages, "check", "hidden")
	}
	var near []link
	for _, page := range nearest.Of(first, pages, 2) {
		near = append(near, link{"/" + page, q.base + "/" + page})
	}
	q.missing("There is nothing at this path. The endpoint of MCP is /mcp.", append(near, q.nearDocuments(asked)...)...)
}

// noDocument answers a request for a document or a folder of documents that does not exist.
func (q *request) noDocument(name string) {
	q.missing("There is no document "+shown(name)+".", q.nearDocuments(name)...)
}

func (q *request) nearDocuments(name string) []link {
	var near []link
	for _, path := range q.site.Server.Current().Library.Near(name, maxNear) {
		near = append(near, link{uri.Display(path), q.documentHref(path)})
	}
	return near
}

// noName answers a request for a prompt or a tool that does not exist.
func (q *request) noName(kind, name string, known []string) {
	var near []link
	for _, n := range nearest.Of(name, known, maxNear) {
		near = append(near, link{n, q.base + "/" + kind + "s/" + url.PathEscape(n)})
	}
	q.missing("There is no "+kind+" "+shown(name)+".", near...)
}
