package capability

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// Bounds of titles and descriptions in bytes.
const (
	maxTitle       = 120
	maxDescription = 240
)

// line returns a text of a file as one line of at most n bytes, without invisible characters.
func line(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(excerpt.Cut(s, 4*n), "\ufffd"))
	return excerpt.Ellipsis(excerpt.OneLine(s), max(n, len("…")))
}

// special are the characters with a meaning in the middle of a line of Markdown.
const special = "\\`*_[]<>&|~"

// prose returns a text of a file as Markdown that shows it on one line.
func prose(s string, n int) string {
	var b strings.Builder
	for _, r := range line(s, n) {
		if strings.ContainsRune(special, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// code returns a name, which must be one line, as code in Markdown.
func code(s string) string {
	longest := excerpt.Backticks(s)
	if longest == 0 && strings.TrimSpace(s) == s && s != "" {
		return "`" + s + "`"
	}
	fence := strings.Repeat("`", longest+1)
	return fence + " " + s + " " + fence
}

// maxWord bounds a name that must not be cut: each byte that is not UTF-8 becomes U+FFFD.
func maxWord(name string) int { return 3*len(name) + 3 }

// word returns a name with any characters as code. If it has invisible characters, it is
// percent-encoded, which the tools understand.
func word(name string) string {
	if line(name, maxWord(name)) == name {
		return code(name)
	}
	var b []byte
	for i, segment := range strings.Split(name, "/") {
		if i > 0 {
			b = append(b, '/')
		}
		b = uri.AppendSegment(b, segment)
	}
	return code(string(b))
}

// described joins a title and a description, either of which may be missing, after a space.
func described(title, description string) string {
	parts := slices.Compact([]string{prose(title, maxTitle), prose(description, maxDescription)})
	if parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" }); len(parts) == 0 {
		return ""
	}
	return " " + strings.Join(parts, ": ")
}

// number writes a number with commas between thousands.
func number[N int | int64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural writes a number of things, whose plural ends in "s".
func plural[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return number(n) + " " + thing + "s"
}
