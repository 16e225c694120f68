package directive

import (
	"math"
	"strings"
)

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
