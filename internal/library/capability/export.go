package capability

import (
	"encoding/json"
	"iter"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/tokens"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// The exports for a Worker, which has no project: it makes the pages of elements from prepared entries.

// An Element is an entry of the pages of a type.
type Element struct {
	Key    string // identifies it in a cursor
	Text   string // the text that a query searches; "" for a resource, whose text is the decoded key
	Entry  string
	Tokens int // of the entry
}

// Everything yields the elements of a type in the order of its pages.
func (x *Index) Everything(t Type) iter.Seq[Element] {
	return func(yield func(Element) bool) {
		for e := range x.each(t, "", false) {
			entry := e.entry()
			if !yield(Element{e.key, e.text, entry, tokens.Estimate(entry)}) {
				return
			}
		}
	}
}

// Head returns the beginning of a page of a type, which contains about, and the number of elements.
func (x *Index) Head(t Type, about string) (head string, count int) {
	return x.head(string(t)+"s", about), x.count(t)
}

// Pages reports whether the index has pages of elements.
func (x *Index) Pages() bool { return x.exposed.Elements }

// AllTypes returns the types of elements, in the order of all documents.
func AllTypes() []Type { return types }

// Index returns the index of these files and of the current rest of the project, or nil if it is off.
func (s *Source) Index(files *loader.Catalog) *Index {
	now := s.current(files)
	if now == nil {
		return nil
	}
	return now.index()
}

// Lasting returns statistics without the figures about a running server.
func Lasting(statistics []byte) ([]byte, error) {
	var s stats
	if err := json.Unmarshal(statistics, &s); err != nil {
		return nil, err
	}
	s.Cache, s.Reads = nil, nil
	text, err := s.encode()
	return []byte(text), err
}
