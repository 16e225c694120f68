package prompts

import (
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// cutIndent removes up to three leading spaces of a line. A line with more is code or continues a
// list (CommonMark 4.4, 5.2).
func cutIndent(s string) (string, bool) {
	rest := strings.TrimLeft(s, " ")
	return rest, len(s)-len(rest) <= 3
}

// inCode reads the next line, and reports whether it belongs to code.
func inCode(f *directive.Fence, line string) bool {
	if line, ok := cutIndent(line); ok {
		return f.Read(line)
	}
	return *f != ""
}

// linkOf returns the link that a line consists of, or nil. The text with NUL for placeholders decides what the line is in Markdown, so
// that no value can be part of the syntax. Whether its URI names a resource may depend on the values.
func linkOf(t Template) *PartLink {
	s, ok := cutIndent(t.Text)
	s = strings.TrimRight(s, " \t")
	image := strings.HasPrefix(s, "!")
	s = strings.TrimPrefix(s, "!")
	if !ok || !strings.HasPrefix(s, "[") || !strings.HasSuffix(s, ")") {
		return nil
	}
	end := closing(s)
	if end < 0 || !strings.HasPrefix(s[end:], "](") {
		return nil
	}
	inner := s[end+2 : len(s)-1]
	found, from, past := 0, 0, 0
	excerpt.Targets("[]("+inner+")", func(_ string, start, end int) { found, from, past = found+1, start-3, end-3 })
	if found != 1 || from == past || strings.Trim(inner[:from], " \t<") != "" || !isTitle(strings.TrimPrefix(inner[past:], ">")) {
		return nil
	}
	dest, start := inner[from:past], strings.Index(t.Text, s)+end+2+from
	before := strings.Count(t.Text[:start], slot)
	to := Template{excerpt.Unescape(dest), t.Arguments[before : before+strings.Count(dest, slot)]}
	if len(to.Arguments) == 0 && !isResource(to.Text) {
		return nil
	}
	return &PartLink{to, image}
}

// closing returns the offset of the bracket that closes the one at the start of s, or -1.
func closing(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// isTitle reports whether s may follow the destination of a link: it is empty, or a title in quotes
// or parentheses after a space.
func isTitle(s string) bool {
	t := strings.Trim(s, " \t")
	if t == "" {
		return true
	}
	marks := t[:1] + t[len(t)-1:]
	return (s[0] == ' ' || s[0] == '\t') && len(t) > 1 && (marks == `""` || marks == "''" || marks == "()") && !strings.ContainsAny(t[1:len(t)-1], marks)
}

// isResource reports whether a string may be the URI of a resource of this server.
func isResource(s string) bool {
	scheme, path, ok := strings.Cut(s, "://")
	if !ok || path == "" || len(s) > uri.MaxLength || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7F }) {
		return false
	}
	scheme, ok = uri.Scheme(scheme)
	switch scheme {
	case "http", "https", "mailto", "data":
		return false
	}
	return ok
}
