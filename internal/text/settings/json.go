package settings

import (
	"bytes"
	"errors"
)

// maxNested is how many lists and mappings may be inside each other. Parsers of other packages, and readers of values,
// recurse, and a Go program whose stack is full ends.
const maxNested = 1000

// ErrNested reports that a text has too many lists and mappings inside each other. It has no values.
var ErrNested = errors.New("has more than 1000 lists and mappings inside each other")

// PlainJSON returns a text in JSON with comments and commas at the ends of lists without these. Spaces replace them, so
// that all else is in the same line and column. The result may still not be JSON. The error is [ErrNested].
func PlainJSON(text []byte) ([]byte, error) {
	src := bytes.Clone(text)
	blankComments(src, `"`)
	if !tame(src, `"`) {
		return nil, ErrNested
	}
	last, comma := -1, -1 // offsets of the last byte that is not white space, and of a comma after a value if it is the last byte
	for i := 0; i < len(src); i++ {
		switch c := src[i]; c {
		case ' ', '\t', '\r', '\n':
			continue
		case ',':
			comma = -1
			if last >= 0 && bytes.IndexByte([]byte("[{:,"), src[last]) < 0 {
				comma = i
			}
			last = i
			continue
		case ']', '}':
			if comma >= 0 {
				src[comma] = ' '
			}
		case '"':
			i = min(closing(src, i), len(src)-1)
		}
		last, comma = i, -1
	}
	return src, nil
}

// closing returns the offset of the quote that ends the text that begins at offset i, or of the end of its line. Only a
// text between backticks has several lines.
func closing[T ~string | ~[]byte](src T, i int) int {
	quote := src[i]
	for i++; i < len(src) && src[i] != quote && (quote == '`' || src[i] != '\n'); i++ {
		if src[i] == '\\' {
			i++
		}
	}
	return i
}

// blankComments puts spaces in place of comments between "/*" and "*/", and after "//". quotes are the characters around
// texts, which have no comments.
func blankComments(src []byte, quotes string) {
	for i := 0; i < len(src); i++ {
		end := i
		switch c := src[i]; {
		case bytes.IndexByte([]byte(quotes), c) >= 0:
			i = closing(src, i)
		case c == '/' && i+1 < len(src) && src[i+1] == '*':
			if end = bytes.Index(src[i+2:], []byte("*/")); end < 0 {
				end = len(src)
			} else {
				end += i + 4
			}
		case c == '/' && i+1 < len(src) && src[i+1] == '/':
			if end = bytes.IndexByte(src[i:], '\n'); end < 0 {
				end = len(src)
			} else {
				end += i
			}
		}
		for j := i; j < end; j++ {
			if src[j] != '\n' {
				src[j] = ' '
			}
		}
		i = max(i, end-1)
	}
}

// tame reports whether a text has at most [maxNested] brackets inside each other, and as many dots in a line, which nest the
// tables of TOML. Those between quotes do not count.
func tame(src []byte, quotes string) bool {
	depth, dots := 0, 0
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case bytes.IndexByte([]byte(quotes), c) >= 0:
			i = closing(src, i)
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth = max(0, depth-1)
		case c == '.':
			dots++
		case c == '\n':
			dots = 0
		}
		if depth > maxNested || dots > maxNested {
			return false
		}
	}
	return true
}
