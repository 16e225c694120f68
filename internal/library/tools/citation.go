package tools

import (
	"iter"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// Citations are the names that the tools search and fetch give to what a project has, for a program
// that answers as they do and has no files.
type Citations struct {
	set     *Set
	view    view.View
	library *docs.Library
}

// NewCitations returns the citations of a project of that name.
func NewCitations(project string, v view.View, library *docs.Library) Citations {
	return Citations{&Set{name: project}, v, library}
}

// Document returns the title of a document, and whether its URI leads to it and not to a resource.
func (c Citations) Document(path string) (title string, own bool, err error) {
	f, err := c.set.document(c.library, path)
	if err != nil {
		return "", false, err
	}
	return f.Title, c.set.subject(c.view, c.library, f.ID).path == path, nil
}

// Resource returns the title of the resource that has exactly this URI.
func (c Citations) Resource(of string) (title string, ok bool) {
	r, ok := c.view.Files.Exact(of)
	if !ok {
		return "", false
	}
	f, _ := resource(c.view, view.Item{File: r})
	return f.Title, true
}

// A CitedResource is a resource as search looks for it.
type CitedResource struct {
	Found
	Own  string // title of the resource, even if the document that it is has another one
	Text string // that contains the words of a query: URI, title and description, in lower case
}

// Resources yields all resources in the order in which search finds them.
func (c Citations) Resources() iter.Seq[CitedResource] {
	return func(yield func(CitedResource) bool) {
		for r := range c.view.After("") {
			f, description := resource(c.view, r)
			text := searchText(f, description)
			if !yield(CitedResource{c.set.named(c.view, c.library, r, f), f.Title, text}) {
				return
			}
		}
	}
}

// searchText is what a resource is found by.
func searchText(f Found, description string) string {
	return strings.ToLower(uri.Decode(f.ID) + "\n" + description)
}
