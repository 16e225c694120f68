package scrapetool

import (
	"fmt"
	"unicode/utf8"
)

// A slice is the part of a text in one answer. Positions count characters, that is, code points of
// Unicode, so that no client can cut one, whatever encoding it uses.
type slice struct {
	text       string
	start, end int // positions
	total      int // characters of the text; -1: not counted, as more follows
}

// cut returns at most a number of characters of a text, from a position on.
func cut(s string, start, most int) (slice, error) {
	from, n := 0, 0
	for n < start && from < len(s) {
		_, size := utf8.DecodeRuneInString(s[from:])
		from += size
		n++
	}
	if n < start || start > 0 && from == len(s) {
		return slice{}, fmt.Errorf("startIndex is %d, but the content has %d characters: start below that", start, n)
	}
	to := from
	for n < start+most && to < len(s) {
		_, size := utf8.DecodeRuneInString(s[to:])
		to += size
		n++
	}
	if to == len(s) {
		return slice{s[from:], start, n, n}, nil
	}
	return slice{s[from:to], start, n, -1}, nil
}

// notice says how to continue, or is "" at the end of the text.
func (s slice) notice() string {
	if s.total >= 0 {
		return ""
	}
	return fmt.Sprintf("\n\n[Content truncated at %d characters. Use startIndex parameter to continue reading from character %d]", s.end-s.start, s.end)
}
