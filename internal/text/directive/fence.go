package directive

import "strings"

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
func Indent(s string) (columns int, rest string) {
	for i := range len(s) {
		switch s[i] {
		case ' ':
			columns++
		case '\t':
			columns += 4 - columns%4
		default:
			return columns, s[i:]
		}
	}
	return columns, ""
}

// cut returns a line without the spaces and tabs in its first columns.
func cut(s string, columns int) string {
	for at := 0; s != ""; s = s[1:] {
		switch s[0] {
		case ' ':
			at++
		case '\t':
			at += 4 - at%4
		default:
			return s
		}
		if at > columns {
			break
		}
	}
	return s
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
