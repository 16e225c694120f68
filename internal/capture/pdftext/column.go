package pdftext

import (
	"cmp"
	"math"
	"slices"
)

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
				if goesOn || math.IsInf(f.to-f.from, 0) || i > 0 && len(rows[i-1].within([]interval{f})) > 0 { // or it began above
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
