// Package markup reads documents that are not written in Markdown by their lines: reStructuredText, AsciiDoc, Org and notebooks.
package markup

import (
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// A Line is a line of a document.
type Line struct {
	Raw   string
	Text  string // as Markdown for a search; of a heading, its title
	End   string // what ends it
	Level int    // of a heading; 0: it is none
	// it is in a block of code: the first line, which may be a directive, is not
	Code bool
}

// maxMarked is the number of bytes up to which a line is read for marks.
const maxMarked = directive.MaxLine

var compile = lazyregexp.Compiled
