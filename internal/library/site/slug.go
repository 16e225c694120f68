package site

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A Slug is a rule by which the id of a heading follows from its text. nil: GitHub's.
type Slug struct {
	rule  func(text string) string // of a text without spaces around it
	mark  byte                     // stands before the number of the second heading with an id, and of later ones; 0: "-"
	start int                      // that number
}

// GitHub is the rule of github-slugger, and of kramdown, Docusaurus, Starlight and Hugo.
var GitHub = &Slug{rule: func(text string) string { return github(text, false) }, start: 1}

func (g *Generator) slug() *Slug { return cmp.Or(g.Slug, GitHub) }

// duplicate returns what the nth heading of one id has at its end; n counts from 2.
func (s *Slug) duplicate(n int) string {
	return string(cmp.Or(s.mark, '-')) + strconv.Itoa(s.start+n-2)
}

// of returns the id of a heading of this plain text.
func (s *Slug) of(text string) string { return s.rule(strings.TrimSpace(text)) }

// dashes returns the characters of a text that keep accepts. What drop accepts is left out, and each run of other
// characters between kept ones is a dash.
func dashes(text string, keep, drop func(rune) bool) string {
	var b strings.Builder
	gap := false
	for _, r := range text {
		switch {
		case keep(r):
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		case drop == nil || !drop(r):
			gap = true
		}
	}
	return b.String()
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

// github drops every character except letters, digits, "_" and "-", and writes "-" for a space.
func github(text string, asciiCase bool) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == ' ' || r == '\t':
			b.WriteByte('-')
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.M, r):
			if !asciiCase || r < 0x80 {
				r = unicode.ToLower(r)
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}
