// Package excerpt extracts parts of a text, mainly Markdown: [Lines], a [Section] below its [Heading], links, the
// beginning. It looks at one text alone: it opens no file and follows no link.
//
// Sizes and offsets are in bytes, lines count from 1. No function splits a character.
package excerpt

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/tokens"
)

// OneLine converts text to one line: runs of white space and controls become a space, so that words stay apart. Other characters
// that nobody sees are removed.
func OneLine(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	space := false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			space = b.Len() > 0
			continue
		case Unseen(r):
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Unseen reports whether nobody sees a character in a text, although a model reads it or it changes what is seen around it: controls,
// controls of direction, tag characters, and characters of no width, except joiners, which scripts and emoji need.
func Unseen(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u200b' || '\u2060' <= r && r <= '\u2064' || r == '\ufeff' || 0xe0000 <= r && r <= 0xe007f
}

// Seen returns a text of several lines without characters that are [Unseen].
func Seen(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && Unseen(r) {
			return -1
		}
		return r
	}, text)
}

// Cut shortens text to at most n bytes, between characters.
func Cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for back := 0; back < utf8.UTFMax && n >= back; back++ { // otherwise it is not UTF-8
		if utf8.RuneStart(text[n-back]) {
			return text[:n-back]
		}
	}
	return text[:n]
}

// Ellipsis is [Cut], and marks that a part is missing.
func Ellipsis(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.TrimRight(Cut(text, n-len("…")), " ") + "…"
}

// maxQuoted is how many characters of a name stand in a sentence of the server.
const maxQuoted = 60

// sentenceEnd finds where a name could end the sentence around it and begin another one.
var sentenceEnd = lazyregexp.New(`[.!?:;](?: |$)|[。！？：；．｡।؟۔]`)

// Quote returns a name in quotation marks as [Name] returns it, or "" if nothing is left.
func Quote(name string) string {
	if name = Name(name); name == "" {
		return ""
	}
	return `"` + name + `"`
}

// Name returns a name from a file, such as a title, for a sentence that the server says to a model. The author of the file must
// not speak in that sentence: the name is cut where a sentence ends, and after 60 characters. It has no line breaks, no control or
// invisible characters, and no brackets of marks for models, such as "<|im_start|>" and "[INST]". Paths and URIs that a client
// passes back must not be cut.
func Name(name string) string {
	name = OneLine(strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune("<>[]|｜`", r):
			return ' '
		case strings.ContainsRune(`"“”„‟«»`, r):
			return '\''
		case unicode.IsSpace(r), unicode.IsPrint(r) && !unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
			return r
		}
		return -1
	}, strings.ToValidUTF8(Cut(name, 4<<10), "")))
	for _, part := range sentenceEnd().Split(name, -1) {
		if name = strings.TrimSpace(part); name != "" {
			break
		}
	}
	if characters := []rune(name); len(characters) > maxQuoted {
		name = strings.TrimSpace(string(characters[:maxQuoted-1])) + "…"
	}
	return name
}

// Fenced returns a text as fenced code.
func Fenced(text, language string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	fence := strings.Repeat("`", max(3, 1+Backticks(text)))
	return fence + language + "\n" + text + fence + "\n"
}

// Indented returns a text with an indentation before each line that is not blank.
func Indented(text, indent string) string {
	if indent == "" {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(indent)
		}
		b.WriteString(line)
	}
	return b.String()
}

// Backticks returns the length of the longest run of backticks in a text.
func Backticks(text string) (longest int) {
	run := 0
	for i := range len(text) {
		if run++; text[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

// Lines is a range of lines of a text.
type Lines struct {
	Text        string
	First, Last int  // from 1
	Skipped     int  // bytes of line First that are skipped
	Total       int  // number of lines of the whole text
	Broken      bool // the last line is cut
	Beyond      bool // the text has no line First, or that line is shorter than Skipped
}

// MaxText is the number of bytes of a text in an answer.
const MaxText = 100 << 10

// LinesOf returns limit lines of a text, or all lines if limit is 0, starting at line offset, up to size bytes that take at most
// room tokens.
func LinesOf(text string, offset, limit, size, room int) Lines {
	return LinesFrom(text, offset, 0, limit, size, room)
}

// LinesFrom is [LinesOf] without the first skip bytes of the first line, so that a client can read
// a long line in parts. A skip into a character is reduced to the start of that character.
func LinesFrom(text string, offset, skip, limit, size, room int) Lines {
	w := linesFrom(text, offset, skip, limit, size)
	if n := tokens.Fit(w.Text, room); n < len(w.Text) {
		return linesFrom(text, offset, skip, limit, n)
	}
	return w
}

func linesFrom(text string, offset, skip, limit, size int) Lines {
	w := Lines{Total: CountLines(text), First: max(offset, 1)}
	if w.First > w.Total {
		w.Beyond = w.First > 1 || skip > 0
		w.Last = w.Total
		return w
	}
	start := 0
	for range w.First - 1 {
		start += strings.IndexByte(text[start:], '\n') + 1
	}
	if skip > 0 {
		line, _, _ := strings.Cut(text[start:], "\n")
		if skip >= len(line) {
			w.Beyond, w.Last = true, w.First
			return w
		}
		w.Skipped = len(Cut(line, skip))
		start += w.Skipped
	}
	end, n := start, 0
	for end < len(text) && (limit <= 0 || n < limit) {
		length := cmp.Or(strings.IndexByte(text[end:], '\n')+1, len(text)-end)
		if end+length-start > size {
			if n == 0 { // otherwise no line would be shown
				end, n, w.Broken = start+len(Cut(text[start:end+length], size)), 1, true
			}
			break
		}
		end += length
		n++
	}
	w.Text, w.Last = text[start:end], w.First+n-1
	return w
}

// CountLines returns the number of lines of a text.
func CountLines(text string) int {
	n := strings.Count(text, "\n")
	if !strings.HasSuffix(text, "\n") && text != "" {
		n++
	}
	return n
}

// After returns the lines with the numbers that they have after n other lines.
func (w Lines) After(n int) Lines {
	w.First, w.Last, w.Total = w.First+n, w.Last+n, w.Total+n
	return w
}

// Partial reports whether the text has more than these lines.
func (w Lines) Partial() bool { return w.First > 1 || w.Skipped > 0 || w.Last < w.Total || w.Broken }

// Missing returns the message that the text does not have these lines.
func (w Lines) Missing() string {
	if w.First <= w.Total {
		return fmt.Sprintf("Line %d has fewer bytes.", w.First)
	}
	return fmt.Sprintf("There is no line %d: the last one is %d.", w.First, w.Total)
}

// HowToGoOn returns the hint how to read the next lines, or "" if no lines follow.
func (w Lines) HowToGoOn() string {
	if !w.Broken {
		if w.Last < w.Total {
			return fmt.Sprintf("\n[Lines %d to %d of %d. To continue, use offset %d.]\n", w.First, w.Last, w.Total, w.Last+1)
		}
		return ""
	}
	how := ""
	if w.Last < w.Total {
		how = fmt.Sprintf(" To continue after it, use offset %d.", w.Last+1)
	}
	return fmt.Sprintf("\n\n[Line %d is too long and was cut.%s]\n", w.Last, how)
}
