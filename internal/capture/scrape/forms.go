package scrape

import (
	"context"
	"fmt"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/webpage"
)

// maxListed is how many links or images are listed.
const maxListed = 2000

// html returns what is kept of a page, as HTML.
func (s *Scraper) html(ctx context.Context, j *job, d *document) (text string, err error) {
	c := j.choice
	c.KeepHTML = true
	err = s.inTurn(ctx, j, func() error {
		if page, err := c.Read(ctx, d.source(j)); err == nil {
			text = page.HTML()
		}
		return nil
	})
	return text, err
}

// inTurn reads a page, which takes a hundred times its size in memory, when it is its turn. The error
// is that of ctx, a [*fetch.Failed], or that of read.
func (s *Scraper) inTurn(ctx context.Context, j *job, read func() error) error {
	done, err := j.wait(ctx, s.reading)
	if err != nil {
		return err
	}
	defer done()
	return read()
}

// converted returns an element as Markdown.
func (s *Scraper) converted(ctx context.Context, j *job, d *document, e extra) (text string, err error) {
	src := d.source(j)
	src.ContentType, src.Body = "text/html; charset=utf-8", e.data
	err = s.inTurn(ctx, j, func() error {
		if page, err := (webpage.Choice{Whole: true}).Read(ctx, src); err == nil {
			text = page.Markdown(nil)
		} else {
			text = strings.ToValidUTF8(string(e.data), "\ufffd")
		}
		return nil
	})
	return text, err
}

// leads lists the links of a page.
func (s *Scraper) leads(ctx context.Context, j *job, d *document) (string, error) {
	var links []webpage.Lead
	err := s.inTurn(ctx, j, func() error {
		if leads, err := webpage.ReadLeads(ctx, d.source(j), nil, ""); err == nil {
			links = leads.Links
		}
		return nil
	})
	if err != nil {
		return "", err
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

// images lists the images of a page.
func (s *Scraper) images(ctx context.Context, j *job, d *document) (string, error) {
	c := j.choice
	c.Whole = true
	var b strings.Builder
	err := s.inTurn(ctx, j, func() error {
		page, err := c.Read(ctx, d.source(j))
		if err != nil {
			return nil
		}
		seen := make(map[string]bool)
		for _, r := range page.References {
			if u := r.URL.String(); r.Image && !seen[u] && len(seen) < maxListed {
				seen[u] = true
				b.WriteString("- " + u + "\n")
			}
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	if b.Len() == 0 {
		return "none", nil
	}
	return b.String(), nil
}
