package webui

import (
	"context"
	"fmt"
	"html/template"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

type searchPage struct {
	frame
	Asked    bool
	Progress string // how many documents are known; "": all
	Hits     []hit
}

// A hit is a result of the search, with its matches marked.
type hit struct {
	Kind, Href, URI         string
	Title, Heading, Snippet template.HTML
}

// search shows the results of the tool search.
func (q *request) search() {
	query := strings.TrimSpace(q.r.URL.Query().Get("q"))
	page := searchPage{Asked: query != ""}
	if page.Asked {
		if now := q.site.Server.State(); now.Library == nil {
			page.Progress = reading(now)
			q.showSearch(page)
			return
		}
		err := q.visit("page/search", query, func(ctx context.Context, v server.View) error {
			found, err := v.Search(ctx, query)
			if err != nil {
				return err
			}
			library, err := v.Library(ctx)
			if err != nil {
				return err
			}
			if read, all := library.Progress(); read < all {
				page.Progress = fmt.Sprintf("The project is still being read: %s of %s documents are searched by their text, the others by their paths.", countText(read), countText(all))
			}
			page.Hits, err = server.OnDisk(ctx, v, "documents that were found", func(ctx context.Context) ([]hit, error) {
				var hits []hit
				for _, f := range found {
					hits = append(hits, q.hit(ctx, library, f))
				}
				return hits, ctx.Err()
			})
			return err
		})
		if err != nil {
			q.failed(err)
			return
		}
	}
	q.showSearch(page)
}

func (q *request) showSearch(page searchPage) {
	if q.wantsPart("hits") {
		q.show("hits", page)
		return
	}
	page.frame = q.frame("Search", "search")
	q.show("search", page)
}

// hit returns a result of the search, which leads to the section that was found.
func (q *request) hit(ctx context.Context, library *docs.Library, f tools.Found) hit {
	h := hit{Kind: "Resource", URI: uri.Display(f.ID), Href: q.base + resourcePath("/r/", f.ID), Title: withMarks(f.Title, f.Hit)}
	switch {
	case f.Hit.Prompt() != "":
		h.Kind, h.URI = "Prompt", f.Hit.Prompt()
		h.Href = q.offerHref("prompts", h.URI)
	case f.Hit.Package != nil:
		h.Kind = "Dependency"
	case strings.HasPrefix(f.ID, skills.Scheme+"://"):
		h.Kind = "Skill"
	case f.Document != "":
		h.Kind, h.URI, h.Href = "Document", uri.Display(f.Document), q.documentHref(f.Document)
	}
	if slug := library.Anchor(ctx, f.Hit); slug != "" && h.Kind != "Prompt" {
		h.Href += "#" + anchor(slug)
	}
	if f.Hit.Heading != f.Title {
		h.Heading = withMarks(f.Hit.Heading, f.Hit)
	}
	h.Snippet = withMarks(f.Hit.Plain(), f.Hit)
	return h
}

// withMarks returns a text in which the words of a query are marked.
func withMarks(text string, h docs.Hit) template.HTML {
	var b strings.Builder
	offset := 0
	for _, m := range h.Marks(text) {
		b.WriteString(template.HTMLEscapeString(text[offset:m[0]]) + "<mark>" + template.HTMLEscapeString(text[m[0]:m[1]]) + "</mark>")
		offset = m[1]
	}
	return template.HTML(b.String() + template.HTMLEscapeString(text[offset:]))
}
