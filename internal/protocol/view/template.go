package view

import (
	"context"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// Templates returns the templates of files, then the templates of the sources. It leaves out a
// template of a source if a template of files has the same text.
func (v View) Templates() []templates.Entry {
	entries := v.Files.Templates().Entries()
	if len(v.others) == 0 {
		return entries
	}
	entries = slices.Clone(entries)
	for _, s := range v.others {
		for _, e := range s.Templates() {
			if _, twice := find(entries, e.Template.String()); !twice {
				entries = append(entries, e)
			}
		}
	}
	return entries
}

// A Template is one of the templates of a view.
type Template struct {
	templates.Entry
	view  View
	index int // index among the templates of files, or -1
	of    Snapshot
}

// Template returns the first template whose published form or written form is text.
func (v View) Template(text string) (Template, bool) {
	entries := v.Files.Templates().Entries()
	if i, ok := find(entries, text); ok {
		return Template{entries[i], v, i, nil}, true
	}
	for _, s := range v.others {
		entries := s.Templates()
		if i, ok := find(entries, text); ok {
			return Template{entries[i], v, -1, s}, true
		}
	}
	return Template{}, false
}

func find(entries []templates.Entry, text string) (int, bool) {
	i := slices.IndexFunc(entries, func(e templates.Entry) bool { return e.Template.String() == text || e.URITemplate == text })
	return i, i >= 0
}

// Complete returns, sorted, the values of a variable of the template that start with prefix,
// ignoring case; see [loader.Catalog.Complete].
func (t Template) Complete(ctx context.Context, variable, prefix string, given map[string]string) []string {
	if t.of != nil {
		return t.of.Complete(ctx, t.Template.String(), variable, prefix, given)
	}
	return t.view.Files.Complete(ctx, t.index, variable, prefix, given)
}
