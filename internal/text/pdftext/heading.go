package pdftext

import (
	"strings"
	"unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/pdfium"
)

// headings are the entries of an outline by their pages.
type headings map[int][]pdfium.Entry

func newHeadings(outline []pdfium.Entry) headings {
	h := make(headings)
	for _, e := range outline {
		h[e.Page] = append(h[e.Page], e)
	}
	return h
}

const (
	maxLevel   = 4
	maxTitle   = 4  // lines
	maxNumber  = 12 // bytes of letters and digits before a title
	maxEntries = 200
)

// mark makes headings of the lines of a page that are titles in the outline: the largest that has the words, with a number before them
// or not. A title can be several lines.
func (h headings) mark(page int, lines []line) []line {
	entries := h[page]
	if len(entries) > maxEntries {
		return lines
	}
	words := make([]string, len(lines))
	for i, l := range lines {
		words[i] = lettersOf(l.text)
	}
	for _, e := range entries {
		title := lettersOf(e.Title)
		if title == "" {
			continue
		}
		best, count := -1, 0
		for i := range lines {
			if n := titleLines(words[i:], title); n > 0 && lines[i].heading == 0 && (best < 0 || lines[i].size > lines[best].size*1.01) {
				best, count = i, n
			}
		}
		if best < 0 {
			continue
		}
		l := &lines[best]
		l.heading = min(e.Level, maxLevel)
		for _, next := range lines[best+1 : best+count] {
			l.text += " " + next.text
		}
		lines = append(lines[:best+1], lines[best+count:]...)
		words = append(words[:best+1], words[best+count:]...)
	}
	return lines
}

// number finds what can be before a title.
var number = lazyregexp.New(`^(?:chapter|appendix|section|part)?(?:[a-z]?[0-9]+|[ivx]+|[a-z])$`)

// titleLines returns how many lines at the beginning are a title, or 0.
func titleLines(lines []string, title string) int {
	all := ""
	for n, l := range lines[:min(len(lines), maxTitle)] {
		all += l
		if before, ok := strings.CutSuffix(all, title); ok && l != "" && (before == "" || number().MatchString(before)) {
			return n + 1
		}
		if l == "" || len(all) > len(title)+maxNumber {
			return 0
		}
	}
	return 0
}

// lettersOf returns the letters and digits of a text, in lower case.
func lettersOf(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
