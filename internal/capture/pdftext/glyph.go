package pdftext

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/pdfium"
)

// A glyph is one or several characters with one origin. Positions are along the direction of the text (x and end), and
// across it (y, upwards).
type glyph struct {
	text            string
	first           rune
	x, end, y, size float64
	font            *pdfium.Font
	object, index   int    // of the page, and in the order of drawing
	spaced          bool   // on its left
	mark            string // combining character for its letter
	middle          float64
}

// glyphsOf returns the glyphs of a page in the order of drawing: a list for each direction of text, the longest first.
// undecoded is the number of characters without a text: in fonts that do not say what their codes are, unless the codes
// are bytes, mostly the codes of Latin letters.
func glyphsOf(p *pdfium.Page) (groups [][]glyph, undecoded int) {
	var byAngle [72][]pdfium.Char
	wide := make(map[*pdfium.Font]bool)
	for _, c := range p.Chars {
		if c.Unmapped && c.Rune > 0xff {
			wide[c.Font] = true
		}
	}
	for _, c := range p.Chars {
		switch {
		case c.Object < 0 || c.Rune < ' ' && c.Rune != hyphen && c.Rune != 0 && c.Rune != '\t':
		case c.Rune == 0 || c.Unmapped && wide[c.Font] || c.Rune == unicode.ReplacementChar || c.Rune == 0xfffe:
			undecoded++
		default:
			i := (int(math.Round(c.Angle/math.Pi*36))%72 + 72) % 72
			byAngle[i] = append(byAngle[i], c)
		}
	}
	for _, chars := range byAngle {
		if len(chars) > 0 {
			groups = append(groups, turned(chars))
		}
	}
	slices.SortStableFunc(groups, func(a, b []glyph) int { return len(b) - len(a) })
	return groups, undecoded
}

// hyphen is what PDFium returns for a hyphen at the end of a line.
const hyphen = 2

// turned returns glyphs of characters of one direction. Characters with one origin in one object are the parts of a ligature, or the
// ActualText of the object.
func turned(chars []pdfium.Char) []glyph {
	sin, cos := math.Sincos(chars[len(chars)/2].Angle)
	middle := func(b pdfium.Box) float64 { return (b.Left+b.Right)/2*cos + (b.Bottom+b.Top)/2*sin }
	glyphs := make([]glyph, 0, len(chars))
	var space glyph
	for i, c := range chars {
		if utf16.IsSurrogate(c.Rune) {
			if c.Rune = utf16.DecodeRune(chars[max(i-1, 0)].Rune, c.Rune); c.Rune == unicode.ReplacementChar {
				continue
			}
		}
		g := glyph{text: lettersFor(c.Rune), x: c.X*cos + c.Y*sin, y: c.Y*cos - c.X*sin, size: math.Max(c.Size, 1), font: c.Font, object: c.Object, index: i, mark: markOf(c.Rune)}
		// a part of a ligature has a part of its box
		g.middle, g.end = middle(c.Box), middle(c.Loose)+c.Advance/2
		g.first, _ = utf8.DecodeRuneInString(g.text)
		last := len(glyphs) - 1
		here := last >= 0 && glyphs[last].mark == "" && c.Object == glyphs[last].object && math.Hypot(g.x-glyphs[last].x, g.y-glyphs[last].y) < g.size/100
		if unicode.IsSpace(c.Rune) {
			if here {
				continue // no character of the file, but a gap
			}
			if last >= 0 && near(g, glyphs[last]) {
				glyphs[last].spaced = true // from right to left
			}
			space = g
			continue
		}
		if c.Font != nil && c.Font.Cell > 0 {
			// the box of a slanted letter is wider
			g.end = g.x + math.Min(c.Advance, c.Font.Cell*g.size)
		}
		if here {
			glyphs[last].text += g.text
			glyphs[last].end = math.Max(glyphs[last].end, g.end)
			continue
		}
		g.spaced = near(space, g)
		space = glyph{}
		glyphs = append(glyphs, g)
	}
	return glyphs
}

// near reports whether a space belongs before the glyph on its right.
func near(space, g glyph) bool {
	return space.size > 0 && g.x >= space.x && math.Abs(g.x-space.end) < g.size/4 && math.Abs(g.y-space.y) < g.size/2
}

// lettersFor returns the text of a character. Ligatures, radicals and presentation forms become the letters that they stand
// for.
func lettersFor(r rune) string {
	switch {
	case r == hyphen || r == '\u00ad':
		return "-"
	case r >= 0x2e80 && r <= 0x2fdf, r >= 0xf900 && r <= 0xfdff, r >= 0xfe70 && r <= 0xfefc:
		return strings.TrimSpace(norm.NFKC.String(string(r)))
	}
	return string(r)
}

// cellOf returns the width of glyphs if all are in monospaced fonts and have the same, otherwise 0. Mathematical signs
// do not count: manuals show the results of code with arrows. Where letters are as wide as ideographs there is no
// code, nor in scripts from Hebrew to Khmer.
func cellOf(glyphs []glyph) (cell float64) {
	for _, g := range glyphs {
		if g.first > '~' && unicode.Is(unicode.Sm, g.first) {
			continue
		}
		if g.font == nil || g.font.Cell == 0 || g.font.Cell > .8 || cell > 0 && math.Abs(g.font.Cell*g.size-cell) > cell/20 || g.first >= 0x590 && g.first < 0x1d00 {
			return 0
		}
		cell = g.font.Cell * g.size
	}
	return cell
}

// markOf returns what a character adds to a letter below or above it: it is a combining mark, or an accent of TeX. It
// returns "" for other characters.
func markOf(r rune) string {
	const accents, marks = "´`ˆ˜¨¯˘˙˚¸˝˛ˇ", "\u0301\u0300\u0302\u0303\u0308\u0304\u0306\u0307\u030a\u0327\u030b\u0328\u030c"
	if i := slices.Index([]rune(accents), r); i >= 0 {
		return string([]rune(marks)[i])
	} else if unicode.Is(unicode.Mn, r) {
		return string(r)
	}
	return ""
}

// isIdeograph reports whether a character belongs to a script that has no spaces between words.
func isIdeograph(r rune) bool {
	return r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r < 0x3040 || r >= 0xff00 && r < 0xfff0
}
