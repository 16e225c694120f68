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

// OneLine converts text to one line: runs of white space become a space, control characters are
// removed.
func OneLine(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	space := false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
			continue
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\ufeff':
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
