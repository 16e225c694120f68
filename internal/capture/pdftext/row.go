package pdftext

import (
	"cmp"
	"math"
	"slices"

	"golang.org/x/text/unicode/norm"
)

// A segment is a part of a row without large gaps, from left to right.
type segment struct {
	glyphs          []glyph
	x, end, y, size float64 // y and size of the first glyph
	first           int     // the index of the glyph that is drawn first
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
			return false // it is above or below
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
