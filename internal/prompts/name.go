package prompts

import (
	"strings"
	"unicode"
)

// What the words between double braces are.
type wording int

const (
	isText    wording = iota // nothing to us
	isName                   // of an argument
	isMistake                // what somebody must have meant for a name
)

const nameRule = `a name is made of letters, digits, "_", "-" and ".", and begins with a letter, a digit or "_"`

// wordingOf tells names from the rest. Three dots in front are JSX, which spreads an object into another that way.
func wordingOf(s string) wording {
	if s == "" || strings.HasPrefix(s, "...") {
		return isText
	}
	result := isName
	for i, r := range s {
		switch {
		case r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
		case i > 0 && (r == '-' || r == '.' || unicode.IsMark(r)): // letters of some scripts take marks
		case r == '-' || r == '.' || r == ' ' || r == '\t':
			result = isMistake
		default:
			return isText
		}
	}
	return result
}
