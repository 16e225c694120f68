package pdftext

import (
	"cmp"
	"math"
	"slices"

	"golang.org/x/text/unicode/norm"
)

// A run is glyphs that follow each other in the order of drawing and on the page.
type run struct {
	glyphs          []glyph
	x, end, y, size float64
}

// A row is the segments at one height, from left to right.
type row struct {
	y, size  float64 // of its largest glyphs
	segments []segment
	runs     []run
}

// A segment is a part of a row without large gaps.
type segment struct {
	glyphs []glyph
	x, end float64
	first  int // index of the glyph that is drawn first
}

const (
	maxGap      = .7  // between the glyphs of a segment, in parts of the size
	sameHeight  = .3  // difference of baselines in a row
	raised      = .6  // height of raised and lowered glyphs
	raisedSize  = .85 // their size in comparison
	raisedWidth = 4   // of a run of them
	touch       = .35 // their distance to other glyphs of the row
	nearRows    = 40  // rows around a height that are looked at
)

func runsOf(glyphs []glyph) []run {
	var runs []run
	for i, g := range glyphs {
		if i > 0 {
			r := &runs[len(runs)-1]
			if gap := g.x - r.end; math.Abs(g.y-r.y) < g.size/20 && math.Abs(g.size-r.size) < g.size/20 && gap < maxGap*g.size && gap > -g.size/4 {
				r.glyphs = glyphs[i-len(r.glyphs) : i+1]
				r.end = math.Max(r.end, g.end)
				continue
			}
		}
		runs = append(runs, run{glyphs[i : i+1], g.x, g.end, g.y, g.size})
	}
	return runs
}

// rowsOf returns the rows of glyphs, from the top.
func rowsOf(glyphs []glyph) []row {
	runs := runsOf(glyphs)
	slices.SortStableFunc(runs, func(a, b run) int { return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(b.y, a.y)) })
	var rows []row // from the top
	for _, r := range runs {
		place, _ := slices.BinarySearchFunc(rows, r.y, func(row row, y float64) int { return cmp.Compare(y, row.y) })
		best, least := -1, math.Inf(1)
		for i := max(place-nearRows, 0); i < min(place+nearRows, len(rows)); i++ {
			away := math.Abs(rows[i].y - r.y)
			if away < least && (away <= sameHeight*r.size || rows[i].raises(r, away)) {
				best, least = i, away
			}
		}
		if best < 0 {
			rows = slices.Insert(rows, place, row{y: r.y, size: r.size})
			best = place
		}
		rows[best].runs = append(rows[best].runs, r)
	}
	for i := range rows {
		rows[i].divide()
	}
	return rows
}

// raises reports whether a run is raised or lowered in a row.
func (r *row) raises(n run, away float64) bool {
	if away > raised*r.size || n.size > raisedSize*r.size || n.end-n.x > raisedWidth*r.size {
		return false
	}
	touches := false
	for _, o := range r.runs {
		if math.Min(n.end, o.end)-math.Max(n.x, o.x) > (n.end-n.x)/2 {
			return false // it is above or below
		}
		touches = touches || n.x < o.end+touch*r.size && n.end > o.x-touch*r.size
	}
	return touches
}

// divide makes segments of the runs of a row.
func (r *row) divide() {
	var all []glyph
	for _, run := range r.runs {
		all = append(all, run.glyphs...)
	}
	slices.SortFunc(all, func(a, b glyph) int { return cmp.Or(cmp.Compare(a.x, b.x), a.index-b.index) })
	r.runs = nil
	all = marked(all)
	var last *segment
	for _, g := range all {
		switch {
		case last != nil && last.overprints(g):
			continue
		case last == nil || g.x-last.end > maxGap*math.Max(g.size, last.glyphs[len(last.glyphs)-1].size):
			r.segments = append(r.segments, segment{x: g.x, end: g.end, first: g.index})
			last = &r.segments[len(r.segments)-1]
		}
		last.glyphs = append(last.glyphs, g)
		last.end, last.first = math.Max(last.end, g.end), min(last.first, g.index)
	}
}

// overprints reports whether a glyph is drawn over the same one, for a shadow or for bold letters.
func (s *segment) overprints(g glyph) bool {
	for i := len(s.glyphs) - 1; i >= max(0, len(s.glyphs)-4); i-- {
		o := &s.glyphs[i]
		if o.text == g.text && o.object != g.object && g.x-o.x < g.size/10 && math.Abs(g.y-o.y) < g.size/10 {
			return true
		}
	}
	return false
}

// marked adds marks to the letters that they are drawn on.
func marked(glyphs []glyph) []glyph {
	if !slices.ContainsFunc(glyphs, func(g glyph) bool { return g.mark != "" }) {
		return glyphs
	}
	for i, g := range glyphs {
		if g.mark == "" {
			continue
		}
		for _, j := range []int{i - 1, i + 1, i - 2, i + 2} {
			if j < 0 || j >= len(glyphs) || glyphs[j].mark != "" || glyphs[j].text == "" || g.middle < glyphs[j].x || g.middle > glyphs[j].end || directionOf(glyphs[j].text) == neutral {
				continue
			}
			glyphs[j].text = norm.NFC.String(glyphs[j].text + g.mark)
			glyphs[i].text = ""
			break
		}
	}
	return slices.DeleteFunc(glyphs, func(g glyph) bool { return g.text == "" })
}
