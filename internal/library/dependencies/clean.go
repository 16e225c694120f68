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
	var out strings.Builder
	pos := 0
	copyTo := func(end int) {
		out.WriteString(text[pos:end])
		pos = end
	}
	for line := range directive.Lines(text) {
		for line.Code == directive.Prose && pos < line.End {
			i := strings.IndexAny(text[pos:line.End], "`<")
			if i < 0 {
				break
			}
			copyTo(pos + i)
			switch rest := text[pos:]; {
			case rest[0] == '`':
				run := len(rest) - len(strings.TrimLeft(rest, "`"))
				copyTo(pos + run + codeEnd(rest[run:], run))
			case strings.HasPrefix(rest, "<!--"):
				stop := len(rest)
				if n := strings.Index(rest[2:], "-->"); n >= 0 { // "<!-->" is a whole comment
					stop = 2 + n + len("-->")
				}
				out.WriteString(strings.Repeat("\n", strings.Count(rest[:stop], "\n")))
				pos += stop
			default:
				copyTo(pos + 1)
			}
		}
		copyTo(max(pos, line.End))
	}
	return out.String()
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
