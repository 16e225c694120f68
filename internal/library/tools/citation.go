package tools

import (
	"iter"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// Citations are the ids and titles that the tools search and fetch use. A Worker, which has no files,
// gets its answers from them.
type Citations struct {
	set     *Set
	view    view.View
	library *docs.Library
}

// NewCitations returns the citations of a project.
func NewCitations(project string, v view.View, library *docs.Library) Citations {
	return Citations{&Set{name: project}, v, library}
}

// Document returns how a document is named, and whether its URI is cited: otherwise a resource has the
// same URI.
func (c Citations) Document(path string) (f Found, cited bool) {
	f = c.set.document(c.library, path)
	return f, c.set.subject(c.view, c.library, f.ID).path == path
}

// Resource returns the title of the resource with exactly this URI.
func (c Citations) Resource(uri string) (title string, ok bool) {
	r, ok := c.view.Files.Exact(uri)
	if !ok {
		return "", false
	}
	f, _ := resource(c.view, view.Item{File: r})
	return f.Title, true
}

// A CitedResource is a resource that search can find.
type CitedResource struct {
	Found
	ResourceTitle string // differs from Found.Title if the resource is also a document with another title
	Text          string // the text that search looks through: URI, title and description, in lower case
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

// searchText returns the text of a resource that search looks through.
func searchText(f Found, description string) string {
	return strings.ToLower(uri.Decode(f.ID) + "\n" + description)
}
