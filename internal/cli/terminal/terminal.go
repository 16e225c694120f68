// Package terminal writes text for users. An [Output] is in colours and wrapped at the width of a terminal,
// and elsewhere plain and unwrapped. [Text] and [OneLine] escape text from files and clients, so that it cannot
// move the cursor, change colours or reorder a line. Only callers know which text needs this.
//
// Colours are left out if NO_COLOR is set to anything (https://no-color.org), or TERM is "dumb".
package terminal

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// An Output is a destination of text for users.
type Output struct {
	io.Writer
	Width int // columns of the terminal; 0: it is not a terminal, and a line may have any length

	colours bool
}

// Of returns the output to w.
func Of(w io.Writer) Output {
	o := Output{Writer: w}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return o
	}
	o.Width = 80 // if the system does not report the width
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
		o.Width = width
	}
	o.colours = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && understands(f)
	return o
}

// Bold returns text that stands out, such as a heading.
func (o Output) Bold(text string) string { return o.style("1", text) }

// Faint returns text that is less important.
func (o Output) Faint(text string) string { return o.style("2", text) }

// Good returns text about what works.
func (o Output) Good(text string) string { return o.style("32", text) }

// Warning returns text about what may go wrong.
func (o Output) Warning(text string) string { return o.style("33", text) }

// Bad returns text about what does not work.
func (o Output) Bad(text string) string { return o.style("31", text) }

// style returns text in the style with a code of SGR (ECMA-48, 8.3.117).
func (o Output) style(code, text string) string {
	if !o.colours {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Indented writes text in lines of the width of the terminal, the first after one prefix and the
// others after another. A word that is too long for a line, such as a path, stays whole.
func (o Output) Indented(first, others, text string) string {
	width := o.Width
	var b strings.Builder
	b.WriteString(first)
	column, begun := utf8.RuneCountInString(others), false
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case begun && width > 0 && column+1+n > width:
			b.WriteString("\n" + others)
			column = utf8.RuneCountInString(others)
		case begun:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
		begun = true
	}
	b.WriteByte('\n')
	return b.String()
}

// Text returns text of any number of lines that is safe to show on a terminal: control characters are
// escaped as in Go, such as \x1b. Line ends and tabs stay; CR LF becomes LF.
func Text(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if strings.IndexFunc(text, acts) < 0 && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && text[i] != "\ufffd"[0]:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case acts(r) && r < utf8.RuneSelf:
			fmt.Fprintf(&b, `\x%02x`, r)
		case acts(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// OneLine is Text in one line: line ends and tabs are escaped too.
func OneLine(text string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(Text(text))
}

// JSON returns a JSON text that is safe to show on a terminal: characters of its strings that Text escapes are
// written as escapes of JSON. encoding/json leaves those beyond ASCII and DEL.
func JSON(text []byte) []byte {
	if bytes.IndexFunc(text, acts) < 0 {
		return text
	}
	var b bytes.Buffer
	for _, r := range string(text) {
		if acts(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.Bytes()
}

// acts reports whether a terminal treats a character as a command, or reorders the following text
// because of it.
func acts(r rune) bool {
	return r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}
