package excerpt

import "strings"

// FrontMatter returns the YAML at the start of a text with the lines around it, or "", and the number of the line behind
// it, from 1.
func FrontMatter(text string) (front string, line int) {
	rest := strings.TrimPrefix(text, "\ufeff")
	if !strings.HasPrefix(rest, "---\n") && !strings.HasPrefix(rest, "---\r\n") {
		return "", 1
	}
	at, line := len(text)-len(rest), 1
	for n := 0; at < len(text) && n < 1000; n++ { // longer, it is a rule and no front matter
		raw, _, _ := strings.Cut(text[at:], "\n")
		at = min(at+len(raw)+1, len(text))
		line++
		if n > 0 && strings.TrimRight(raw, " \t\r") == "---" {
			return text[:at], line
		}
	}
	return "", 1
}
