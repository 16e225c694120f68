package pdftext

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// glyphNames are names of glyphs with their characters in hexadecimal: Latin and Greek letters, punctuation and
// ligatures from the Adobe Glyph List, and mathematical signs from the list of TeX. Letters with accents are composed. The
// list of the library has 4281 names, most of them for scripts whose fonts have maps, and takes 218 KB when the program starts.
//
//go:embed glyphs.txt
var glyphNames string

// accents maps the names of accents to characters that combine with the letter before them.
var accents = map[string]string{
	"": "", "grave": "\u0300", "acute": "\u0301", "circumflex": "\u0302", "tilde": "\u0303", "macron": "\u0304", "breve": "\u0306", "dot": "\u0307", "dotaccent": "\u0307",
	"dieresis": "\u0308", "ring": "\u030a", "hungarumlaut": "\u030b", "dblacute": "\u030b", "caron": "\u030c", "cedilla": "\u0327", "commaaccent": "\u0327", "ogonek": "\u0328",
}

// glyphs maps names to characters. It is made at its first use.
var glyphs = sync.OnceValue(func() map[string]rune {
	words := strings.Fields(glyphNames)
	list := make(map[string]rune, len(words)/2)
	for i := 0; i+1 < len(words); i += 2 {
		if n, err := strconv.ParseUint(words[i+1], 16, 32); err == nil {
			list[words[i]] = rune(n)
		}
	}
	return list
})

// glyph returns the text of a glyph by its name, as the Adobe Glyph List Specification defines it: a
// part after a dot does not count, parts between underscores are characters of a ligature, and
// "uni" and "u" come before numbers. Mathematical fonts of TeX have some signs in several sizes.
func glyph(name string) string {
	name, _, _ = strings.Cut(name, ".")
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		r, ok := glyphs()[part]
		for _, size := range []string{"big", "Big", "bigg", "Bigg", "text", "display", "wide", "wider", "widest"} {
			if smaller, found := strings.CutSuffix(part, size); found && !ok {
				r, ok = glyphs()[smaller]
			}
		}
		if ok {
			b.WriteRune(r)
			continue
		}
		if accent, ok := accents[part[min(len(part), 1):]]; ok {
			b.WriteString(norm.NFC.String(part[:min(len(part), 1)] + accent))
			continue
		}
		digits, ok := strings.CutPrefix(part, "uni")
		if !ok {
			digits, ok = strings.CutPrefix(part, "u")
		}
		if n, err := strconv.ParseUint(digits, 16, 32); ok && err == nil && len(digits) >= 4 && utf8.ValidRune(rune(n)) {
			b.WriteRune(rune(n))
		}
	}
	return b.String()
}
