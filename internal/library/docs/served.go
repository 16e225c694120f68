package docs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
)

// Served returns one line that says how many Markdown files are documents, in all languages and versions, and how many are
// not, by reason, and, if they are not all main documents, how many have which class: "451 Markdown files are served; 9 are not: 2 tests, 6 vendored, 1 redirect". Files that git ignores do not
// count. It is "" without Markdown.
func (l *Library) Served() string {
	pdfs, left, unread := len(l.PDFs()), l.Left(), l.Sites().Unread()
	served := len(l.All()) - pdfs
	kinds := make(map[[2]string]int)
	for _, p := range left {
		kinds[p.Kind()]++
	}
	if served+pdfs+len(left)+len(unread) == 0 {
		return ""
	}
	line := fmt.Sprintf("%d Markdown files are served", served)
	if pdfs > 0 {
		line = fmt.Sprintf("%d Markdown and %d PDF files are served", served, pdfs)
	} else if served == 1 {
		line = "1 Markdown file is served"
	}
	if c := l.Sites().Counts(); c[site.Other]+c[site.Last] > 0 {
		line += fmt.Sprintf(" (%d main, %d other, %d last)", c[site.Main], c[site.Other], c[site.Last])
	}
	others := ""
	if n := l.Sites().Beside(); n > 0 {
		if others = fmt.Sprintf("; other files next to them: %d, which can be read", n); l.Closed() {
			others += " where a document links to them"
		}
	}
	if len(unread) > 0 {
		others += "; files whose text is not read: " + strings.Join(unread, ", ")
	}
	if len(left) == 0 {
		return line + others
	}
	var parts []string
	for _, kind := range slices.SortedFunc(maps.Keys(kinds), func(a, b [2]string) int { return cmp.Or(kinds[b]-kinds[a], strings.Compare(a[0], b[0])) }) {
		noun := kind[1]
		if kinds[kind] == 1 {
			noun = kind[0]
		}
		parts = append(parts, fmt.Sprintf("%d %s", kinds[kind], noun))
	}
	are := "are"
	if len(left) == 1 {
		are = "is"
	}
	return fmt.Sprintf("%s; %d %s not: %s (list --hidden shows them)", line, len(left), are, strings.Join(parts, ", ")) + others
}

// Left returns the Markdown files that are not documents. Files that git ignores are not among them.
func (l *Library) Left() (left []*site.Page) {
	for _, p := range l.Sites().Hidden() {
		if p.Hidden != site.Gitignored {
			left = append(left, p)
		}
	}
	return left
}
