package pdftext

import (
	"slices"
	"strings"
	"unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/pdfium"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// markHeadings makes headings of the lines of a page that are titles in the outline: the largest that has the words, with
// a number before them or not. A title can be up to four lines.
func markHeadings(entries []pdfium.Entry, lines []line) []line {
	for _, e := range entries[:min(len(entries), 200)] {
		title, best, count := lettersOf(e.Title), -1, 0
		for i := range lines {
			if n := titleLines(lines[i:], title); n > 0 && lines[i].heading == 0 && (best < 0 || lines[i].size > 1.01*lines[best].size) {
				best, count = i, n
			}
		}
		if best < 0 {
			continue
		}
		lines[best].heading = min(e.Level, 4)
		for _, next := range lines[best+1 : best+count] {
			lines[best].text += " " + next.text
		}
		lines = slices.Delete(lines, best+1, best+count)
	}
	return lines
}

// number finds what can be before a title.
var number = lazyregexp.New(`^(?:chapter|appendix|section|part)?(?:[a-z]?[0-9]+|[ivx]+|[a-z])$`)

// titleLines returns how many lines at the beginning are a title, or 0.
func titleLines(lines []line, title string) int {
	all := ""
	for n, l := range lines[:min(len(lines), 4)] {
		all += l.letters
		if before, ok := strings.CutSuffix(all, title); ok && l.letters != "" && title != "" && (before == "" || number().MatchString(before)) {
			return n + 1
		} else if len(all) > len(title)+20 {
			break
		}
	}
	return 0
}

// lettersOf returns the letters and digits of a text, in lower case.
func lettersOf(text string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), ""))
}
