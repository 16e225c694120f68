package cli

import (
	"cmp"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
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

// serverName is a name as clients want that of a server.
func serverName(s string) string { return cmp.Or(bundle.Slug(s), "docs") }
