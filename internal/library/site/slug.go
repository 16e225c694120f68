package site

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

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
