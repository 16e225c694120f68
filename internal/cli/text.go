package cli

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// printable is a path for a terminal: quoted where it holds what would not print as itself.
func printable(path string) string {
	for _, r := range path {
		if r == utf8.RuneError || !strconv.IsPrint(r) {
			return strconv.Quote(path)
		}
	}
	return path
}

// slug is a name with letters, digits and hyphens only, as clients want the name of a server.
func slug(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9') })
	if len(words) == 0 {
		return "docs"
	}
	return strings.Join(words, "-")
}
