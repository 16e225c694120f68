// Package directive reads the blocks of Markdown that generators of sites render with a frame, and whose bodies are Markdown
// themselves: warnings, tabs, groups of code, steps, details, components.
//
//	!!! note "Title"                MkDocs; also ??? and ???+, and === "Title" for tabs. The body is indented by four columns
//	:::note[Title]                  Docusaurus, VitePress, Starlight, MyST; ends with a line of colons
//	/// note | Title                PyMdown; ends with a line of slashes
//	```{note} Title                 MyST; ends with a line of backticks
//	> [!NOTE] Title                 GitHub, Obsidian, DocFX; ends with the quote
//	<Tab title="Title">             components of MDX and Vue; end with </Tab>
//	{{< tab "Title" >}}             shortcodes of Hugo; end with {{< /tab >}}
//	{% tab title="Title" %}         tags of Markdoc and GitBook; end with {% /tab %} or {% endtab %}
//
// It knows no generator: the forms do not contradict each other, and a text that has none of them is plain Markdown. [Lines]
// takes one pass over a text. Nothing is moved in it, so offsets and line numbers are valid for the file.
package directive

import (
	"iter"
	"math"
	"slices"
	"strings"
)

// A Line is a line of a Markdown text.
type Line struct {
	Start, End int       // offsets of the line, with the characters that end it
	Text       string    // without these characters, and without the indentation and quote marks of the blocks around it
	Cut        int       // number of bytes of the line before Text
	Depth      int       // number of blocks around the line; the lines that open and close a block are outside of it
	Opens      []Opening // the blocks that begin here, each in the one before it
	Marker     bool      // the line has no text except the title: it opens or closes blocks, or sets an option of a block
	Code       Code
}

// A Code says whether a line is code.
type Code uint8

const (
	Prose    Code = iota
	Begins        // the first line of fenced code
	Fenced        // another line of fenced code
	Indented      // indented code
)

// MaxLine is the number of bytes up to which a line is read for marks. Nobody writes a longer line.
const MaxLine = 4 << 10

// maxDepth is the maximum number of blocks around a line. What opens in the innermost of them is text.
const maxDepth = 24

// maxNames is the maximum number of names of tags in a text. Tags of more names end nothing.
const maxNames = 1000

// Title returns the titles of the blocks that begin in the line.
func (l Line) Title() string {
	var titles []string
	for _, o := range l.Opens {
		if o.Title != "" {
			titles = append(titles, o.Title)
		}
	}
	return strings.Join(titles, " ")
}

// Lines yields the lines of a Markdown text.
func Lines(text string) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		s := scanner{text: text, blank: true}
		for start := 0; start < len(text); {
			end := len(text)
			if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
				end = start + i + 1
			}
			if !yield(s.line(start, end)) {
				return
			}
			start = end
		}
	}
}

// A block is an open block.
type block struct {
	Opening
	indent int // columns of the lines in the block that belong to it; unset: as many as the first one has
	list   int // as of a scanner
}

const unset = -1

// A scanner is the state after a line.
type scanner struct {
	text    string
	open    []block        // the outermost first
	list    int            // outside of blocks: the column of the text of the last item of the list that the line may be in
	closers map[string]int // by name, the offset of the last tag that closes it; nil: not known yet

	fence   Fence // of the current code
	within  int   // number of blocks around that code, which ends with them
	tag     int   // offset of the end of an opening tag of several lines
	comment bool  // the line ends in a comment of HTML
	blank   bool  // it is blank, or a block begins or ends with it
	code    bool  // it is indented code
	options bool  // options of a block may follow
}

func (s *scanner) line(start, end int) Line {
	raw := strings.TrimRight(s.text[start:end], "\r\n")
	rest := s.inside(raw)
	l := Line{Start: start, End: end, Text: rest, Cut: len(raw) - len(rest), Depth: len(s.open)}
	trimmed := strings.Trim(rest, " \t")
	switch {
	case start < s.tag:
		l.Marker = true
		return l
	case len(raw) > MaxLine:
		if s.blank = false; s.fence != "" {
			l.Code = Fenced
		}
		return l
	case s.fence != "":
		s.fence.Read(strings.TrimLeft(rest, "> \t"))
		l.Code = Fenced
		return l
	case s.comment:
		s.comment = !strings.Contains(rest, "-->")
		return l
	case trimmed == "":
		s.blank, s.options = true, false
		return l
	}
	list := &s.list
	if n := len(s.open); n > 0 {
		list = &s.open[n-1].list
	}
	columns, _ := Indent(rest)
	if s.code = columns > 3+*list && (s.blank || s.code); s.code {
		l.Code = Indented
		return l
	}
	if s.options = s.options && option().MatchString(trimmed); s.options {
		l.Marker = true
		return l
	}
	if strings.IndexByte(marks, trimmed[0]) >= 0 || len(s.open) > 0 && strings.ContainsAny(trimmed, "<{") {
		if s.marks(&l, trimmed, columns); l.Marker {
			s.blank = true
			return l
		}
	}
	unmarked := strings.TrimLeft(trimmed, "> \t")
	item := Item(unmarked)
	switch {
	case s.fence.Read(item):
		s.within, l.Code = len(s.open), Begins
	case item != unmarked:
		*list = columns + len(unmarked) - len(item)
	case columns == 0 && s.blank:
		*list = 0
	}
	s.blank = false
	s.comment = strings.HasPrefix(unmarked, "<!--") && !strings.Contains(unmarked, "-->")
	return l
}

// inside ends the blocks that a line is not in, and returns what the others leave of it.
func (s *scanner) inside(rest string) string {
	for i := range s.open {
		b := &s.open[i]
		columns, text := Indent(rest)
		switch {
		case b.form == quoted && !strings.HasPrefix(text, ">"), b.form == indented && columns < b.indent && text != "":
			s.end(i)
			return rest
		case b.form == quoted:
			_, rest = indent(text[1:], 1)
			continue
		case b.indent == unset && text != "":
			b.indent = columns
		}
		_, rest = indent(rest, b.indent)
	}
	return rest
}

// end ends the innermost blocks: all but n.
func (s *scanner) end(n int) {
	s.open = s.open[:n]
	s.blank, s.code = true, false
	if s.within > n {
		s.fence, s.within = "", 0
	}
}

// marks begins and ends the blocks that the marks in a line say.
func (s *scanner) marks(l *Line, rest string, columns int) {
	for i, b := range slices.Backward(s.open) {
		if f := b.fence; f != "" && f.Read(rest) && f == "" {
			s.end(i)
			l.Depth, l.Marker = i, true
			return
		}
	}
	for rest != "" {
		if name, end := closes(rest); s.close(name) {
			if rest = strings.TrimLeft(rest[end:], " \t"); l.Opens == nil {
				l.Depth = len(s.open)
			}
			continue
		}
		o, after, ok := Open(rest)
		if at := l.Start + l.Cut; !ok && len(rest) == len(strings.Trim(l.Text, " \t")) {
			if end := at + tagEnd(s.text[at:]); end > l.End {
				o, after, ok = Open(strings.Join(strings.Fields(s.text[at:end]), " "))
				if ok && after == "" {
					s.tag = end
				}
			}
		}
		if !ok {
			break
		}
		rest = after
		o.Leaf = len(s.open) == maxDepth || o.form == tagged && !s.closed(o.Name, l.Start)
		if len(l.Opens) < maxDepth {
			l.Opens = append(l.Opens, o)
		}
		if o.Leaf {
			continue
		}
		b := block{Opening: o, indent: columns}
		switch {
		case o.form == indented:
			b.indent += 4
		case o.element:
			b.indent = unset
		}
		s.open = append(s.open, b)
		s.options = o.fence != ""
	}
	l.Marker = rest == ""
	for len(s.open) > 0 && rest != "" {
		name, _, end := closeTag(rest)
		s.close(name)
		rest = rest[end:]
	}
}

// close ends the innermost block of a name, and reports whether there is one.
func (s *scanner) close(name string) bool {
	for i, b := range slices.Backward(s.open) {
		if b.form == tagged && b.Name == name && name != "" {
			s.end(i)
			return true
		}
	}
	return false
}

// closed reports whether a tag after an offset ends a block of a name.
func (s *scanner) closed(name string, offset int) bool {
	if s.closers == nil {
		s.closers = make(map[string]int)
		at := 0
		for at < len(s.text) && len(s.closers) < maxNames {
			name, start, end := closeTag(s.text[at:])
			s.closers[name] = at + start
			at += end
		}
	}
	return name != "" && s.closers[name] > offset
}

// A Fence is the fence that opened the code in which the next line of Markdown is, or "" (CommonMark 4.5).
type Fence string

// Read reads the next line, without its indentation, and reports whether it is in fenced code, or its first or last line.
func (f *Fence) Read(line string) bool {
	if *f == "" {
		*f = Fence(OpenFence(line))
		return *f != ""
	}
	if strings.HasPrefix(line, string(*f)) && strings.Trim(strings.TrimRight(line, " \t\r\n"), string((*f)[:1])) == "" {
		*f = ""
	}
	return true
}

// OpenFence returns the fence that opens code on a line, or "". The line is given without its indentation.
func OpenFence(line string) string {
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(line, c)
		if n := len(line) - len(rest); n >= 3 && (c == "~" || !strings.Contains(rest, c)) {
			return line[:n]
		}
	}
	return ""
}

// Indent returns the indentation of a line, with a tab stop every four columns, and the line without it.
func Indent(s string) (columns int, rest string) { return indent(s, math.MaxInt) }

// indent is Indent for the spaces and tabs that lie in the first columns, as many as most says.
func indent(s string, most int) (columns int, rest string) {
	for i := range len(s) {
		next := columns
		switch s[i] {
		case ' ':
			next++
		case '\t':
			next += 4 - columns%4
		}
		if next == columns || next > most {
			return columns, s[i:]
		}
		columns = next
	}
	return columns, ""
}

// Item returns a line without the marks of list items that it begins with.
func Item(s string) string {
	for {
		rest := s
		if s != "" && strings.IndexByte("-*+", s[0]) >= 0 {
			rest = s[1:]
		} else if digits := strings.TrimLeft(s, "0123456789"); len(s)-len(digits) <= 9 && len(digits) < len(s) && strings.IndexAny(digits, ".)") == 0 {
			rest = digits[1:]
		}
		if inner := strings.TrimLeft(rest, " \t"); rest != s && inner != rest {
			s = inner
			continue
		}
		return s
	}
}
