package pdftext

import (
	"iter"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// A line is the glyphs at one height of a column, from left to right.
type line struct {
	glyphs    []glyph
	y, size   float64
	cell      float64 // width of the glyphs, if all are in monospaced fonts, otherwise 0
	paragraph bool    // the line begins a paragraph
	heading   int     // level of a heading of the outline, otherwise 0
	text      string  // of a line of prose
}

// linesOf returns the lines of blocks of rows.
func linesOf(blocks [][]row) []line {
	var lines []line
	for _, block := range blocks {
		for i, r := range block {
			l := line{y: r.y, size: r.size}
			for _, s := range r.segments {
				l.glyphs = append(l.glyphs, s.glyphs...)
			}
			l.cell = cellOf(l.glyphs)
			l.paragraph = i == 0 || block[i-1].y-r.y >= 1.7*math.Max(r.size, block[i-1].size)
			if l.text = prose(l.glyphs); l.cell > 0 && strings.ContainsFunc(l.text, func(r rune) bool { return directionOf(string(r)) == toLeft }) {
				l.cell = 0
			}
			lines = append(lines, l)
		}
	}
	return lines
}

const (
	wordGap = 1. / 9 // between words, in parts of the size
	// ideographs of justified lines are further apart.
	ideographGap = .35
	// spread lines have gaps between the letters of a word: at least four, of which one in five may be smaller.
	minSpread = 4
	maxSpread = .5 // in parts of the size
)

// prose returns the text of a line, with spaces where there are gaps.
func prose(glyphs []glyph) string {
	parts := make([]string, 0, len(glyphs)*5/4)
	spread := spreadOf(glyphs)
	for i, g := range glyphs {
		if i > 0 {
			last := glyphs[i-1]
			size := math.Max(g.size, last.size)
			gap := (g.x - last.end) / size
			limit := wordGap
			if isIdeograph(last.first) && isIdeograph(g.first) {
				limit = ideographGap
			}
			if g.spaced || gap > limit+spread {
				parts = append(parts, " ")
			}
		}
		parts = append(parts, g.text)
	}
	return withoutLeaders(strings.Join(logical(parts), ""))
}

// spreadOf returns the distance of the letters of a line that is spread, in parts of the size.
func spreadOf(glyphs []glyph) float64 {
	var gaps []float64
	for i := 1; i < len(glyphs); i++ {
		a, b := glyphs[i-1], glyphs[i]
		if gap := (b.x - a.end) / b.size; unicode.IsLetter(a.first) && unicode.IsLetter(b.first) && !isIdeograph(b.first) && gap < 2*maxSpread {
			gaps = append(gaps, gap)
		}
	}
	if len(gaps) < minSpread {
		return 0
	}
	slices.Sort(gaps)
	if gap := gaps[len(gaps)/5]; gap > wordGap/2 && gap <= maxSpread {
		return gap
	}
	return 0
}

// direction is how characters of a text are written.
type direction int

const (
	neutral direction = iota
	toRight
	toLeft
	digits // is written to the right, in words that are written to the left too
)

func directionOf(text string) direction {
	for _, r := range text {
		switch {
		case unicode.IsDigit(r):
			return digits
		case r >= 0x590 && unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko):
			return toLeft
		case unicode.IsLetter(r):
			return toRight
		}
	}
	return neutral
}

// isToLeft reports whether half of the letters of texts or more are written from right to left.
func isToLeft(texts iter.Seq[string]) bool {
	var count [digits + 1]int
	for text := range texts {
		count[directionOf(text)]++
	}
	return count[toLeft] > 0 && count[toLeft] >= count[toRight]
}

// logical puts the parts of a line, which are in the order from left to right, into the order in which they are read.
func logical(parts []string) []string {
	directions := make([]direction, len(parts))
	for i, p := range parts {
		directions[i] = directionOf(p)
	}
	if isToLeft(slices.Values(parts)) {
		reverse(parts, directions)
		return parts
	}
	spans(directions, []direction{toLeft}, toRight, func(from, to int) { reverse(parts[from:to], directions[from:to]) })
	return parts
}

// reverse reverses parts, but not the words and numbers that are written to the right.
func reverse(parts []string, directions []direction) {
	slices.Reverse(parts)
	slices.Reverse(directions)
	spans(directions, []direction{toRight, digits}, toLeft, func(from, to int) {
		words := slices.Contains(directions[from:to], toRight)
		for from < to { // words come in their order, and numbers one by one
			end := from
			for end < to && (words || parts[end] != " ") {
				end++
			}
			slices.Reverse(parts[from:end])
			from = end + 1
		}
	})
}

// spans calls f for the longest parts that begin and end with some directions, and do not have another one.
func spans(all, edges []direction, without direction, f func(from, to int)) {
	for i := 0; i < len(all); i++ {
		to := i
		for j := i; slices.Contains(edges, all[i]) && j < len(all) && all[j] != without; j++ {
			if slices.Contains(edges, all[j]) {
				to = j + 1
			}
		}
		if to > i {
			f(i, to)
			i = to
		}
	}
}

// leaders finds the dots between an entry of a table of contents and its page number.
var leaders = lazyregexp.New(`(?:[ \t\x{a0}]*[.\x{2024}-\x{2026}\x{b7}]){4,}[ \t\x{a0}]*`)

func withoutLeaders(text string) string { return leaders().ReplaceAllString(text, " ") }
