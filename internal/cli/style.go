package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// errFound ends a command with the code for problems. What they are, it has printed.
var errFound = errors.New("problems were found")

// A style says how results look: with colours and as wide as the window on a terminal, plain elsewhere.
type style struct {
	colours bool
	width   int // of the window in columns; 0: there is none, and nothing is cut
}

// Colours of a terminal (ECMA-48, SGR).
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	yellow = "33"
	blue   = "34"
)

// style returns how results look on standard output. NO_COLOR, if it is not empty, forbids colours (no-color.org).
func (a *app) style() style {
	f, ok := a.streams.Out.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return style{}
	}
	s := style{colours: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil {
		s.width = width
	}
	return s
}

// paint puts text into a colour.
func (s style) paint(colour, text string) string {
	if !s.colours || text == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// wrap writes text in lines that fit the window, each behind an indentation. A word that is longer stays whole.
func (s style) wrap(indent, text string) string {
	room := s.width - utf8.RuneCountInString(indent)
	if s.width == 0 || room < 20 || utf8.RuneCountInString(text) <= room {
		return indent + text
	}
	var b strings.Builder
	used := 0
	for word := range strings.SplitSeq(text, " ") {
		n := utf8.RuneCountInString(word)
		switch {
		case b.Len() == 0:
			b.WriteString(indent)
		case used+1+n > room:
			b.WriteString("\n" + indent)
			used = 0
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += n
	}
	return b.String()
}

// printValue writes a result as JSON for programs.
func (a *app) printValue(v any) error {
	e := json.NewEncoder(a.streams.Out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// print writes a result in one go.
func (a *app) print(write func(w io.Writer)) error {
	out := bufio.NewWriter(a.streams.Out)
	write(out)
	return out.Flush()
}

// row writes a name and its value in columns.
func (s style) row(w io.Writer, name, value string) {
	fmt.Fprintf(w, "%s  %s\n", s.paint(dim, fmt.Sprintf("%-12s", name)), value)
}
