package command

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/clients"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
)

// Count returns a number with its noun.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Printable returns a path for a terminal: quoted if it contains unprintable characters.
func Printable(path string) string {
	for _, r := range path {
		if r == utf8.RuneError || !strconv.IsPrint(r) {
			return strconv.Quote(path)
		}
	}
	return path
}

// Place returns a place in a file, FILE:LINE:COLUMN, without parts that are 0.
func Place(path string, line, column int) string {
	place := Printable(path)
	for _, n := range []int{line, column} {
		if n <= 0 {
			break
		}
		place += fmt.Sprintf(":%d", n)
	}
	return place
}

// ServerName returns a name in the form and length that clients require for a server.
func ServerName(s string) string {
	name := cmp.Or(bundle.Slug(s), "docs")
	return strings.Trim(name[:min(len(name), clients.MaxName)], "-")
}
