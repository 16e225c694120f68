package dependencies

import (
	"strings"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
)

// Clean removes from Markdown what people do not see on a page but a model reads: HTML comments outside of code, tag
// characters, and controls of the direction of text. Joiners and variation selectors stay: scripts and emoji need them.
// Line ends stay, so lines keep their numbers. Bytes that are not UTF-8 become U+FFFD.
func Clean(text string) string {
	text = strings.Map(func(r rune) rune {
		if r >= 0xe0000 && r <= 0xe007f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 ||
			r == 0x200e || r == 0x200f || r == 0x061c {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, string(utf8.RuneError)))
	if !strings.Contains(text, "<!--") {
		return text
	}
	c := cleaner{text: text}
	for line := range directive.Lines(text) {
		if line.Code == directive.Prose {
			c.line(line.End)
		} else {
			c.copyTo(max(c.pos, line.End))
		}
	}
	return c.out.String()
}

const commentStart, commentEnd = "<!--", "-->"

// A cleaner copies a text without its comments.
type cleaner struct {
	text string
	pos  int
	out  strings.Builder
}

func (c *cleaner) copyTo(end int) {
	c.out.WriteString(c.text[c.pos:end])
	c.pos = end
}

// line copies a line without comments and moves behind it, or behind the end of a comment that begins in it.
func (c *cleaner) line(end int) {
	for c.pos < end {
		rest := c.text[c.pos:end]
		i := strings.IndexAny(rest, "`<")
		if i < 0 {
			c.copyTo(end)
			return
		}
		c.copyTo(c.pos + i)
		switch rest = c.text[c.pos:]; {
		case rest[0] == '`':
			run := len(rest) - len(strings.TrimLeft(rest, "`"))
			c.copyTo(c.pos + run)
			if n := codeEnd(c.text[c.pos:], run); n > 0 {
				c.copyTo(c.pos + n)
			}
		case strings.HasPrefix(rest, commentStart):
			stop := len(rest)
			if n := strings.Index(rest[len(commentStart)-2:], commentEnd); n >= 0 { // "<!-->" is a whole comment
				stop = len(commentStart) - 2 + n + len(commentEnd)
			}
			c.out.WriteString(strings.Repeat("\n", strings.Count(rest[:stop], "\n")))
			c.pos += stop
		default:
			c.copyTo(c.pos + 1)
		}
	}
}

// maxSpan bounds the code in a line of text, so that a text of backticks costs little.
const maxSpan = 64 << 10

// codeEnd returns where the code ends that a run of backticks before the text opens, or 0 if nothing in the paragraph
// closes it.
func codeEnd(text string, run int) int {
	text = text[:min(len(text), maxSpan)]
	for i := 0; i < len(text); {
		k := strings.IndexByte(text[i:], '`')
		if k < 0 || strings.Contains(strings.ReplaceAll(text[i:i+k], "\r", ""), "\n\n") {
			return 0
		}
		i += k
		n := len(text[i:]) - len(strings.TrimLeft(text[i:], "`"))
		if i += n; n == run {
			return i
		}
	}
	return 0
}
