package docs

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// snippetSize is the approximate number of bytes of a snippet: a sentence or two.
const snippetSize = 240

// A match is a word of a query in a passage.
type match struct {
	offset int
	stem   string
	value  int
}

// snippet returns where the part of a passage begins that contains most of the words. stems are the
// words; the value is true for a word of the query itself. The passage begins with front bytes of
// front matter, most of which is for programs: the snippet is taken from it only if the rest has none
// of the words.
func snippet(text string, front int, stems map[string]bool) (offset int) {
	if strings.TrimSpace(text[front:]) == "" {
		front = 0
	}
	var matches []match
	var buffer []byte
	new(splitter).words(text, func(word []byte, offset int) {
		buffer = stem(append(buffer[:0], word...))
		if exact, ok := stems[string(buffer)]; ok {
			m := match{offset, string(buffer), 1}
			if exact {
				m.value = 4
			}
			matches = append(matches, m)
		}
	})
	if slices.ContainsFunc(matches, func(m match) bool { return m.offset >= front }) {
		matches = slices.DeleteFunc(matches, func(m match) bool { return m.offset < front })
	}
	start, best := front, 0
	for i, m := range matches {
		value := 0
		seen := make([]string, 0, 8)
		for _, other := range matches[i:] {
			if other.offset-m.offset > snippetSize*3/4 {
				break
			}
			if !slices.Contains(seen, other.stem) {
				seen = append(seen, other.stem)
				value += other.value
			}
		}
		if value > best {
			start, best = m.offset, value
		}
	}
	// A line is the best place to begin, then a word.
	if i := strings.LastIndexByte(text[:start], '\n'); start-i <= snippetSize/4 {
		start = i + 1
	} else {
		start = max(i+1, start-snippetSize/4)
		for start < len(text) && !utf8.RuneStart(text[start]) {
			start++
		}
		if i := strings.IndexByte(text[start:], ' '); i >= 0 && i < snippetSize/4 {
			start += i + 1
		}
	}
	return start + len(text[start:]) - len(strings.TrimLeftFunc(text[start:], unicode.IsSpace))
}

// onOneLine returns the beginning of a text on one line.
func onOneLine(text string) string {
	return excerpt.Ellipsis(excerpt.OneLine(excerpt.Cut(text, 2*snippetSize)), snippetSize)
}
