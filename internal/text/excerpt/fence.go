package excerpt

import "strings"

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
