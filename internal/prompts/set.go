package prompts

import (
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/jsondoc"
)

// A Set holds the prompts of a project. It never changes. A nil Set is an empty one.
type Set struct {
	prompts  []*Prompt
	files    map[string]*source // by path below the project folder; one that could not be read is not in it
	problems jsondoc.Problems
}

// Prompts returns the prompts sorted by name. The slice is shared and must not be changed.
func (s *Set) Prompts() []*Prompt {
	if s == nil {
		return nil
	}
	return s.prompts
}

// Get returns the prompt of a name.
func (s *Set) Get(name string) (*Prompt, bool) {
	prompts := s.Prompts()
	if i, ok := slices.BinarySearchFunc(prompts, name, compareName); ok {
		return prompts[i], true
	}
	return nil, false
}

// Problems returns what is wrong with the files, sorted by file and line. Those of files that have not changed are told
// again by every scan.
func (s *Set) Problems() jsondoc.Problems {
	if s == nil {
		return nil
	}
	return s.problems
}

// Equal reports whether a list made of the one set's prompts is also one of the other's. Types, enumerations and defaults
// count, since a list may tell of them in a description; texts do not, since no list holds them.
func (s *Set) Equal(t *Set) bool {
	return slices.EqualFunc(s.Prompts(), t.Prompts(), func(p, q *Prompt) bool {
		return p == q || p.Name == q.Name && p.Title == q.Title && p.Description == q.Description &&
			slices.EqualFunc(p.Arguments, q.Arguments, Argument.equal)
	})
}
