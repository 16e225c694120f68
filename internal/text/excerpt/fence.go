package excerpt

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

// Fenced returns a text as fenced code.
func Fenced(text, language string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	fence := strings.Repeat("`", max(3, 1+Backticks(text)))
	return fence + language + "\n" + text + fence + "\n"
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
