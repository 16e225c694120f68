package prompts

import (
	"reflect"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
)

// A Set holds the prompts of a project. It is immutable. A nil Set is empty.
type Set struct {
	prompts  []*Prompt
	problems jsondoc.Problems
}

// Prompts returns the prompts sorted by name. The slice is shared and must not be changed.
func (s *Set) Prompts() []*Prompt {
	if s == nil {
		return nil
	}
	return s.prompts
}

// Literal returns a prompt without arguments whose text contains no placeholders and no links. file
// is where it comes from, below the project folder.
func Literal(name, description, file, text string) *Prompt {
	return &Prompt{Name: name, Title: name, Description: description, File: file, line: 1, parts: []Part{{Template: Template{Text: text}}}}
}

// With returns a set with further prompts. It leaves out prompts with the name of a prompt in the
// set.
func (s *Set) With(more []*Prompt) *Set {
	if len(more) == 0 && s != nil {
		return s
	}
	out := &Set{prompts: slices.Clone(s.Prompts())}
	if s != nil {
		out.problems = s.problems
	}
	for _, p := range more {
		if _, taken := s.Get(p.Name); !taken {
			out.prompts = append(out.prompts, p)
		}
	}
	slices.SortFunc(out.prompts, func(a, b *Prompt) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Get returns the prompt of a name.
func (s *Set) Get(name string) (*Prompt, bool) {
	prompts := s.Prompts()
	if i, ok := slices.BinarySearchFunc(prompts, name, compareName); ok {
		return prompts[i], true
	}
	if i := slices.IndexFunc(prompts, func(p *Prompt) bool { return norm.NFC.String(p.Name) == norm.NFC.String(name) }); i >= 0 {
		return prompts[i], true
	}
	return nil, false
}

// Problems returns the problems of the files, sorted by file and line.
func (s *Set) Problems() jsondoc.Problems {
	if s == nil {
		return nil
	}
	return s.problems
}

// Equal reports whether the lists of both sets are the same. Types, enumerations and defaults are
// compared, because a description in a list may contain them; texts are not, because no list
// contains them.
func (s *Set) Equal(t *Set) bool {
	return slices.EqualFunc(s.Prompts(), t.Prompts(), func(p, q *Prompt) bool {
		return p == q || p.Name == q.Name && p.Title == q.Title && p.Description == q.Description &&
			reflect.DeepEqual(p.Arguments, q.Arguments)
	})
}
