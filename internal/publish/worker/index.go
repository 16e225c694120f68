package worker

import (
	"context"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/capability"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// elements holds the parts from which the Worker makes pages of elements of the capability index.
type elements struct {
	Head  string   `json:"head"` // NUL is replaced by the description of the page
	Count int      `json:"count"`
	Title heading  `json:"title"` // the only heading of a page
	Rows  [][4]any `json:"rows"`  // key, encoded because it may be any bytes; text for queries; entry; tokens
}

// A heading is the first heading of a text; its section is the whole text.
type heading struct {
	Text  string `json:"text"`
	Slug  string `json:"slug"`
	Start int    `json:"start"`
}

// index writes the elements of the capability index.
func (b *Builder) index(ctx context.Context) error {
	if b.Index == nil || !b.Index.Pages() {
		return nil
	}
	b.manifest.Resources.Index = make(map[capability.Type]string)
	for _, t := range capability.AllTypes() {
		e := elements{Rows: [][4]any{}}
		e.Head, e.Count = b.Index.Head(t, "\x00")
		for _, h := range excerpt.Headings(e.Head) {
			e.Title = heading{h.Text, h.Slug, h.Start}
		}
		for element := range b.Index.Everything(t) {
			text := element.Text
			if t == capability.Resources {
				text = ""
			}
			e.Rows = append(e.Rows, [4]any{string(uri.AppendSegment(nil, element.Key)), text, element.Entry, element.Tokens})
		}
		data, err := encode(e)
		if err != nil {
			return err
		}
		b.manifest.Resources.Index[t] = b.Add(data)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}
