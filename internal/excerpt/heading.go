package excerpt

import (
	"strconv"
	"strings"
	"unicode"
)

// A Heading is one of a document, as CommonMark has them, except that it must not stand in a list or quote.
type Heading struct {
	Text       string // without markup
	Slug       string // as in links to it
	Level      int    // 1 to 6
	Line       int    // from 1
	Start, End int    // offsets in bytes of its line, and of the text below it
}

// Headings finds the headings of a document in one pass over its lines. Those in its front matter, in fenced code and
// in HTML comments that begin a line are none.
func Headings(text string) []Heading {
	var found []Heading
	seen := make(map[string]int)
	add := func(h Heading, raw string) {
		h.Text, h.Slug = plain(raw)
		if h.Slug == "" {
			h.Slug = slug(h.Text)
			if n := seen[h.Slug]; n > 0 {
				h.Slug += "-" + strconv.Itoa(n)
			}
			seen[slug(h.Text)]++
		}
		found = append(found, h)
	}
	front, line := FrontMatter(text)
	at := max(len(front), len(text)-len(strings.TrimPrefix(text, "\ufeff")))
	fence, comment, before, beforeAt := "", false, "", 0
	for ; at < len(text); line++ {
		start := at
		raw, _, _ := strings.Cut(text[at:], "\n")
		at = min(at+len(raw)+1, len(text))
		s := strings.TrimRight(raw, " \t\r")
		trimmed := strings.TrimLeft(s, " ")
		indented := len(s)-len(trimmed) > 3 || strings.HasPrefix(trimmed, "\t")
		last := before
		before = ""
		switch {
		case fence != "":
			if !indented && strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, fence[:1]) == "" {
				fence = ""
			}
		case comment:
			comment = !strings.Contains(s, "-->")
		case indented || trimmed == "":
		case strings.HasPrefix(trimmed, "<!--"):
			comment = !strings.Contains(s, "-->")
		case fenceOf(trimmed) != "":
			fence = fenceOf(trimmed)
		case trimmed[0] == '#':
			level := len(trimmed) - len(strings.TrimLeft(trimmed, "#"))
			if rest := trimmed[level:]; level <= 6 && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
				add(Heading{Level: level, Line: line, Start: start, End: at}, rest)
			}
		case last != "" && (strings.Trim(trimmed, "=") == "" || strings.Trim(trimmed, "-") == ""):
			level := 1
			if trimmed[0] == '-' {
				level = 2
			}
			add(Heading{Level: level, Line: line - 1, Start: beforeAt, End: at}, last)
		case !strings.ContainsRune("-+*>|<", rune(trimmed[0])):
			before, beforeAt = trimmed, start
		}
	}
	return found
}

// fenceOf returns the fence that a line opens.
func fenceOf(line string) string {
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(line, c)
		if n := len(line) - len(rest); n >= 3 && (c == "~" || !strings.Contains(rest, c)) {
			return line[:n]
		}
	}
	return ""
}

// plain returns the text of a heading without its markup, and the name that it gives itself ("{#name}").
func plain(raw string) (text, id string) {
	const most = 300 // bytes; a longer heading is no heading but an accident
	raw = strings.TrimSpace(Cut(raw, 4*most))
	if closed := strings.TrimRight(raw, "#"); closed == "" || strings.HasSuffix(closed, " ") {
		raw = strings.TrimSpace(closed)
	}
	if at := strings.LastIndex(raw, "{#"); at >= 0 && strings.HasSuffix(raw, "}") {
		raw, id = strings.TrimSpace(raw[:at]), strings.ToLower(raw[at+2:len(raw)-1])
	}
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '`' || c == '*':
		case c == '!' && strings.HasPrefix(raw[i:], "!["):
		case c == '[':
		case c == ']':
			if strings.HasPrefix(raw[i:], "](") {
				if end := strings.IndexByte(raw[i:], ')'); end > 0 {
					i += end
				}
			}
		default:
			b.WriteByte(c)
		}
	}
	return Cut(strings.TrimSpace(b.String()), most), id
}

// slug is how links name a heading: lower case, hyphens for spaces, no punctuation.
func slug(text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}
