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
