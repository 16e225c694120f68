package excerpt

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// A Heading is a heading of a document as in CommonMark, except that it must not begin a list item
// or be in a quote. Text that is indented by more than three columns in a list counts as code, and
// a line that begins with "<" or "|" does not count as text.
type Heading struct {
	Text  string // without markup
	Slug  string // name of the heading in links
	Level int    // 1 to 6
	Line  int    // from 1
	// offsets in bytes of the heading and of the end of the text below it
	Start, End int
}

// MaxHeadings is the maximum number of headings of a document: the text after the last one belongs to its
// section. It bounds the memory, because a Heading takes many times the two
// bytes of the shortest heading.
const MaxHeadings = 50_000

// Headings finds the headings of a document in one pass over its lines. It ignores front matter,
// fenced code, HTML elements such as <pre>, and HTML comments that begin a line.
func Headings(text string) []Heading {
	front := frontmatter.After(text)
	offset, line := max(front.End, len(text)-len(strings.TrimPrefix(text, "\ufeff"))), front.Line
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

	fence directive.Fence // of the current code block, or ""
	// minimum indent of that code block: the block ends with its list item
	within int
	quoted bool   // that code block is in a quote and ends with it
	until  string // the end of the current HTML block, or ""

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
func isRule(s string) bool { return strings.IndexByte("-*_", s[0]) >= 0 && rule().MatchString(s) }

var rule = lazyregexp.New(`^(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$`)

// opensHTML returns the end of the HTML that a line begins, if that HTML contains no Markdown
// (CommonMark, HTML blocks 1 and 2).
func opensHTML(s string) string {
	if strings.HasPrefix(s, "<!--") {
		return "-->"
	}
	if m := htmlBlock().FindStringSubmatch(s); m != nil {
		return "</" + strings.ToLower(m[1]) + ">"
	}
	return ""
}

var htmlBlock = lazyregexp.New(`(?i)^<(pre|script|style|textarea)(?:[ \t>]|$)`)

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

// ids matches the ids that texts of all formats define in a line: {#id}, <a name=id>, [[id]], [#id], (label)=, ".. _label:" and options
// such as ":name: id".
const ids = `\{[^{}]{0,200}#([\w:./-]+)[^{}]{0,200}\}|\b(?:id|name|title|label|header|path|query|body|permalink|anchor)\s*[=:]\s*(?:"([^"]{1,200})"|'([^']{1,200})'|([^\s"',\]>]+))` +
	`|\{/\*\s*#?([^\s*]{1,200})\s*\*/\}|\[\[\[?([^\[\],\s]{1,200})[^\]]{0,200}\]\]|\[[\w-]*#([^\],.%\s]+)|anchor:([^\[\s]{1,200})\[|^\(([^)]+)\)=|^\s*:(?:name|label):\s*(\S+)|\$\$[ \t]*\(([^)]{1,200})\)\s*$|^\[\^([^\]\s]+)\]:` +
	"|\\.\\. _`?([^:`]{1,200})`?:"

// IDs matches the ids that a line of a text defines. One of the groups is the id.
var IDs = lazyregexp.New(ids)

// between matches what may stand between an id and the heading that it names.
var between = lazyregexp.New(ids + `|<[^<>]{0,300}>`)

// A Section is a heading with the text below it, up to the next heading of its level or above.
type Section struct {
	Heading
	Text string // including the line of the heading
}

// FindSection returns the first section of a text whose heading has the requested text, ignoring
// case, or the requested name in links, with or without "#" before it, or else the same letters and digits: generators
// of sites name headings in different ways. If no heading has the name, the section is that in which the text defines it as an id.
func FindSection(text string, headings []Heading, asked string) (Section, bool) {
	want := strings.TrimSpace(strings.TrimLeft(asked, "#"))
	if want == "" {
		return Section{}, false
	}
	slugged := Anchor(want)
	index := -1
	for i, h := range headings {
		if strings.EqualFold(h.Text, want) || h.Slug == strings.ToLower(want) {
			index = i
			break
		}
		if index < 0 && slugged != "" && (h.Slug == slugged || Anchor(h.Text) == slugged) {
			index = i
		}
	}
	if letters := lettersOf(slugged); index < 0 && letters != "" {
		index = slices.IndexFunc(headings, func(h Heading) bool { return lettersOf(h.Slug) == letters || lettersOf(Anchor(h.Text)) == letters })
	}
	if index < 0 {
		index = defining(text, headings, want)
	}
	if index < 0 {
		return Section{}, false
	}
	h := headings[index]
	return Section{h, text[h.Start:SectionEnd(text, headings, index)]}, true
}

// defining returns the index of the heading in whose section, or directly before which, a text defines an id; -1: there is none.
func defining(text string, headings []Heading, id string) int {
	low, offset := strings.ToLower(id), 0
	for line := range strings.Lines(text) {
		if len(line) <= directive.MaxLine && strings.Contains(strings.ToLower(line), low) &&
			slices.ContainsFunc(IDs().FindAllStringSubmatch(line, 100), func(m []string) bool { return strings.EqualFold(strings.Join(m[1:], ""), id) }) {
			next, _ := slices.BinarySearchFunc(headings, offset, func(h Heading, offset int) int { return h.Start - offset })
			if next < len(headings) && headings[next].Start-offset <= directive.MaxLine &&
				!strings.ContainsFunc(between().ReplaceAllString(text[offset:headings[next].Start], ""), unicode.IsLetter) {
				return next
			}
			return next - 1
		}
		offset += len(line)
	}
	return -1
}

// lettersOf returns a name in links without hyphens and underscores.
func lettersOf(name string) string { return strings.NewReplacer("-", "", "_", "").Replace(name) }

// SectionEnd returns the offset of the end of the section that one of the headings begins.
func SectionEnd(text string, headings []Heading, index int) int {
	for _, next := range headings[index+1:] {
		if next.Level <= headings[index].Level {
			return next.Start
		}
	}
	return len(text)
}

const (
	maxCompared = 5000 // headings that are compared with a missing one
	maxAsked    = 256  // bytes of the missing one
	maxNear     = 10   // suggestions
	sameStart   = 3    // letters that make words similar; shorter ones must be equal
)

// OfferSections returns the headings that have words like a missing one, the most similar first, or else the first headings.
// near reports whether they are similar.
func OfferSections(all []Heading, asked string) (headings []string, near bool) {
	var starts []string
	for word := range strings.FieldsFuncSeq(Anchor(Cut(asked, maxAsked)), func(r rune) bool { return r == '-' }) {
		letters := []rune(word + "-")
		starts = append(starts, "-"+string(letters[:min(len(letters), sameStart)]))
	}
	alike := make(map[string]int)
	var similar []string
	for _, h := range all[:min(len(all), maxCompared)] {
		headings = append(headings, h.Text)
		if _, known := alike[h.Text]; known {
			continue
		}
		name := "-" + Anchor(h.Text) + "-"
		for _, start := range starts {
			alike[h.Text] += strings.Count(name, start)
		}
		if alike[h.Text] > 0 {
			similar = append(similar, h.Text)
		}
	}
	if slices.SortStableFunc(similar, func(a, b string) int { return alike[b] - alike[a] }); len(similar) > 0 {
		return similar[:min(len(similar), maxNear)], true
	}
	return headings, false
}
