package glob

import (
	"regexp"
	"strings"
)

// Expression returns a regular expression for the same names, without anchors, in a form that has
// the same meaning in Go, JavaScript and the regex engine of Rust. ok is false if the pattern has
// characters that are not ASCII or that a URL path must encode.
func (g *Glob) Expression() (text string, ok bool) {
	expressions := make([]string, len(g.patterns))
	for i, pattern := range g.patterns {
		if expressions[i], ok = expression(pattern); !ok {
			return "", false
		}
	}
	text = "(?:" + strings.Join(expressions, "|") + ")"
	_, err := regexp.Compile(text) // the range of a class may be reversed, which is an error
	return text, err == nil
}

// expression returns the expression for a valid pattern without braces.
func expression(pattern string) (string, bool) {
	var b strings.Builder
	class := false
	for i := 0; i < len(pattern); i++ {
		c, rest := pattern[i], pattern[i:]
		start := i == 0 || pattern[i-1] == '/'
		switch {
		case class && c == ']':
			class = false
			b.WriteByte(c)
		case class && c == '-':
			b.WriteByte(c)
		case !class && c == '[':
			class = true
			b.WriteByte(c)
			if next := pattern[i+1]; next == '!' || next == '^' {
				b.WriteByte('^')
				i++
			}
		case !class && rest == "/**":
			b.WriteString(`(?:/[^/]*)*`)
			return b.String(), true
		case !class && start && rest == "**":
			b.WriteString(`.*`)
			return b.String(), true
		case !class && start && strings.HasPrefix(rest, "**/"):
			b.WriteString(`(?:[^/]*/)*`)
			i += 2
		case !class && c == '*':
			b.WriteString(`[^/]*`)
			i += len(rest) - len(strings.TrimLeft(rest, "*")) - 1
		case !class && c == '?':
			b.WriteString(`[^/]`)
		default:
			if c == '\\' {
				i++
				c = pattern[i]
			}
			if c <= ' ' || c >= 0x7f || strings.IndexByte(`"%<>^{|}`+"`", c) >= 0 {
				return "", false
			}
			if strings.IndexByte(`\.+*?()[]$#&-~`, c) >= 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		}
	}
	return b.String(), true
}
