package settings

import (
	"bytes"
	"errors"

	"github.com/tailscale/hujson"
)

// maxNested is how many lists and mappings may be inside each other. Parsers of other packages, and readers of values,
// recurse, and a Go program whose stack is full ends.
const maxNested = 1000

// ErrNested reports that a text has too many lists and mappings inside each other. It has no values.
var ErrNested = errors.New("has more than 1000 lists and mappings inside each other")

// PlainJSON returns a text in JSON with comments and commas at the ends of lists without these. Spaces replace them, so
// that all else is in the same line and column. Another text is returned as it is. The error is [ErrNested].
func PlainJSON(text []byte) ([]byte, error) {
	if !tame(text, "//") {
		return nil, ErrNested
	}
	if plain, err := hujson.Standardize(append(bytes.Clone(text), '\n')); err == nil { // a comment ends with its line
		return plain[:len(text)], nil
	}
	return text, nil
}

// tame reports whether a text has at most [maxNested] brackets inside each other, and as many dots in a line, which nest the
// tables of TOML. Those in quotes and comments do not count. comment is what a comment to the end of its line begins with.
func tame(src []byte, comment string) bool {
	depth, dots := 0, 0
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case bytes.HasPrefix(src[i:], []byte(comment)):
			i += lineEnd(src[i:]) - 1
		case comment == "//" && bytes.HasPrefix(src[i:], []byte("/*")):
			end := bytes.Index(src[i:], []byte("*/"))
			if end < 0 {
				return true
			}
			i += end + 1
		case c == '"', c == '\'' && comment == "#":
			for quote := c; i+1 < len(src) && src[i+1] != '\n'; {
				if i++; src[i] == quote {
					break
				} else if src[i] == '\\' {
					i++
				}
			}
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

func lineEnd(s []byte) int {
	if i := bytes.IndexByte(s, '\n'); i >= 0 {
		return i
	}
	return len(s)
}
