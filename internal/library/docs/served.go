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
	var b strings.Builder
	switch {
	case pdfs > 0:
		fmt.Fprintf(&b, "%d Markdown and %d PDF files are served", served, pdfs)
	case served == 1:
		b.WriteString("1 Markdown file is served")
	default:
		fmt.Fprintf(&b, "%d Markdown files are served", served)
	}
	if c := l.Sites().Counts(); c[site.Other]+c[site.Last] > 0 {
		fmt.Fprintf(&b, " (%d main, %d other, %d last)", c[site.Main], c[site.Other], c[site.Last])
	}
	var parts []string
	for _, kind := range slices.SortedFunc(maps.Keys(kinds), func(a, b [2]string) int { return cmp.Or(kinds[b]-kinds[a], strings.Compare(a[0], b[0])) }) {
		noun := kind[min(kinds[kind]-1, 1)]
		parts = append(parts, fmt.Sprintf("%d %s", kinds[kind], noun))
	}
	if verb := [2]string{"is", "are"}; len(left) > 0 {
		fmt.Fprintf(&b, "; %d %s not: %s (list --hidden shows them)", len(left), verb[min(len(left)-1, 1)], strings.Join(parts, ", "))
	}
	if n := l.Sites().Beside(); n > 0 {
		fmt.Fprintf(&b, "; other files next to them: %d, which can be read", n)
		if l.Closed() {
			b.WriteString(" where a document links to them")
		}
	}
	if len(unread) > 0 {
		b.WriteString("; files whose text is not read: " + strings.Join(unread, ", "))
	}
	return b.String()
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
