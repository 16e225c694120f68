package pdftext

import (
	"math"
	"slices"
)

const (
	maxRows    = 500 // more rows than a page of text has are not searched for columns
	maxDepth   = 12
	minGutter  = .7 // width between columns, in parts of the size
	minGlyphs  = 8  // of a row of a column, on average
	minProse   = 15 // the same, for columns that are drawn row by row
	proseRows  = 4  // of such columns
	proseWidth = 10 // of such columns, in parts of the size
)

// columns returns blocks of rows in the order in which they are read. Gaps one below the other can be the space between
// columns of text, or of a table, whose rows are read one by one. They divide text if one side is drawn after the
// other, or if the lines on both sides are as long as those of prose.
func columns(rows []row, fromRight bool, depth int) [][]row {
	if len(rows) > 1 && len(rows) <= maxRows && depth < maxDepth {
		if from, to, x := gutter(rows); to > 0 {
			left, right := sides(rows[from:to], x)
			if fromRight {
				left, right = right, left
			}
			var blocks [][]row
			for _, part := range [][]row{rows[:from], left, right, rows[to:]} {
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
func sides(rows []row, x float64) (left, right []row) {
	for _, r := range rows {
		n := 0
		for n < len(r.segments) && r.segments[n].x < x {
			n++
		}
		if n > 0 {
			left = append(left, row{y: r.y, size: r.size, segments: r.segments[:n]})
		}
		if n < len(r.segments) {
			right = append(right, row{y: r.y, size: r.size, segments: r.segments[n:]})
		}
	}
	return left, right
}

// An interval is a part of the width of a page without text.
type interval struct{ from, to float64 }

func (i interval) bounded() bool { return !math.IsInf(i.from, 0) && !math.IsInf(i.to, 0) }

// within returns the parts of intervals where a row has no text.
func (r row) within(free []interval) []interval {
	var all []interval
	end := math.Inf(-1)
	for i := 0; i <= len(r.segments); i++ {
		next := math.Inf(1)
		if i < len(r.segments) {
			next = r.segments[i].x
		}
		for _, f := range free {
			if g := (interval{math.Max(f.from, end), math.Min(f.to, next)}); g.to-g.from >= minGutter*r.size {
				all = append(all, g)
			}
		}
		if i < len(r.segments) {
			end = math.Max(end, r.segments[i].end)
		}
	}
	return all
}

// gutter returns the largest part of the rows that has columns, and where they end. to is 0 if there is none.
func gutter(rows []row) (from, to int, x float64) {
	best := 0
	everywhere := []interval{{math.Inf(-1), math.Inf(1)}}
	for i := range rows {
		free := everywhere
		for j := i; j <= len(rows); j++ {
			var next []interval
			if j < len(rows) {
				next = rows[j].within(free)
			}
			for _, f := range free {
				if !f.bounded() || slices.ContainsFunc(next, func(n interval) bool { return n.from < f.to && n.to > f.from }) {
					continue
				}
				if i > 0 && len(rows[i-1].within([]interval{f})) > 0 {
					continue // the rows above were looked at with these
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
	for i := 0; i < len(rows); { // cells of a table with several lines
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

// columnRows returns the number of rows of the shorter of two columns, or 0 if they are no columns.
func columnRows(rows []row, x float64) int {
	left, right := sides(rows, x)
	n := min(len(left), len(right))
	if n < 2 {
		return 0
	}
	a, b := measure(left), measure(right)
	drawn := inTurn(rows, x) <= 1+n/8 && a.glyphs >= minGlyphs && b.glyphs >= minGlyphs
	if drawn || n >= proseRows && a.isProse() && b.isProse() {
		return n
	}
	return 0
}

// A column is what [measure] finds out about rows.
type column struct {
	glyphs int     // of a row, on average
	width  float64 // of the rows, except for a few long ones, in parts of the size
	full   float64 // share of the rows that are nearly as wide
	code   int     // rows in monospaced fonts
}

func (c column) isProse() bool {
	return c.glyphs >= minProse && c.width >= proseWidth && c.full >= .6 && c.code == 0
}

func measure(rows []row) (c column) {
	widths := make([]float64, len(rows))
	for i, r := range rows {
		for _, s := range r.segments {
			c.glyphs += len(s.glyphs)
		}
		if cellOf(r.segments[0].glyphs) > 0 {
			c.code++
		}
		widths[i] = (r.segments[len(r.segments)-1].end - r.segments[0].x) / r.size
	}
	c.glyphs /= len(rows)
	slices.Sort(widths)
	c.width = widths[len(widths)*9/10]
	for _, w := range widths {
		if w >= .75*c.width {
			c.full += 1 / float64(len(widths))
		}
	}
	return c
}
