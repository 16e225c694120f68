// Package frontmatter finds the YAML at the start of a Markdown file, and reads the title and the
// description in it. Documents, resources and prompts all use it, so they agree.
//
// Front matter is the text between a first line "---", which a byte order mark may precede, and the
// next such line. If it is longer than [MaxSize], the first line is a thematic break instead.
package frontmatter

import (
	"fmt"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// MaxSize is the maximum size of front matter in bytes, without the lines around it.
const MaxSize = 64 << 10

// A Block is the front matter of a text.
type Block struct {
	YAML string // between the lines, with its last line end, or TOML
	End  int    // offset of the text after it
	Line int    // line of the text after it, from 1
	TOML bool   // it is TOML, see [After]
}

// Find returns the front matter of a text. For a text without front matter, it returns the zero
// Block with Line 1. began reports whether the first line begins front matter, even if no line
// closes it.
func Find(text string) (b Block, began bool) { return find(text, "---") }

// After is Find for readers of the text after the front matter, which may also be TOML between two lines "+++".
func After(text string) Block {
	b, began := Find(text)
	if !began {
		b, b.TOML = find(text, "+++")
	}
	return b
}

func find(text, mark string) (b Block, began bool) {
	isMark := func(line string) bool { return strings.TrimRight(line, " \t\r") == mark }
	start := len(text) - len(strings.TrimPrefix(text, "\ufeff"))
	first, _, ended := strings.Cut(text[start:], "\n")
	if !isMark(first) {
		return Block{Line: 1}, false
	}
	if !ended {
		return Block{Line: 1}, true
	}
	begin := start + len(first) + 1
	for offset, line := begin, 2; offset < len(text) && offset-begin <= MaxSize; line++ {
		raw, _, _ := strings.Cut(text[offset:], "\n")
		next := min(offset+len(raw)+1, len(text))
		if isMark(raw) {
			return Block{YAML: text[begin:offset], End: next, Line: line + 1}, true
		}
		offset = next
	}
	return Block{Line: 1}, true
}

// Described returns the description of a page that lacks something, or the description alone if lacks is "".
func Described(description, lacks string) string {
	if lacks == "" {
		return description
	}
	return strings.TrimSpace("Incomplete: " + lacks + " " + description)
}

// Quoted returns a string literal that is valid in both JSON and YAML (YAML 1.2.2, 5.1).
func Quoted(s string) string {
	var b strings.Builder
	for _, r := range string(jsonwire.AppendString(nil, s)) {
		if r >= 0x7f && r < 0xa0 || r == 0xfeff || r == 0xfffe || r == 0xffff { // JSON allows it
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
