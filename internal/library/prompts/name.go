package prompts

import (
	"strings"
	"unicode"
)

// The meanings of the words between double braces.
type wording int

const (
	isText    wording = iota // plain text
	isName                   // the name of an argument
	isMistake                // a mistyped name
)

const nameRule = `a name is made of letters, digits, "_", "-" and ".", and begins with a letter, a digit or "_"`

// wordingOf classifies words. Three dots in front are the spread syntax of JSX.
func wordingOf(s string) wording {
	if s == "" || strings.HasPrefix(s, "...") {
		return isText
	}
	result := isName
	for i, r := range s {
		switch {
		case r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
		case i > 0 && (r == '-' || r == '.' || unicode.IsMark(r)): // letters of some scripts have marks
		case r == '-' || r == '.' || r == ' ' || r == '\t':
			result = isMistake
		default:
			return isText
		}
	}
	return result
}
