package site

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// squeezed returns what is compared of an id, and of the heading that it may be made of: letters and digits, without case
// and accents. So the rules by which generators make ids need not be known.
func squeezed(text string) string {
	return strings.Map(func(r rune) rune {
		if isWord(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, unaccented(text))
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// latin returns a part of a route of Zola: letters and digits of ASCII, with dashes for what is between them.
func latin(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(unaccented(text)), func(r rune) bool { return r >= 0x80 || !isWord(r) }), "-")
}

// unaccented returns the text in form NFKD without accents.
func unaccented(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0x300 && r <= 0x36f {
			return -1
		}
		return r
	}, norm.NFKD.String(text))
}
