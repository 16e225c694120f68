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
	pdfs, left := len(l.PDFs()), l.Left()
	served := len(l.All()) - pdfs
	kinds := make(map[[2]string]int)
	for _, p := range left {
		kinds[p.Kind()]++
	}
	unread := l.Sites().Unread()
	if served+pdfs+len(left) == 0 && unread == "" {
		return ""
	}
	line := files(served, "Markdown")
	if pdfs > 0 && served > 0 {
		line += " and " + files(pdfs, "PDF")
	} else if pdfs > 0 {
		line = files(pdfs, "PDF")
	}
	if line += " are served"; served+pdfs == 1 {
		line = strings.Replace(line, " are ", " is ", 1)
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
	if unread != "" {
		beside += "; the text of " + unread + " is not read"
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

func files(n int, kind string) string {
	if n == 1 {
		return "1 " + kind + " file"
	}
	return fmt.Sprintf("%d %s files", n, kind)
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
