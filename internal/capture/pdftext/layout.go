package pdftext

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// A segment is a part of a row without large gaps, from left to right.
type segment struct {
	glyphs          []glyph
	x, end, y, size float64 // of the first glyph
	first           int     // index of the glyph drawn first
}

// A row is the segments at one height, from left to right. y and size come from its largest glyphs.
type row struct {
	y, size  float64
	segments []segment
}

// maxGap is the distance of glyphs of a segment, in parts of the size. nearRows is the number of rows above and below a
// segment that it may belong to.
const maxGap, nearRows = .7, 40

// runsOf divides glyphs into segments that follow each other in the order of drawing too.
func runsOf(glyphs []glyph) []segment {
	var runs []segment
	for i, g := range glyphs {
		if i > 0 {
			r := &runs[len(runs)-1]
			if gap := (g.x - r.end) / g.size; math.Abs(g.y-r.y) < g.size/20 && math.Abs(g.size-r.size) < g.size/20 && gap < maxGap && gap > -.25 {
				r.glyphs, r.end = glyphs[i-len(r.glyphs):i+1], math.Max(r.end, g.end)
				continue
			}
		}
		runs = append(runs, segment{glyphs[i : i+1], g.x, g.end, g.y, g.size, i})
	}
	return runs
}

// rowsOf returns the rows of glyphs, from the top.
func rowsOf(glyphs []glyph) []row {
	runs := runsOf(glyphs)
	slices.SortStableFunc(runs, func(a, b segment) int { return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(b.y, a.y)) })
	var rows []row
	for _, r := range runs {
		place, _ := slices.BinarySearchFunc(rows, r.y, func(row row, y float64) int { return cmp.Compare(y, row.y) })
		best, least := -1, math.Inf(1)
		for i := max(place-nearRows, 0); i < min(place+nearRows, len(rows)); i++ {
			if away := math.Abs(rows[i].y - r.y); away < least && (away <= .3*r.size || rows[i].raises(r, away)) {
				best, least = i, away
			}
		}
		if best < 0 {
			rows, best = slices.Insert(rows, place, row{y: r.y, size: r.size}), place
		}
		rows[best].segments = append(rows[best].segments, r)
	}
	for i := range rows {
		rows[i].join()
	}
	return rows
}

// raises reports whether glyphs are raised or lowered in a row: they are smaller, few, and touch its other glyphs.
func (r *row) raises(n segment, away float64) (touches bool) {
	if away > .6*r.size || n.size > .85*r.size || n.end-n.x > 4*r.size {
		return false
	}
	for _, o := range r.segments {
		if math.Min(n.end, o.end)-math.Max(n.x, o.x) > (n.end-n.x)/2 {
			return false
		}
		touches = touches || n.x < o.end+.35*r.size && n.end > o.x-.35*r.size
	}
	return touches
}

// join joins the segments of a row.
func (r *row) join() {
	var all []glyph
	for _, s := range r.segments {
		all = append(all, s.glyphs...)
	}
	slices.SortFunc(all, func(a, b glyph) int { return cmp.Or(cmp.Compare(a.x, b.x), a.index-b.index) })
	r.segments = nil
	var last *segment
	for _, g := range marked(all) {
		if last != nil && last.overprints(g) {
			continue
		}
		if last == nil || g.x-last.end > maxGap*math.Max(g.size, last.glyphs[len(last.glyphs)-1].size) {
			r.segments = append(r.segments, segment{x: g.x, end: g.end, first: g.index})
			last = &r.segments[len(r.segments)-1]
		}
		last.glyphs = append(last.glyphs, g)
		last.end, last.first = math.Max(last.end, g.end), min(last.first, g.index)
	}
}

// overprints reports whether a glyph is drawn over the same one, for a shadow or for bold letters.
func (s *segment) overprints(g glyph) bool {
	return slices.ContainsFunc(s.glyphs[max(0, len(s.glyphs)-4):], func(o glyph) bool {
		return o.text == g.text && o.object != g.object && g.x-o.x < g.size/10 && math.Abs(g.y-o.y) < g.size/10
	})
}

// marked adds marks to the letters that they are drawn on.
func marked(glyphs []glyph) []glyph {
	for i, g := range glyphs {
		for j := max(i-2, 0); g.mark != "" && j < min(i+3, len(glyphs)); j++ {
			if o := &glyphs[j]; o.mark == "" && g.middle >= o.x && g.middle <= o.end && directionOf(o.text) != neutral {
				o.text, glyphs[i].text = norm.NFC.String(o.text+g.mark), ""
				break
			}
		}
	}
	return slices.DeleteFunc(glyphs, func(g glyph) bool { return g.text == "" })
}

// A page of text has at most maxSegments. minGutter is the width between columns, in parts of the size.
const maxSegments, maxDepth, minGutter = 2000, 12, .7

// columns returns blocks of rows in the order in which they are read. Gaps one below the other can be the space between
// columns of text, or of a table, whose rows are read one by one. They divide text if one side is drawn after the
// other, or if the lines on both sides are as long as lines of prose.
func columns(rows []row, fromRight bool, depth int) [][]row {
	n := 0
	for _, r := range rows {
		n += len(r.segments)
	}
	if len(rows) > 1 && n <= maxSegments && depth < maxDepth {
		if from, to, x := gutter(rows); to > 0 {
			parts := sides(rows[from:to], x)
			if fromRight {
				parts[0], parts[1] = parts[1], parts[0]
			}
			var blocks [][]row
			for _, part := range [][]row{rows[:from], parts[0], parts[1], rows[to:]} {
				blocks = append(blocks, columns(part, fromRight, depth+1)...)
			}
			return blocks
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return [][]row{rows}
}

// sides divides rows at x.
func sides(rows []row, x float64) (parts [2][]row) {
	for _, r := range rows {
		n, _ := slices.BinarySearchFunc(r.segments, x, func(s segment, x float64) int { return cmp.Compare(s.x, x) })
		for i, segments := range [][]segment{r.segments[:n], r.segments[n:]} {
			if len(segments) > 0 {
				parts[i] = append(parts[i], row{r.y, r.size, segments})
			}
		}
	}
	return parts
}

// An interval is a part of the width of a page without text.
type interval struct{ from, to float64 }

// within returns the parts of intervals where a row has no text.
func (r row) within(free []interval) (parts []interval) {
	end := math.Inf(-1)
	for i := range len(r.segments) + 1 {
		gap := interval{end, math.Inf(1)}
		if i < len(r.segments) {
			gap.to, end = r.segments[i].x, math.Max(end, r.segments[i].end)
		}
		for _, f := range free {
			if p := (interval{math.Max(f.from, gap.from), math.Min(f.to, gap.to)}); p.to-p.from >= minGutter*r.size {
				parts = append(parts, p)
			}
		}
	}
	return parts
}

// gutter returns the largest part of the rows that has columns, and where they end. to is 0 if there is none.
func gutter(rows []row) (from, to int, x float64) {
	best := 0
	for i := range rows {
		free := []interval{{math.Inf(-1), math.Inf(1)}}
		for j := i; j <= len(rows); j++ {
			var next []interval
			if j < len(rows) {
				next = rows[j].within(free)
			}
			for _, f := range free {
				goesOn := slices.ContainsFunc(next, func(n interval) bool { return n.from < f.to && n.to > f.from })
				// The last condition is true if it began above.
				if goesOn || math.IsInf(f.to-f.from, 0) || i > 0 && len(rows[i-1].within([]interval{f})) > 0 {
					continue
				}
				if a, b, n := divided(rows[i:j], (f.from+f.to)/2); n > best {
					best, from, to, x = n, i+a, i+b, (f.from+f.to)/2
				}
			}
			free = next
		}
	}
	return from, to, x
}

// divided returns the largest part of rows whose text on both sides of x is to be read one side after the other, and
// the number of rows of the shorter side.
func divided(rows []row, x float64) (from, to, n int) {
	if n = columnRows(rows, x); n > 0 {
		return 0, len(rows), n
	}
	for i := 0; i < len(rows); {
		j := i + 1
		for j < len(rows) && inTurn(rows[i:j+1], x) <= 1 {
			j++
		}
		if count := columnRows(rows[i:j], x); count > n {
			from, to, n = i, j, count
		}
		i = j
	}
	return from, to, n
}

// inTurn returns how often the order of drawing goes from one side of x to the other.
func inTurn(rows []row, x float64) int {
	var all []segment
	for _, r := range rows {
		all = append(all, r.segments...)
	}
	slices.SortFunc(all, func(a, b segment) int { return a.first - b.first })
	n := 0
	for i := 1; i < len(all); i++ {
		if (all[i-1].x < x) != (all[i].x < x) {
			n++
		}
	}
	return n
}

// columnRows returns the number of rows of the shorter of two columns, or 0 if they are not columns.
func columnRows(rows []row, x float64) int {
	parts := sides(rows, x)
	n := min(len(parts[0]), len(parts[1]))
	if n < 2 {
		return 0
	}
	left, leftProse := measure(parts[0]) // markers of lists are shorter than 8 glyphs
	right, rightProse := measure(parts[1])
	if leftProse && rightProse || min(left, right) >= 8 && inTurn(rows, x) <= 1+n/8 {
		return n
	}
	return 0
}

// measure returns the average number of glyphs of rows, and whether they are lines of prose: most of them are nearly as
// wide as the widest, but for a few.
func measure(rows []row) (glyphs int, prose bool) {
	widths := make([]float64, len(rows))
	prose = len(rows) >= 4
	for i, r := range rows {
		for _, s := range r.segments {
			glyphs += len(s.glyphs)
		}
		widths[i] = (r.segments[len(r.segments)-1].end - r.segments[0].x) / r.size
		prose = prose && cellOf(r.segments[0].glyphs) == 0
	}
	glyphs /= len(rows)
	slices.Sort(widths)
	wide := widths[len(widths)*9/10]
	return glyphs, prose && glyphs >= 15 && wide >= 10 && widths[len(widths)*2/5] >= .75*wide
}

// A line is the glyphs at one height of a column, from left to right.
type line struct {
	glyphs    []glyph
	y, size   float64
	cell      float64 // if all fonts are monospaced, otherwise 0
	paragraph bool
	heading   int // level in the outline, otherwise 0
	text      string
	letters   string
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

// leaders finds the dots between an entry of a table of contents and its page number.
var leaders = lazyregexp.New(`(?:[ \t\x{a0}]*[.\x{2024}-\x{2026}\x{b7}]){4,}[ \t\x{a0}]*`)

func withoutLeaders(text string) string { return leaders().ReplaceAllString(text, " ") }
