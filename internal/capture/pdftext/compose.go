package pdftext

import (
	"math"
	"slices"
	"strings"
	"sync"
)

// compose returns the text of a page. Each line of code begins with a tab, which no other line has.
func compose(lines []line) string {
	var b strings.Builder
	after := false // code or a heading
	for i := 0; i < len(lines); {
		n := codeLines(lines[i:])
		if i > 0 {
			b.WriteByte('\n')
			if lines[i].paragraph || n > 0 || lines[i].heading > 0 || after {
				b.WriteByte('\n')
			}
		}
		if after = n > 0 || lines[i].heading > 0; n == 0 {
			b.WriteString(strings.Repeat("\v", lines[i].heading) + lines[i].text)
			i++
			continue
		}
		writeCode(&b, lines[i:i+n])
		i += n
	}
	return b.String()
}

// codeLines returns how many lines at the beginning of a list are code: lines of monospaced characters of one width,
// one below the other.
func codeLines(lines []line) int {
	for n, l := range lines {
		if l.cell == 0 || l.heading > 0 || n > 0 && (math.Abs(l.cell-lines[0].cell) > l.cell/20 || l.y > lines[n-1].y) {
			return n
		}
	}
	return len(lines)
}

// asTyped undoes what TeX does to code.
var asTyped = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("’", "'", "‘", "`", "ˆ", "^", "˜", "~", "␣", " ", "−", "-", "‐", "-")
})

// writeCode writes lines of code with their indentation, and with blank lines where the distance of two lines has room
// for them, at most two. The characters can be further apart than they are wide.
func writeCode(b *strings.Builder, lines []line) {
	left, pitch := math.Inf(1), math.Inf(1)
	apart := []float64{0}
	for i, l := range lines {
		left = math.Min(left, l.glyphs[0].x)
		if i > 0 {
			pitch = math.Min(pitch, lines[i-1].y-l.y)
		}
		for j := 1; j < len(l.glyphs); j++ {
			if gap := l.glyphs[j].x - l.glyphs[j-1].end; math.Abs(gap) < l.cell/2 {
				apart = append(apart, gap)
			}
		}
	}
	slices.Sort(apart)
	loose := apart[len(apart)/2]
	for i, l := range lines {
		if i > 0 {
			b.WriteString(repeat("\n\t", (lines[i-1].y-l.y)/pitch-1, 2) + "\n")
		}
		b.WriteByte('\t')
		end := left - loose
		for _, g := range l.glyphs {
			b.WriteString(repeat(" ", (g.x-end-loose)/(l.cell+loose), 200))
			_, _ = asTyped().WriteString(b, g.text)
			end = g.end
		}
	}
}

// repeat returns text n times, rounded, and at most most times. In a broken file n can be any number, or none.
func repeat(text string, n, most float64) string {
	if n > 0 {
		return strings.Repeat(text, int(math.Round(math.Min(n, most))))
	}
	return ""
}
