package site

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A Slug is a rule by which the id of a heading follows from its text.
type Slug uint8

const (
	GitHub   Slug = iota // github-slugger; also kramdown, Docusaurus, Starlight, Hugo
	Python               // Markdown for Python: MkDocs
	Vite                 // VitePress and VuePress
	Docutils             // RST
	Ascii                // AsciiDoc: "_" as prefix and separator
	Antora               // AsciiDoc as Antora sites have it: no prefix, "-"
	Latin                // Zola: transliterated
	Hexo                 // keeps the case
	Docsify
	Pandoc // Quarto
	Julia  // Documenter
	Rust   // mdBook
)

// duplicate returns what the nth heading of one id has at its end; n counts from 2.
func (s Slug) duplicate(n int) string {
	switch s {
	case Python:
		return "_" + strconv.Itoa(n-1)
	case Ascii:
		return "_" + strconv.Itoa(n)
	case Antora, Julia:
		return "-" + strconv.Itoa(n)
	}
	return "-" + strconv.Itoa(n-1)
}

// of returns the id of a heading of this plain text.
func (s Slug) of(text string) string {
	text = strings.TrimSpace(text)
	switch s {
	case Python:
		return dashes(strings.ToLower(unaccented(text)), func(r rune) bool { return r == '_' || isASCIIWord(r) },
			func(r rune) bool { return r != '-' && !unicode.IsSpace(r) })
	case Vite:
		return underscored(dashes(strings.ToLower(unaccented(text)), func(r rune) bool { return !viteSpecial(r) }, nil))
	case Docutils:
		return strings.TrimLeft(dashes(strings.ToLower(unaccented(text)), isASCIIWord, nil), "-0123456789")
	case Latin:
		return dashes(strings.ToLower(unaccented(text)), isASCIIWord, nil)
	case Hexo:
		return dashes(unaccented(text), func(r rune) bool { return !viteSpecial(r) }, nil)
	case Ascii:
		return "_" + asciiDoc(text, '_')
	case Antora:
		return asciiDoc(text, '-')
	case Docsify:
		return underscored(github(text, false))
	case Pandoc:
		id := dashes(strings.ToLower(text), func(r rune) bool { return isWord(r) || r == '_' || r == '.' }, func(r rune) bool { return r != '-' && !unicode.IsSpace(r) })
		return strings.TrimLeftFunc(id, func(r rune) bool { return !unicode.IsLetter(r) })
	case Julia:
		return strings.ReplaceAll(text, " ", "-")
	}
	return github(text, s == Rust)
}

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

// underscored puts "_" before an id that begins with a digit.
func underscored(id string) string {
	if id != "" && id[0] >= '0' && id[0] <= '9' {
		return "_" + id
	}
	return id
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

func asciiDoc(text string, separator byte) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case r == ' ' || r == '.' || r == '-':
			if s := b.String(); s != "" && s[len(s)-1] != separator {
				b.WriteByte(separator)
			}
		case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		}
	}
	return strings.TrimRight(b.String(), string(separator))
}

func viteSpecial(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("~`!@#$%^&*()-_+=[]{}|\\;:\"'“”‘’<>,.?/", r)
}
