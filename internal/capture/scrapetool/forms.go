package scrapetool

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/conversion"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/webpage"
)

// maxListed is how many links or images an answer lists.
const maxListed = 2000

// convert parses a source as a page when it is the turn of the query. The error says why that failed,
// or is the error of ctx, or a [*fetch.Failed] if the server is busy.
func (s *Scraper) convert(ctx context.Context, q *query, c webpage.Choice, src webpage.Source) (*webpage.Page, error) {
	page, err := s.options.Converter.Read(ctx, conversion.Input{Ask: q.ask(), Choice: c, Source: src})
	return page, q.busy(err)
}

// ending returns an error of [Scraper.convert] if it ends the call. After other errors, the answer only
// lacks this form of the page.
func ending(ctx context.Context, err error) error {
	if _, busy := errors.AsType[*fetch.Failed](err); busy || ctx.Err() != nil {
		return err
	}
	return nil
}

// html returns the main content of a page as HTML.
func (s *Scraper) html(ctx context.Context, q *query, d *document) (string, error) {
	c := q.choice
	c.KeepHTML = true
	page, err := s.convert(ctx, q, c, d.source(q))
	if err != nil {
		return "", ending(ctx, err)
	}
	return page.HTML(), nil
}

// converted returns an element as Markdown.
func (s *Scraper) converted(ctx context.Context, q *query, d *document, e extra) (string, error) {
	src := d.source(q)
	src.ContentType, src.Body = "text/html; charset=utf-8", e.data
	page, err := s.convert(ctx, q, webpage.Choice{Whole: true}, src)
	if err != nil {
		return strings.ToValidUTF8(string(e.data), "\ufffd"), ending(ctx, err)
	}
	return page.Markdown(nil), nil
}

// linkList lists the links of a page.
func (s *Scraper) linkList(ctx context.Context, q *query, d *document) (string, error) {
	var links []webpage.Lead
	err := s.options.Converter.Do(ctx, q.ask(), func(ctx context.Context) error {
		if leads, err := webpage.ReadLeads(ctx, d.source(q), nil, ""); err == nil {
			links = leads.Links
		}
		return nil
	})
	if err != nil {
		return "", q.busy(err)
	}
	var b strings.Builder
	for i, l := range links {
		if i == maxListed {
			fmt.Fprintf(&b, "and %d more\n", len(links)-i)
			break
		}
		b.WriteString("- " + l.URL.String())
		if l.Text != "" {
			b.WriteString(" " + l.Text)
		}
		b.WriteString("\n")
	}
	if b.Len() == 0 {
		return "none", nil
	}
	return b.String(), nil
}

// imageList lists the images of a page.
func (s *Scraper) imageList(ctx context.Context, q *query, d *document) (string, error) {
	c := q.choice
	c.Whole = true
	page, err := s.convert(ctx, q, c, d.source(q))
	if err != nil {
		return "none", ending(ctx, err)
	}
	var b strings.Builder
	seen := make(map[string]bool)
	for _, r := range page.References {
		if u := r.URL.String(); r.Image && !seen[u] && len(seen) < maxListed {
			seen[u] = true
			b.WriteString("- " + u + "\n")
		}
	}
	if b.Len() == 0 {
		return "none", nil
	}
	return b.String(), nil
}
