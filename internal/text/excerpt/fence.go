package excerpt

import "strings"

// OpenFence returns the fence that opens code on a line, or "". The line is given without its
// indentation (CommonMark 4.5).
func OpenFence(line string) string {
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(line, c)
		if n := len(line) - len(rest); n >= 3 && (c == "~" || !strings.Contains(rest, c)) {
			return line[:n]
		}
	}
	return ""
}

// ClosesFence reports whether a line closes the code that a fence opened.
func ClosesFence(line, fence string) bool {
	return strings.HasPrefix(line, fence) && strings.Trim(strings.TrimRight(line, " \t\r"), fence[:1]) == ""
}
