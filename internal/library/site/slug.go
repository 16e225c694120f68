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

// dashes returns the characters of a text that keep accepts, with a dash for other characters between them.
func dashes(text string, keep func(rune) bool) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return !keep(r) }), "-")
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func isASCIIWord(r rune) bool { return r < 0x80 && isWord(r) }

// unaccented returns the text in form NFKD without accents.
func unaccented(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0x300 && r <= 0x36f {
			return -1
		}
		return r
	}, norm.NFKD.String(text))
}

// github returns a part of a route by the rule of github-slugger: letters, digits, "_" and "-" remain, and a space is "-".
func github(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ' || r == '\t':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.M, r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(text))
}
