package prompts

import (
	"strings"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
)

// A Piece is a run of text, or a placeholder.
type Piece struct {
	Text        string // of a placeholder: the name
	Placeholder bool
	Argument    int // of a placeholder: the index in Prompt.Arguments
}

// A Part is a run of text, line ends included, or a line that is a link, without its line end. The
// pieces of all parts in order are the whole text.
type Part struct {
	Pieces []Piece
	Link   *PartLink
}

// A PartLink is a line that consists of one link.
type PartLink struct {
	URI   []Piece
	Image bool
}

// A position is the first occurrence of a placeholder.
type position struct{ line, column int }

// A body is the text of a prompt before its placeholders are bound to arguments.
type body struct {
	parts []Part
	first map[string]position
	names []string // of the placeholders, in the order of their first occurrence

	plain strings.Builder // text that is not in parts yet; it joins many lines into few pieces
}

// readText splits the text of a prompt, which begins in the given line of its file. The structure
// of the prompt is fixed here, so that no value of an argument can change it.
func readText(r *report, text string, line int) *body {
	b := &body{first: make(map[string]position)}
	var code directive.Fence
	for ; text != ""; line++ {
		s, rest, ended := strings.Cut(text, "\n")
		text = rest
		pieces := b.readLine(r, s, line)
		shape := shapeOf(pieces)
		inside := inCode(&code, shape)
		if l := linkOf(shape, pieces); l != nil && !inside {
			b.flush()
			b.parts = append(b.parts, Part{pieces, l})
		} else {
			b.add(pieces)
		}
		if ended {
			b.plain.WriteByte('\n')
		}
	}
	b.flush()
	return b
}

// add appends to the text.
func (b *body) add(pieces []Piece) {
	for _, p := range pieces {
		if p.Placeholder {
			b.flush()
			b.append(p)
		} else {
			b.plain.WriteString(p.Text)
		}
	}
}

func (b *body) flush() {
	if b.plain.Len() > 0 {
		b.append(Piece{Text: b.plain.String()})
		b.plain.Reset()
	}
}

func (b *body) append(p Piece) {
	if n := len(b.parts); n == 0 || b.parts[n-1].Link != nil {
		b.parts = append(b.parts, Part{})
	}
	last := &b.parts[len(b.parts)-1]
	last.Pieces = append(last.Pieces, p)
}

// maxWords is the maximum length of a placeholder in bytes. It bounds the search for the closing
// braces: a line may be as long as a file and consist of braces.
const maxWords = 1 << 10

// readLine finds the placeholders of a line.
func (b *body) readLine(r *report, s string, line int) []Piece {
	var pieces []Piece
	var plain strings.Builder
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
		} else if _, known := b.first[name]; !known {
			b.first[name] = position{line, column}
			b.names = append(b.names, name)
		}
		if plain.Len() > 0 {
			pieces = append(pieces, Piece{Text: plain.String()})
			plain.Reset()
		}
		pieces = append(pieces, Piece{Text: name, Placeholder: true})
		i = brace + 2 + len(words) + 2
	}
	if plain.Len() > 0 {
		pieces = append(pieces, Piece{Text: plain.String()})
	}
	return pieces
}

// bind finds the argument of each placeholder.
func (b *body) bind(r *report, h header) []Part {
	index := make(map[string]int, len(h.arguments))
	var names []string
	for i, a := range h.arguments {
		index[a.Name] = i
		names = append(names, a.Name)
		if _, used := b.first[a.Name]; !used {
			r.add(h.lines[i], 0, true, "the argument %s has no placeholder in the text", jsondoc.Quote(a.Name))
		}
	}
	for _, name := range h.faulty {
		index[name] = -1 // reported already
	}
	for _, name := range b.names {
		if _, ok := index[name]; !ok {
			position, near := b.first[name], ""
			if r.accepts(false) { // a file may have a hundred thousand of them
				near = meant(name, names)
			}
			r.add(position.line, position.column, false, `the placeholder {{%s}} has no argument in the front matter%s; two braces that are text are written \{{`, name, near)
		}
	}
	for _, p := range b.parts {
		bindAll(p.Pieces, index)
		if p.Link != nil {
			bindAll(p.Link.URI, index)
		}
	}
	return b.parts
}

func bindAll(pieces []Piece, index map[string]int) {
	for i := range pieces {
		if pieces[i].Placeholder {
			pieces[i].Argument = index[pieces[i].Text]
		}
	}
}
