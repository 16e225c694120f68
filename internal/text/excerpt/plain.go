package excerpt

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// maxHeading is the maximum length of a heading in bytes. A longer line is not meant as a heading.
const maxHeading = 300

// plain returns the text of a heading without its markup, and its explicit name ("{#name}").
func plain(raw string) (text, id string) {
	raw = strings.TrimSpace(Cut(raw, 4*maxHeading))
	if closed := strings.TrimRight(raw, "#"); closed == "" || strings.HasSuffix(closed, " ") || strings.HasSuffix(closed, "\t") {
		raw = strings.TrimSpace(closed)
	}
	if at := strings.LastIndex(raw, "{#"); at >= 0 && strings.HasSuffix(raw, "}") {
		raw, id = strings.TrimSpace(raw[:at]), strings.ToLower(raw[at+2:len(raw)-1])
	}
	return Cut(Plain(raw), maxHeading), id
}

// Plain returns a line of Markdown, such as a heading or a sentence, without its inline markup. Of more than 1,200 bytes,
// it reads the first ones.
func Plain(line string) string {
	line = Cut(line, 4*maxHeading)
	var b strings.Builder
	closing := make(map[int]bool) // indexes of underscores that end an emphasis
	for i := 0; i < len(line); {
		n, shown := markup(line, i, closing)
		b.WriteString(shown)
		i += n
	}
	return strings.TrimSpace(b.String())
}

// inlineHTML matches the HTML in a heading that readers do not see. Other names in angle brackets,
// such as the parameters of a generic type, stay.
var inlineHTML = lazyregexp.New(`(?i)^(?:<!--.*?-->|</?(?:a|abbr|b|br|code|del|details|div|em|font|i|img|ins|kbd|mark|p|q|s|samp|small|span|strong|sub|summary|sup|u|var)(?:\s[^<>]*)?/?>)`)

// autolink is a URI in angle brackets.
var autolink = lazyregexp.New(`^<([A-Za-z][A-Za-z0-9+.-]+:[^<>\s]*)>`)

// markup returns the length of the markup at s[i:], and its visible text.
func markup(s string, i int, closing map[int]bool) (n int, shown string) {
	rest := s[i:]
	switch c := rest[0]; c {
	case '\\':
		if len(rest) > 1 && rest[1] < utf8.RuneSelf && unicode.In(rune(rest[1]), unicode.P, unicode.S) {
			return 2, rest[1:2]
		}
	case '`':
		ticks := len(rest) - len(strings.TrimLeft(rest, "`"))
		if code, _, ok := strings.Cut(rest[ticks:], rest[:ticks]); ok {
			return 2*ticks + len(code), code
		}
		return ticks, ""
	case '*':
		if i > 0 && s[i-1] == ' ' && len(rest) > 1 && rest[1] == ' ' { // a multiplication
			return 1, "*"
		}
		return 1, ""
	case '~':
		if strings.HasPrefix(rest, "~~") {
			return 2, ""
		}
	case '_':
		run := len(rest) - len(strings.TrimLeft(rest, "_"))
		if closing[i] {
			return run, ""
		}
		if end, ok := emphasized(s, i, run); ok {
			closing[end] = true
			return run, ""
		}
		return run, rest[:run]
	case '<':
		if m := autolink().FindStringSubmatch(rest); m != nil {
			return len(m[0]), m[1]
		}
		if tag := inlineHTML().FindString(rest); tag != "" {
			return len(tag), ""
		}
	case '!':
		if strings.HasPrefix(rest, "![") {
			return 1, ""
		}
	case '[':
		return 1, ""
	case ']':
		return 1 + target(rest[1:]), ""
	}
	return 1, rest[:1]
}

// emphasized returns the index of the closing run of as many underscores as the run at i.
// Underscores count only at the ends of words.
func emphasized(s string, i, run int) (end int, ok bool) {
	inWord := func(r rune, size int) bool { return size > 0 && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
	begin := i + run
	if inWord(utf8.DecodeLastRuneInString(s[:i])) || begin == len(s) || s[begin] == ' ' {
		return 0, false
	}
	for j := begin; ; {
		at := strings.IndexByte(s[j:], '_')
		if at < 0 {
			return 0, false
		}
		at += j
		j = at + len(s[at:]) - len(strings.TrimLeft(s[at:], "_"))
		if j-at == run && s[at-1] != ' ' && !inWord(utf8.DecodeRuneInString(s[j:])) {
			return at, true
		}
	}
}

// target returns the length in bytes of the target of a link, in parentheses or as a reference.
func target(s string) int {
	if strings.HasPrefix(s, "[") {
		return strings.IndexByte(s, ']') + 1
	}
	if !strings.HasPrefix(s, "(") {
		return 0
	}
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return strings.IndexByte(s, ')') + 1 // more parentheses are opened than closed
}
