package excerpt

import "strings"

// maxFront is how long front matter may be, in bytes. What is longer begins with a rule.
const maxFront = 64 << 10

// FrontMatter returns the YAML at the start of a text with the lines around it, or "", and the number of the line behind
// it, from 1.
func FrontMatter(text string) (front string, line int) {
	at := len(text) - len(strings.TrimPrefix(text, "\ufeff"))
	for line = 1; at < len(text) && at <= maxFront; line++ {
		raw, _, ended := strings.Cut(text[at:], "\n")
		mark := strings.TrimRight(raw, " \t\r") == "---"
		if line == 1 && !(mark && ended) {
			break
		}
		at = min(at+len(raw)+1, len(text))
		if line > 1 && mark {
			return text[:at], line + 1
		}
	}
	return "", 1
}
