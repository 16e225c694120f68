package prompts

import (
	"strings"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// slot stands for a placeholder in a [Template]. No text contains it: a file with this byte is not text.
const slot = "\x00"

// A Template is a text with placeholders.
type Template struct {
	Text      string // NUL for each placeholder
	Arguments []int  // of the placeholders: indexes in Prompt.Arguments
}

// Pieces yields the texts between the placeholders, each with the argument before it, which is -1 for the first.
func (t Template) Pieces(yield func(argument int, text string) bool) {
	argument, rest := -1, t.Text
	for _, next := range t.Arguments {
		text, after, _ := strings.Cut(rest, slot)
		if !yield(argument, text) {
			return
		}
		argument, rest = next, after
	}
	yield(argument, rest)
}

// A Part is a run of text, line ends included, or a line that is a link, without its line end. The
// texts of all parts in order are the whole text.
type Part struct {
	Template
	Link *PartLink
}

// A PartLink is a line that consists of one link.
type PartLink struct {
	URI   Template
	Image bool
}

// A draft is a template that grows.
type draft struct {
	text      strings.Builder
	arguments []int
}

func (d *draft) template() Template { return Template{d.text.String(), d.arguments} }

// A placeholder is a name with its first occurrence.
type placeholder struct {
	name         string
	line, column int
}

// A body is the text of a prompt. Until its placeholders are bound to arguments, the arguments of its parts are indexes of placeholders.
type body struct {
	parts        []Part
	placeholders []placeholder  // by first occurrence
	known        map[string]int // indexes by name
}

// readText splits the text of a prompt, which begins in the given line of its file. The structure
// of the prompt is fixed here, so that no value of an argument can change it.
func readText(r *report, text string, line int) *body {
	b := &body{known: make(map[string]int)}
	var code directive.Fence
	var plain draft
	flush := func() {
		if plain.text.Len() > 0 {
			b.parts = append(b.parts, Part{Template: plain.template()})
		}
		plain = draft{}
	}
	for ; text != ""; line++ {
		s, rest, ended := strings.Cut(text, "\n")
		text = rest
		t := b.readLine(r, s, line)
		if inside, l := inCode(&code, t.Text), linkOf(t); l != nil && !inside {
			flush()
			b.parts = append(b.parts, Part{t, l})
		} else {
			plain.text.WriteString(t.Text)
			plain.arguments = append(plain.arguments, t.Arguments...)
		}
		if ended {
			plain.text.WriteByte('\n')
		}
	}
	flush()
	return b
}

// maxWords is the maximum length of a placeholder in bytes. It bounds the search for the closing
// braces: a line may be as long as a file and consist of braces.
const maxWords = 1 << 10

// readLine finds the placeholders of a line.
func (b *body) readLine(r *report, s string, line int) Template {
	var out draft
	plain := &out.text
	column, counted := 1, 0 // of the last placeholder
	for i := 0; i < len(s); {
		if s[i] != '\\' && s[i] != '{' {
			end := strings.IndexAny(s[i:], `\{`)
			if end < 0 {
				end = len(s) - i
			}
			plain.WriteString(s[i : i+end])
			i += end
			continue
		}
		slashes := len(s[i:]) - len(strings.TrimLeft(s[i:], `\`))
		brace := i + slashes
		if !strings.HasPrefix(s[brace:], "{{") {
			plain.WriteString(s[i:min(brace+1, len(s))])
			i = brace + 1
			continue
		}
		plain.WriteString(s[i : i+slashes/2])
		if slashes%2 == 1 {
			plain.WriteString("{{")
			i = brace + 2
			continue
		}
		words, _, closed := strings.Cut(s[brace+2:min(brace+2+maxWords, len(s))], "}}")
		name := strings.Trim(words, " \t")
		kind := isText
		if closed {
			kind = wordingOf(name)
		}
		if kind == isText {
			plain.WriteByte('{')
			i = brace + 1
			continue
		}
		column += utf8.RuneCountInString(s[counted:brace])
		counted = brace
		if kind == isMistake {
			r.add(line, column, false, `{{%s}} is not a placeholder: %s; two braces that are text are written \{{`, words, nameRule)
		} else {
			id, known := b.known[name]
			if !known {
				id = len(b.placeholders)
				b.known[name] = id
				b.placeholders = append(b.placeholders, placeholder{name, line, column})
			}
			plain.WriteString(slot)
			out.arguments = append(out.arguments, id)
		}
		i = brace + 2 + len(words) + 2
	}
	return out.template()
}

// bind finds the argument of each placeholder.
func (b *body) bind(r *report, h header) []Part {
	index := make(map[string]int, len(h.arguments))
	var names []string
	for i, a := range h.arguments {
		index[a.Name] = i
		names = append(names, a.Name)
		if _, used := b.known[a.Name]; !used {
			r.add(h.lines[i], 0, true, "the argument %s has no placeholder in the text", jsondoc.Quote(a.Name))
		}
	}
	for _, name := range h.faulty {
		index[name] = -1
	}
	bound := make([]int, len(b.placeholders))
	for id, p := range b.placeholders {
		argument, ok := index[p.name]
		if bound[id] = argument; !ok {
			near := ""
			if r.hasRoom(false) { // it may hold 100,000
				near = meant(p.name, names)
			}
			r.add(p.line, p.column, false, `the placeholder {{%s}} has no argument in the front matter%s; two braces that are text are written \{{`, p.name, near)
		}
	}
	for _, p := range b.parts {
		for i, id := range p.Arguments {
			p.Arguments[i] = bound[id]
		}
	}
	return b.parts
}

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
	if found != 1 || from == past || strings.Trim(inner[:from], " \t<") != "" || !title().MatchString(strings.TrimPrefix(inner[past:], ">")) {
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

// title matches what may follow the destination of a link: nothing, or a title in quotes or parentheses after a space.
var title = lazyregexp.New(`^(?:[ \t]+(?:"[^"]{0,1000}"|'[^']{0,1000}'|\([^()]{0,1000}\)))?[ \t]*$`)

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

// maxSentence is the maximum length in bytes of a description that is made of the text.
const maxSentence = 200

var (
	// notProse matches lines that do not begin a sentence: headings, rules, HTML and tables.
	notProse = lazyregexp.New(`^(?:#{1,6}(?:\s|$)|[-*_=](?:\s*[-*_=]){2,}$|<|\|)`)
	// leading matches the marks of lists and quotes.
	leading = lazyregexp.New(`^(?:>\s?|[-*+]\s+|[0-9]{1,9}[.)]\s+)+`)
	// sentenceEnd matches the end of a sentence and the rest of the paragraph. A small letter does not begin a sentence:
	// the period before it ends an abbreviation.
	sentenceEnd = lazyregexp.New(`([.!?]["')\]]*)\s+[^\s\p{Ll}].*|([。！？]).*`)
)

// firstSentence returns the first sentence of Markdown without its markup, in one line, or "" if it has none outside of
// headings and code.
func firstSentence(text string) string {
	var paragraph []string
	var code directive.Fence
	for line := range strings.SplitSeq(text, "\n") {
		inside := inCode(&code, line)
		line = strings.TrimSpace(line)
		if inside || line == "" || notProse().MatchString(line) {
			if len(paragraph) > 0 {
				break
			}
			continue
		}
		mark := leading().FindString(line)
		if len(paragraph) > 0 && mark != "" && mark[0] != '>' {
			break
		}
		paragraph = append(paragraph, line[len(mark):])
		if len(paragraph) == maxSentence {
			break
		}
	}
	sentence := sentenceEnd().ReplaceAllString(excerpt.Plain(excerpt.OneLine(strings.Join(paragraph, " "))), "$1$2")
	return excerpt.Ellipsis(sentence, maxSentence)
}
