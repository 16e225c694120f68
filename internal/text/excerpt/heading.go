package excerpt

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
)

// A Heading is a heading of a document as in CommonMark, except that it must not begin a list item
// or be in a quote. Text that is indented by more than three columns in a list counts as code, and
// a line that begins with "<" or "|" does not count as text.
type Heading struct {
	Text       string // without markup
	Slug       string // name of the heading in links
	Level      int    // 1 to 6
	Line       int    // from 1
	Start, End int    // offsets in bytes of the heading and of the end of the text below it
}

// MaxHeadings is the maximum number of headings of a document; the section of the last one extends
// to the end of the document. It bounds the memory, because a Heading takes many times the two
// bytes of the shortest heading.
const MaxHeadings = 50_000

// Headings finds the headings of a document in one pass over its lines. It ignores front matter,
// fenced code, HTML elements such as <pre>, and HTML comments that begin a line.
func Headings(text string) []Heading {
	front := frontmatter.After(text)
	return headingsAfter(text, max(front.End, len(text)-len(strings.TrimPrefix(text, "\ufeff"))), front.Line)
}

// headingsAfter is Headings for the text from an offset, at which a line begins, on.
func headingsAfter(text string, offset, line int) []Heading {
	o := outline{seen: make(map[string]int)}
	depth := 0
	for l := range directive.Lines(text[offset:]) {
		if l.Marker || l.Depth != depth {
			depth, o.paragraph, o.lazy, o.item = l.Depth, "", false, 0
		}
		if !l.Marker {
			o.take(l.Text, Heading{Line: line, Start: offset + l.Start, End: offset + l.End})
		}
		if line++; len(o.found) == MaxHeadings {
			break
		}
	}
	return o.found
}

// An outline is the state of the parser after a line.
type outline struct {
	found []Heading
	seen  map[string]int // slugs

	fence  directive.Fence // of the current code block, or ""
	within int             // minimum indent of that code block: the block ends with its list item
	quoted bool            // that code block is in a quote and ends with it
	until  string          // the end of the current HTML block, or ""

	item int  // indent of the contents of the current list item; 0 for none
	lazy bool // the line may continue a paragraph of a list item or quote

	paragraph string  // the lines of the current paragraph
	begin     Heading // position of the first line of the paragraph
}

// take reads one line; h holds its position. Its cases are the kinds of lines, in the order in which they are tried.
func (o *outline) take(raw string, h Heading) {
	columns, s := directive.Indent(strings.TrimRight(raw, " \t\r"))
	if o.code(columns, s) || o.html(s) {
		return
	}
	switch {
	case s == "":
		o.paragraph, o.lazy = "", false
		return
	case columns > 3: // code, unless it continues a paragraph
		if o.paragraph != "" {
			o.text(s, h)
		}
		return
	case o.paragraph != "" && columns >= o.item && (isRun(s, '=') || isRun(s, '-')):
		level := 1
		if s[0] == '-' {
			level = 2
		}
		o.add(Heading{Level: level, Line: o.begin.Line, Start: o.begin.Start, End: h.End}, o.paragraph)
		o.paragraph, o.lazy, o.item = "", false, 0
		return
	case isRule(s):
		o.paragraph, o.lazy, o.item = "", false, 0
		return
	}
	if inner, width, quoted := container(s); inner != s {
		// The next line cannot continue a heading or an empty line.
		o.paragraph, o.lazy, o.item = "", inner != "" && Level(inner) == 0, columns+width
		if o.fence.Read(inner) {
			o.within, o.quoted, o.lazy = o.item, quoted, false
		}
		if s[0] == '>' { // indented text after a quote is not part of it
			o.item = 0
		}
		return
	}
	if columns < o.item && !o.lazy && o.paragraph == "" {
		o.item = 0
	}
	switch level := Level(s); {
	case directive.OpenFence(s) != "":
		o.fence, o.within, o.quoted = directive.Fence(directive.OpenFence(s)), 0, false
		if columns >= o.item {
			o.within = o.item
		}
	case level > 0:
		h.Level = level
		o.add(h, s[level:])
	case opensHTML(s) != "":
		if o.until = opensHTML(s); contains(s, o.until) {
			o.until = ""
		}
	case s[0] == '|' || s[0] == '<': // part of a table or of HTML
	default:
		o.text(s, h)
		return
	}
	o.paragraph, o.lazy = "", false
	if columns < o.item { // the list ends here
		o.item = 0
	}
}

// Level returns the level of the heading that a line is, if it has marks before its text, or 0.
func Level(s string) int {
	level := len(s) - len(strings.TrimLeft(s, "#"))
	if level > 6 || len(s) > level && s[level] != ' ' && s[level] != '\t' {
		return 0
	}
	return level
}

// code reports whether the line is in fenced code, or ends it.
func (o *outline) code(columns int, s string) bool {
	if o.fence == "" {
		return false
	}
	if o.quoted {
		inner, _, quoted := container(s)
		if !quoted {
			o.fence = ""
			return false
		}
		s = inner
	} else if s != "" && columns < o.within {
		o.fence = ""
		return false
	}
	if columns < o.within+4 {
		o.fence.Read(s)
	}
	return true
}

// html reports whether the line is in HTML that contains no Markdown, or ends it.
func (o *outline) html(s string) bool {
	if o.until == "" {
		return false
	}
	if contains(s, o.until) {
		o.until = ""
	}
	return true
}

// text begins or continues a paragraph with the line.
func (o *outline) text(s string, h Heading) {
	switch most := 4 * maxHeading; {
	case o.lazy:
	case o.paragraph == "":
		o.paragraph, o.begin = Cut(s, most), h
	case len(o.paragraph) < most:
		o.paragraph += " " + Cut(s, most)
	}
}

func (o *outline) add(h Heading, raw string) {
	h.Text, h.Slug = plain(raw)
	if h.Slug == "" {
		name := Anchor(h.Text)
		n := o.seen[name]
		o.seen[name] = n + 1
		if h.Slug = name; n > 0 {
			h.Slug += "-" + strconv.Itoa(n)
		}
	}
	o.found = append(o.found, h)
}

// Slug returns the name in links of a heading with markup. It is without the number that distinguishes headings of
// the same name.
func Slug(raw string) string {
	text, id := plain(raw)
	return cmp.Or(id, Anchor(text))
}

// container returns the rest of a line after the marks of list items and quotes at its start, the
// indent of that rest relative to the first mark, and whether one of the marks belongs to a quote.
func container(s string) (inner string, width int, quoted bool) {
	inner = s
	for {
		mark := 0
		digits := len(inner) - len(strings.TrimLeft(inner, "0123456789"))
		switch {
		case inner == "":
			return inner, width, quoted
		case inner[0] == '>':
			mark, quoted = 1, true
		case strings.ContainsRune("-+*", rune(inner[0])):
			mark = 1
		case 1 <= digits && digits <= 9 && digits < len(inner) && (inner[digits] == '.' || inner[digits] == ')'):
			mark = digits + 1
		}
		columns, rest := directive.Indent(inner[mark:])
		if mark == 0 || columns == 0 && rest != "" && inner[0] != '>' {
			return inner, width, quoted
		}
		width += mark + columns
		inner = rest
	}
}

// isRun reports whether a line consists only of that character.
func isRun(s string, c byte) bool { return s != "" && strings.Trim(s, string(rune(c))) == "" }

// isRule reports whether a line is a thematic break: three or more of one character, with or
// without spaces between them.
func isRule(s string) bool {
	if strings.IndexByte("-*_", s[0]) < 0 {
		return false
	}
	n := 0
	for i := range len(s) {
		switch s[i] {
		case s[0]:
			n++
		case ' ', '\t':
		default:
			return false
		}
	}
	return n >= 3
}

// opensHTML returns the end of the HTML that a line begins, if that HTML contains no Markdown
// (CommonMark, HTML blocks 1 and 2).
func opensHTML(s string) string {
	if strings.HasPrefix(s, "<!--") {
		return "-->"
	}
	for _, name := range []string{"pre", "script", "style", "textarea"} {
		if n := len(name) + 1; s[0] == '<' && len(s) >= n && strings.EqualFold(s[1:n], name) && (len(s) == n || strings.IndexByte(" \t>", s[n]) >= 0) {
			return "</" + name + ">"
		}
	}
	return ""
}

func contains(s, lower string) bool { return strings.Contains(strings.ToLower(s), lower) }

// Anchor returns the name of a heading in links: lower case, hyphens for spaces, no punctuation.
func Anchor(text string) string {
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
