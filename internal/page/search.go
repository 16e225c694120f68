package page

import (
	"context"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
)

type searchPage struct {
	frame
	Asked bool
	Hits  []hit
}

type hit struct {
	Title, Href, URI, Heading, Snippet string
	Document                           bool
}

// search shows the results of the tool search.
func (q *request) search() {
	query := strings.TrimSpace(q.r.URL.Query().Get("q"))
	page := searchPage{}
	if query != "" {
		page.Asked = true
		var found []tools.Found
		err := q.visit("page/search", query, func(ctx context.Context, v server.View) (err error) {
			found, err = v.Search(ctx, query)
			return err
		})
		if err != nil {
			q.failed(err)
			return
		}
		for _, f := range found {
			h := hit{Title: f.Title, URI: f.ID, Heading: f.Heading, Snippet: f.Snippet, Document: f.Document != ""}
			if h.Document {
				h.Href, h.URI = q.documentHref(f.Document), q.documentURI(f.Document)
			} else {
				h.Href = q.base + resourcePath("/r/", f.ID)
			}
			page.Hits = append(page.Hits, h)
		}
	}
	if q.wantsPart("hits") {
		q.show("hits", page)
		return
	}
	page.frame = q.frame("Search", "search")
	q.show("search", page)
}
