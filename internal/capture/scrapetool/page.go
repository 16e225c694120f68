package scrapetool

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// A slice of a text is what one answer has of it. Positions count characters: code points of
// Unicode, so that none is ever cut, in whatever encoding a client has them.
type slice struct {
	text       string
	start, end int // positions
	total      int // -1: not counted, as there is more
}

// cut returns the characters of a text from a position on, at most a number of them. It ends before
// a letter whose accents would not fit, and does not part emoji that are one picture, if it can.
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
	whole, at := to, n
	for back := 0; back < 30 && to > from && joined(s[:to], s[to:]); back++ {
		_, size := utf8.DecodeLastRuneInString(s[from:to])
		to -= size
		n--
	}
	if to == from || joined(s[:to], s[to:]) {
		to, n = whole, at
	}
	return slice{s[from:to], start, n, -1}, nil
}

// joined reports whether the characters on both sides of a place are one for a reader.
func joined(before, after string) bool {
	b, _ := utf8.DecodeLastRuneInString(before)
	a, _ := utf8.DecodeRuneInString(after)
	return unicode.Is(unicode.M, a) || a == 0x200d || b == 0x200d || a >= 0x1f3fb && a <= 0x1f3ff || b == '\r' && a == '\n'
}

// notice says how to go on, or is "" if this is the end.
func (s slice) notice() string {
	if s.total >= 0 {
		return ""
	}
	return fmt.Sprintf("\n\n[Content truncated at %d characters. Use startIndex parameter to continue reading from character %d]", s.end-s.start, s.end)
}
