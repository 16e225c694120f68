// Package conversion is the one way from a fetched page to Markdown, for the command capture and the tools
// scrape and crawl. Package webpage reads HTML and texts, and a function of the caller reads PDFs.
package conversion

import (
	"context"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/webpage"
)

// A Converter makes pages of what servers sent. It is safe for concurrent use.
type Converter struct {
	// PDF returns the text of the pages of a PDF.
	PDF func(context.Context, []byte) ([]string, error)
}

// Read reads what a server sent. With an error, the page has at most its kind and MIME type: the bytes are all
// that there is of it, or ctx has ended.
func (c *Converter) Read(ctx context.Context, choice webpage.Choice, s webpage.Source) (*webpage.Page, error) {
	page, err := choice.Read(ctx, s)
	if err != nil || page.Kind != webpage.PDF {
		return page, err
	}
	pages, err := c.PDF(ctx, s.Body)
	if err != nil {
		return page, err
	}
	return webpage.FromPDF(s.URL, pages), nil
}
