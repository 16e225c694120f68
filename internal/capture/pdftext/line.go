package pdftext

import (
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
	letters   string  // of the text
}

// linesOf returns the lines of blocks of rows.
func linesOf(blocks [][]row) []line {
	var lines []line
	for _, block := range blocks {
		for i, r := range block {
			l := line{y: r.y, size: r.size, paragraph: i == 0 || block[i-1].y-r.y >= 1.7*math.Max(r.size, block[i-1].size)}
			for _, s := range r.segments {
				l.glyphs = append(l.glyphs, s.glyphs...)
			}
			l.cell, l.text = cellOf(l.glyphs), prose(l.glyphs)
			l.letters = lettersOf(l.text)
			lines = append(lines, l)
		}
	}
	return lines
}

// wordGap is the least distance of words, in parts of the size.
const wordGap = 1. / 9

// prose returns the text of a line, with spaces where there are gaps.
func prose(glyphs []glyph) string {
	parts := make([]string, 0, len(glyphs)*5/4)
	spread := spreadOf(glyphs)
	for i, g := range glyphs {
		if i > 0 {
			last := glyphs[i-1]
			gap, limit := (g.x-last.end)/math.Max(g.size, last.size), wordGap
			if isIdeograph(last.first) && isIdeograph(g.first) {
				limit = .35 // words of justified lines are apart
			}
			if g.spaced || gap > limit+spread {
				parts = append(parts, " ")
			}
		}
		parts = append(parts, g.text)
	}
	return withoutLeaders(strings.Join(logical(parts), ""))
}

// spreadOf returns the distance of the letters of a line whose words are spread, in parts of the size: one gap in five may
// be smaller.
func spreadOf(glyphs []glyph) float64 {
	var gaps []float64
	for i := 1; i < len(glyphs); i++ {
		a, b := glyphs[i-1], glyphs[i]
		if gap := (b.x - a.end) / b.size; unicode.IsLetter(a.first) && unicode.IsLetter(b.first) && !isIdeograph(b.first) && gap < 1 {
			gaps = append(gaps, gap)
		}
	}
	if len(gaps) < 4 {
		return 0
	}
	slices.Sort(gaps)
	if gap := gaps[len(gaps)/5]; gap > wordGap/2 && gap <= .5 {
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

// isToLeft reports whether half of the letters or more are written from right to left.
func isToLeft(directions []direction) bool {
	var count [digits + 1]int
	for _, d := range directions {
		count[d]++
	}
	return count[toLeft] > 0 && count[toLeft] >= count[toRight]
}

// logical puts the parts of a line, which are in the order from left to right, into the order in which they are read.
func logical(parts []string) []string {
	directions := make([]direction, len(parts))
	for i, p := range parts {
		directions[i] = directionOf(p)
	}
	if isToLeft(directions) {
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
