package page

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// A heading is an entry of the table of contents of a text.
type heading struct {
	Level    int
	ID, Text string
}

// maxHeadings is how many headings a table of contents has.
const maxHeadings = 200

// ownIDs matches the ids in the templates. Those that end with a value are matched by their beginning.
var ownIDs = lazyregexp.New(`^(?:q|q-key|hits|theme|side|main|path|uri|endpoint|answer|answer-title|problem|token|arg-.*|about-.*|command-.*|snippet-.*)$`)

// anchor returns the id on the page of a heading with an id in its document: the same, unless an element of the page has it.
func anchor(id string) string {
	if ownIDs().MatchString(id) {
		return "s-" + id
	}
	return id
}

// slugs makes the ids of headings.
type slugs struct{ seen map[string]int }

func (s *slugs) Generate(value []byte, _ ast.NodeKind) []byte {
	id := anchor(excerpt.Slug(string(value)))
	if id == "" {
		id = "s-"
	}
	n := s.seen[id] // headings with this id: the search for a free number continues from here
	for free := id; ; n++ {
		if n > 0 {
			free = fmt.Sprintf("%s-%d", id, n)
		}
		if _, taken := s.seen[free]; !taken {
			s.seen[free]++
			s.seen[id] = max(s.seen[id], n+1)
			return []byte(free)
		}
	}
}

func (s *slugs) Put(id []byte) { s.seen[string(id)]++ }

func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}
