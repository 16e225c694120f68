package directive

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// An Opening is what the first line of a block says of it.
type Opening struct {
	// in lower case, such as "note" and "steps"; that of a component for all warnings is given
	Kind  string
	Name  string // as it is written
	Title string // Markdown; "": none

	Leaf       bool   // nothing is in it: it is a tag that no other ends
	attributes string // of a tag
	form       form
	fence      Fence // of a block that ends with a line of these characters
	folded     bool  // it is closed at first
	element    bool  // it is an element of HTML or MDX, which may indent what it has
}

// A form says how a block ends.
type form uint8

const (
	fenced   form = iota // with a line of the characters that it begins with
	indented             // with a line that is not indented by four columns more
	quoted               // with the quote
	tagged               // with a tag
)

// forms are the blocks that begin with a line of their own. The groups of patterns are the marks, the name and parts of the title.
var forms = []struct {
	form    form
	pattern func() *regexp.Regexp
}{
	{indented, lazyregexp.New(`^(!!!|\?\?\?\+?) ?([\w-]+)?(?: +[\w-]+)*(?: *"(.*)")?$`)},
	{indented, lazyregexp.New(`^(===)[!+]* +()["'](.*)["']$`)},
	{fenced, lazyregexp.New(`^(:{3,})\s*(?:\{\.?)?([A-Za-z][\w-]*)(?:[^{}[]*\})?(?:\[(.*)\])?(?:\s*\{[^}]*\})?(?:\s+(\S.*))?$`)},
	{fenced, lazyregexp.New(`^(/{3,})\s*([a-z][\w-]*)\s*(?:\|\s*(.*))?$`)},
	{fenced, lazyregexp.New("^(`{3,}|~{3,})\\{(" + proses + ")\\}\\s*(.*)$")},
	{quoted, lazyregexp.New(`^(>)\s*\[!([A-Za-z][\w-]*)\][+-]?\s*(.*)$`)},
}

// marks are what the first line of a block begins with.
const marks = "!?=:/`~><{"

// proses are the directives of MyST whose bodies are Markdown. Others have code, data, or nothing.
const proses = `note|warning|tip|hint|important|caution|danger|attention|error|seealso|admonition|todo|dropdown|details|tab-set|tab-item|grid|grid-item|grid-item-card|card|card-carousel|versionadded|versionchanged|deprecated|margin|sidebar|topic|epigraph`

var (
	element   = `<([A-Z][\w.]*|details)((?:\s(?:[^>=]|=[^>]|=>)*?)?)(/?)>`
	shortcode = `\{\{[<%]\s*([\w/-]+)(.*?)\s*(/?)[>%]\}\}`
	statement = `\{%-?\s*([\w-]+)(.*?)(/?)-?%\}`
	opener    = lazyregexp.New(`^(?:` + element + `|` + shortcode + `|` + statement + `)`)
	closer    = lazyregexp.New(`^(?:</([A-Z][\w.]*|details)\s*>|\{\{[<%]\s*/\s*([\w/-]+)\s*[>%]\}\}|\{%-?\s*(?:/\s*|end)([\w-]+)\s*-?%\})`)

	assigned = lazyregexp.New(`\b([\w-]+)\s*=\s*(?:"([^"]{0,500})"|'([^']{0,500})'|\{["'\x60]([^"'\x60]{0,500})["'\x60]\}|([^\s"'{}<>\x60]+))`)
	kind     = lazyregexp.New(`(?:\b(?:type|kind|variant|color)\s*=\s*["']|^\s+["']?)([\w-]+)["']?(?:\s|$)`)
	first    = lazyregexp.New(`^\s+(?:[\w-]+\s+)?"([^"]*)"|^\s+([\w .+#-]+)$`)
	generic  = lazyregexp.New(`^(?:aside|admonition|callout|alert|notice|hint)$`)
	option   = lazyregexp.New(`^:[\w-]+:(?:\s|$)`)

	// elements without Markdown
	raw = lazyregexp.New(`(?i)^(?:pre|script|style|textarea)$`)
)

// alerts has the kinds of warnings that differ from a note, as GitHub names them.
var alerts = map[string]string{
	"tip": "tip", "hint": "tip", "success": "tip", "important": "important", "warning": "warning", "attention": "warning", "pitfall": "warning", "bug": "warning",
	"failure": "warning", "deprecated": "warning", "caution": "caution", "danger": "caution", "error": "caution",
}

var notes = lazyregexp.New(`^(?:note|info|seealso|admonition|callout|aside|alert|notice|abstract|summary|todo|example|question|quote|check|deepdive|version\w+)$`)

// Alert returns the kind of a notice as one of GitHub's five, in lower case, or "" for another block.
func (o Opening) Alert() string {
	if kind := alerts[o.Kind]; kind != "" {
		return kind
	}
	if o.form == quoted || o.form == indented && o.Kind != "tab" && !o.folded || notes().MatchString(o.Kind) {
		return "note"
	}
	return ""
}

var folds = lazyregexp.New(`^(?:details|dropdown|collapse|accordion|expandable|spoiler|toggle)$`)

// Folds reports whether readers see the body of the block only when they open it.
func (o Opening) Folds() bool { return o.folded || folds().MatchString(o.Kind) }

// IsTab reports whether the block is one of several of which readers choose one.
func (o Opening) IsTab() bool { return o.Kind == "tab" || o.Kind == "tabitem" || o.Kind == "tab-item" }

// Attribute returns the value of the first attribute of the block that has one of these names, or "".
func (o Opening) Attribute(names ...string) string { return Attribute(o.attributes, names...) }

// Attribute returns the value of the first of the attributes of a tag that has one of these names, or "".
func Attribute(attributes string, names ...string) string {
	if !slices.ContainsFunc(names, func(name string) bool { return strings.Contains(attributes, name) }) {
		return ""
	}
	for _, m := range assigned().FindAllStringSubmatch(attributes, -1) {
		if slices.Contains(names, m[1]) {
			return m[2] + m[3] + m[4] + m[5]
		}
	}
	return ""
}

// Open reads the marks at the start of a line, without its indentation, that begin a block. rest is what follows a tag.
func Open(line string) (o Opening, rest string, ok bool) {
	if line == "" || strings.IndexByte(marks, line[0]) < 0 || strings.HasSuffix(line, ":::") {
		return o, "", false
	}
	for _, f := range forms {
		if m := f.pattern().FindStringSubmatch(line); m != nil {
			o = Opening{Name: m[2], Title: strings.TrimSpace(strings.Join(m[3:], "")), form: f.form}
			if m[1] == "===" {
				o.Name = "tab"
			}
			o.Kind = strings.ToLower(cmp.Or(o.Name, "note"))
			o.folded = m[1] == "???" || f.form == quoted && strings.Contains(line, "]-")
			if f.form == fenced {
				o.fence = Fence(m[1])
			}
			return o, "", o.Name != "" || o.Title != ""
		}
	}
	return openTag(line)
}

// openTag reads the tag at the start of a line.
func openTag(line string) (o Opening, rest string, ok bool) {
	m := opener().FindStringSubmatch(line)
	if m == nil || raw().MatchString(m[1]) {
		return o, "", false
	}
	name, attributes := m[1]+m[4]+m[7], m[2]+m[5]+m[8]
	o = Opening{Name: name, Kind: strings.ToLower(name), attributes: attributes, form: tagged, element: line[0] == '<'}
	o.Title = o.Attribute("title", "label", "summary", "header", "heading")
	if o.Title == "" && line[0] == '{' {
		if t := first().FindStringSubmatch(attributes); t != nil && (t[1] != "" || o.Kind == "tab") {
			o.Title = t[1] + t[2] // of a shortcode without names of attributes
		}
	}
	if generic().MatchString(o.Kind) {
		if k := kind().FindStringSubmatch(attributes); k != nil {
			o.Kind = strings.ToLower(k[1])
		}
	}
	if m[3]+m[6]+m[9] != "" {
		o.Name = "" // nothing ends it
	}
	return o, strings.Trim(line[len(m[0]):], " \t"), true
}

// closeTag reads the first tag in a text that ends a block. Without one, name is "", and end is the end of the text. It
// looks for the bytes with which such tags begin, which is faster than a pattern that may begin anywhere.
func closeTag(text string) (name string, start, end int) {
	for start < len(text) {
		next := strings.IndexAny(text[start:], "<{")
		if next < 0 {
			break
		}
		start += next
		if name, end = closes(text[start:]); name != "" {
			return name, start, start + end
		}
		start++
	}
	return "", 0, len(text)
}

// closes reads the tag at the start of a text that ends a block. Without one, name is "".
func closes(text string) (name string, end int) {
	if strings.HasPrefix(text, "</") || strings.HasPrefix(text, "{{") || strings.HasPrefix(text, "{%") {
		if m := closer().FindStringSubmatch(text[:min(len(text), maxCloser)]); m != nil {
			return strings.Join(m[1:], ""), len(m[0])
		}
	}
	return "", 0
}

// maxCloser is the number of bytes of a tag that ends a block.
const maxCloser = 200

// maxTag is the number of bytes of a tag of several lines.
const maxTag = 8 << 10

// tagEnd returns the offset of the end of the tag that a text begins with, or 0. A tag has neither a blank line nor another tag
// in it.
func tagEnd(text string) int {
	text = text[:min(len(text), maxTag)]
	if strings.HasPrefix(text, "{{") {
		end := strings.IndexAny(text[2:], "{}") + 2
		if strings.HasPrefix(text[end:], "}}") && !strings.Contains(text[:end], "\n\n") {
			return end + 2
		}
	}
	if text[0] != '<' {
		return 0
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '<':
			return 0
		case '>':
			if text[i-1] != '=' {
				return i + 1
			}
		case '\n':
			if strings.HasPrefix(strings.TrimLeft(text[i+1:], " \t\r"), "\n") {
				return 0
			}
		}
	}
	return 0
}
