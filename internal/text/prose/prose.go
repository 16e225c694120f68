// Package prose takes the marks out of Markdown that its readers never see: HTML, MDX, templates, attributes.
//
// [Text] returns what a reader of the published page reads, as Markdown: tags are gone, entities are characters, cells and items
// stand apart, code is as it is written. [Clean] leaves elements of HTML in, for a page that shows them.
//
// The result has the same lines as the text. One pass reads a text: a mark whose end must be looked for costs a part of a budget
// that grows with the text, and without the budget it is text. A line of more than [MaxLine] bytes is not read for marks.
package prose

import (
	"bytes"
	"html"
	"strings"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// MaxLine is the number of bytes up to which a line is read for marks.
const MaxLine = directive.MaxLine

const (
	maxMark    = 8 << 10  // bytes of a tag, an expression or a template
	maxModule  = 64 << 10 // bytes of an import or an export
	maxComment = 256 << 10
)

// Text returns a Markdown text as its readers see it, without front matter being special.
func Text(text string) string { return convert(text, false) }

// Clean returns a Markdown text without what neither readers nor browsers understand. Elements stay.
func Clean(text string) string { return convert(text, true) }

// A converter is the state of one pass.
type converter struct {
	text     string
	out      []byte
	elements bool // stay

	skip    int    // offset up to which the text is left out
	content int    // offset up to which the strings of what is left out are shown
	begin   int    // of the line, in out
	pre     bool   // inside of <pre>
	heading bool   // the line is a heading
	id      string // that the heading names
	titled  bool   // the titles of the tags in the line are written
	left    int    // bytes that may still be looked at for the ends of marks
	modules bool   // the text has lines that begin with import or export
	absent  map[string]int
}

func convert(text string, elements bool) string {
	c := converter{text: text, out: make([]byte, 0, len(text)+len(text)/16), elements: elements, left: 4*len(text) + 64<<10, absent: make(map[string]int)}
	c.modules = strings.Contains(text, "import ") || strings.Contains(text, "export ")
	afterBlank := true // a statement of MDX follows a blank line or another statement
	for l := range directive.Lines(text) {
		from := l.Start + l.Cut
		to := from + len(l.Text)
		trimmed := strings.Trim(l.Text, " \t")
		if elements && c.skip <= l.Start && (trimmed != "" || l.Code != directive.Prose) {
			// the page finds the blocks again
			c.out = append(c.out, text[l.Start:l.Start+l.Cut]...)
		}
		switch {
		case c.skip >= to:
			if c.content > from {
				c.out = append(c.out, literals(l.Text)...)
			}
			trimmed = ""
		case len(l.Text) > MaxLine:
			c.out = append(c.out, text[max(from, c.skip):to]...)
		case c.skip > from, c.pre:
			c.line(max(from, c.skip), to, l)
		case l.Code == directive.Begins && !elements:
			c.out = append(c.out, opening(l.Text)...)
		case l.Code != directive.Prose:
			c.out = append(c.out, l.Text...)
		case c.modules && l.Cut == 0 && afterBlank && c.module(from):
			trimmed = ""
		case l.Marker && !elements && !strings.HasPrefix(trimmed, "<"):
			c.out = append(c.out, l.Title()...)
		case trimmed != "":
			c.line(from, to, l)
		}
		if trimmed != "" {
			afterBlank = false
		} else if l.Code == directive.Prose {
			afterBlank = true
		}
		c.out = append(c.out, text[to:l.End]...)
	}
	return string(c.out)
}

// opening returns the first line of a block of code without its attributes.
func opening(line string) string {
	if i := strings.IndexByte(line, ' '); i > 0 && strings.ContainsAny(line, "{=") {
		return line[:i]
	}
	return line
}

// line writes a line from an offset on without its marks.
func (c *converter) line(from, to int, l directive.Line) {
	trimmed := strings.TrimLeft(c.text[from:to], " \t")
	if !c.elements && strings.HasPrefix(trimmed, "*[") && strings.Contains(trimmed, "]:") && !c.pre {
		return // an abbreviation, which browsers show as a note
	}
	c.begin = len(c.out)
	c.heading, c.id = from == l.Start+l.Cut && strings.HasPrefix(trimmed, "#"), ""
	if c.titled = l.Opens != nil && !strings.HasPrefix(trimmed, "<"); c.titled && !c.elements {
		if title := l.Title(); title != "" {
			c.out = append(c.out, title+" "...)
		}
	}
	if c.pre && from == l.Start+l.Cut && trimmed != "" {
		c.out = append(c.out, "    "...) // it is code, in which nothing begins a heading
	}
	for i := from; i < to; {
		next := strings.IndexAny(c.text[i:to], "<{&`\\![:")
		if next < 0 {
			c.out = append(c.out, c.text[i:to]...)
			break
		}
		c.out = append(c.out, c.text[i:i+next]...)
		i += next
		n, shown := c.mark(i, to)
		if n == 0 {
			n, shown = 1, c.text[i:i+1]
		}
		c.out = append(c.out, shown...)
		if i += n; i > to {
			c.skip = i // the mark ends in another line
		}
	}
	if !c.elements {
		c.out = bytes.TrimRight(c.out, " ")
		if len(bytes.Trim(c.out[c.begin:], "#")) == 0 {
			c.out = c.out[:c.begin] // a heading without text
		}
	}
	if c.id != "" {
		c.out = append(c.out, " {#"+c.id+"}"...)
	}
}

// mark returns the length of the mark at an offset, and what is shown of it. The length is 0 without a mark. A mark may end
// behind the line, which ends at to.
func (c *converter) mark(i, to int) (n int, shown string) {
	line := c.text[i:to]
	switch line[0] {
	case '<':
		return c.angle(i, line)
	case '&':
		return entity(line, c.elements)
	}
	if c.pre {
		return 0, ""
	}
	switch line[0] {
	case '`':
		ticks := len(line) - len(strings.TrimLeft(line, "`"))
		if end := strings.Index(line[ticks:], line[:ticks]); end >= 0 {
			ticks += end + ticks
		}
		return ticks, line[:ticks]
	case '\\':
		if len(line) > 1 && line[1] < utf8.RuneSelf {
			return 2, line[:2]
		}
	case '!':
		if m := picture().FindStringSubmatch(line); m != nil && !c.elements {
			return len(m[0]), m[1]
		}
	case '[':
		if c.heading && strings.HasPrefix(line, "[#") && strings.HasSuffix(strings.TrimRight(line, " \t"), "]") && strings.Count(line, "]") == 1 {
			c.id = strings.Trim(line, "[#] \t")
			return len(line), ""
		}
	case ':':
		return c.colon(line)
	case '{':
		return c.brace(i, line)
	}
	return 0, ""
}

// brace returns the mark that begins with a brace: a template, a comment of MDX, attributes, an expression.
func (c *converter) brace(i int, line string) (n int, shown string) {
	for _, t := range [][2]string{{"{{", "}}"}, {"{%", "%}"}, {"{/*", "*/}"}} {
		if !strings.HasPrefix(line, t[0]) {
			continue
		}
		end := c.find(i+2, t[1], maxMark)
		if end < 0 || strings.Contains(c.text[i:end], "\n\n") {
			return 0, ""
		}
		if t[0] == "{/*" && c.heading && end <= i+len(line) {
			c.name(strings.Trim(c.text[i:end], "{}/*# \t"))
		}
		return end - i, ""
	}
	if end := strings.IndexAny(line[1:], "{}\n"); end >= 0 && line[1+end] == '}' && end < 300 {
		inner := strings.TrimLeft(strings.TrimPrefix(line[1:1+end], ":"), " \t")
		if isAttributes(inner) {
			for _, word := range strings.Fields(inner) {
				if id, ok := strings.CutPrefix(word, "#"); ok && c.heading {
					c.name(id)
				}
			}
			return end + 2, ""
		}
	}
	if strings.HasPrefix(line, `{" "}`) || strings.HasPrefix(line, "{' '}") {
		return 5, " "
	}
	if rest := strings.TrimLeft(c.text[i+1:min(len(c.text), i+200)], " \t\r\n"); rest != "" && strings.IndexByte("[{(`", rest[0]) >= 0 {
		if end := c.balanced(i, maxMark); end > 0 {
			c.data(i, end)
			return end - i, ""
		}
	}
	return 0, ""
}

// name notes the name that a heading has in links, if it is one word.
func (c *converter) name(id string) {
	if id != "" && !strings.ContainsAny(id, " \t{}") {
		c.id = id
	}
}

// isAttributes reports whether a text in braces is attributes: "#id", ".class", "key=value".
func isAttributes(s string) bool {
	if s == "" {
		return false
	}
	if s[0] == '#' || s[0] == '.' {
		return len(s) > 1 && (isName(s[1]) || s[1] >= utf8.RuneSelf)
	}
	key, value, ok := strings.Cut(s, "=")
	return ok && key != "" && value != "" && value[0] != '=' && value[0] != '>' && strings.IndexFunc(key, func(r rune) bool { return r >= utf8.RuneSelf || !isName(byte(r)) }) < 0
}

func isName(b byte) bool {
	return b == '-' || b == '_' || b == '.' || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
}

var (
	// icon finds the name of an icon, and named the name of a heading in docsify.
	icon  = lazyregexp.New(`^:(?:material|octicons|fontawesome|simple)-[\w.-]*:`)
	named = lazyregexp.New(`^:id=([\w.-]*)`)
	// picture finds an image, whose target may have parentheses.
	picture = lazyregexp.New(`^!\[([^\[\]]*)\]\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)`)
)

// colon returns an icon, or the name of a heading.
func (c *converter) colon(line string) (n int, shown string) {
	if m := named().FindStringSubmatch(line); m != nil && c.heading {
		c.name(m[1])
		return len(m[0]), ""
	}
	return len(icon().FindString(line)), ""
}

// entity returns the character that an entity stands for.
func entity(line string, elements bool) (n int, shown string) {
	end := 1
	for end < min(len(line), 40) && (isName(line[end]) || line[end] == '#') {
		end++
	}
	if elements || end < 2 || end == len(line) || line[end] != ';' {
		return 0, ""
	}
	shown = html.UnescapeString(line[:end+1])
	switch {
	case shown == line[:end+1]:
		return 0, ""
	case shown == "\u00a0", shown == "\n", shown == "\r", shown == "\t":
		shown = " "
	case shown == "\u00ad", shown == "\u200b":
		shown = ""
	}
	return end + 1, shown
}

// find returns the offset after the first mark from an offset on, or -1.
func (c *converter) find(from int, mark string, most int) int {
	if absent, ok := c.absent[mark]; ok && from >= absent || c.left <= 0 || from > len(c.text) {
		return -1
	}
	rest := c.text[from:min(len(c.text), from+most)]
	n := strings.Index(rest, mark)
	if n < 0 {
		c.left -= len(rest)
		if len(rest) < most {
			c.absent[mark] = from
		}
		return -1
	}
	c.left -= n
	return from + n + len(mark)
}
