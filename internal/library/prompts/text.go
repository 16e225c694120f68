package prompts

import (
	"strings"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
)

// slot stands for a placeholder in a [Template]. No text contains it: a file with this byte is not text.
const slot = "\x00"

// A Template is a text with placeholders.
type Template struct {
	Text      string // with a NUL for each placeholder
	Arguments []int  // of the placeholders in order: indexes in Prompt.Arguments
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
	URI   Template // its arguments are a part of those of the line
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
	placeholders []placeholder  // in the order of their first occurrence
	known        map[string]int // indexes of placeholders, by name
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
			plain.WriteByte('{') // the next brace may begin a pair
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
		index[name] = -1 // reported already
	}
	bound := make([]int, len(b.placeholders))
	for id, p := range b.placeholders {
		argument, ok := index[p.name]
		if bound[id] = argument; !ok {
			near := ""
			if r.hasRoom(false) { // a file may have a hundred thousand of them
				near = meant(p.name, names)
			}
			r.add(p.line, p.column, false, `the placeholder {{%s}} has no argument in the front matter%s; two braces that are text are written \{{`, p.name, near)
		}
	}
	for _, p := range b.parts {
		for i, id := range p.Arguments {
			p.Arguments[i] = bound[id] // also those of a link
		}
	}
	return b.parts
}
