// Package excerpt extracts parts of a text, mainly Markdown: [Lines], a [Section] below its [Heading], links, the
// beginning. It looks at one text alone: it opens no file and follows no link.
//
// Sizes and offsets are in bytes, lines count from 1. No function splits a character.
package excerpt

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// OneLine converts text to one line: runs of white space and controls become a space, so that words stay apart. Other characters
// that nobody sees are removed.
func OneLine(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	space := false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			space = b.Len() > 0
			continue
		case Unseen(r):
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Unseen reports whether nobody sees a character in a text, although a model reads it or it changes what is seen around it: controls,
// controls of direction, tag characters, and characters of no width, except joiners, which scripts and emoji need.
func Unseen(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u200b' || '\u2060' <= r && r <= '\u2064' || r == '\ufeff' || 0xe0000 <= r && r <= 0xe007f
}

// Seen returns a text of several lines without characters that are [Unseen].
func Seen(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && Unseen(r) {
			return -1
		}
		return r
	}, text)
}

// Cut shortens text to at most n bytes, between characters.
func Cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for back := 0; back < utf8.UTFMax && n >= back; back++ { // otherwise it is not UTF-8
		if utf8.RuneStart(text[n-back]) {
			return text[:n-back]
		}
	}
	return text[:n]
}

// Ellipsis is [Cut], and marks that a part is missing.
func Ellipsis(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.TrimRight(Cut(text, n-len("…")), " ") + "…"
}
