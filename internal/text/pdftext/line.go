package pdftext

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// A part is a string on a page.
type part struct {
	text   string
	x, end float64
	cell   float64 // width of each character in a monospaced font, otherwise 0
}

func (p part) blank() bool { return strings.TrimSpace(p.text) == "" }

// A line is the parts at one height of a page.
type line struct {
	parts     []part
	y, size   float64 // size of the letters of the last part
	cell      float64 // of its parts, if all are in monospaced fonts, otherwise 0
	paragraph bool    // the line begins a paragraph
}

// join adds next to l if both have the same height. Otherwise join finds out whether next begins a paragraph: it is far
// below l, or above it.
func (l *line) join(next *line) bool {
	size, down := math.Max(l.size, next.size), l.y-next.y
	if math.Abs(down) >= size/2 {
		next.paragraph = down < 0 || down >= 1.7*size
		return false
	}
	switch p := next.parts[0]; {
	case l.parts[len(l.parts)-1].blank() && len(l.parts) == 1:
		l.parts, l.cell = l.parts[:0], p.cell
	case p.cell == 0 && !p.blank():
		l.cell = 0
	}
	l.parts = append(l.parts, next.parts...)
	l.y, l.size = next.y, next.size
	return true
}

// prose returns the text of a line, with spaces where there are gaps.
func (l *line) prose() string {
	var b strings.Builder
	space := true
	for i, p := range l.parts {
		if i > 0 {
			gap := p.x - l.parts[i-1].end
			if (gap > l.size/9 || gap < -l.size) && !space && p.text[0] != ' ' {
				b.WriteByte(' ')
			}
		}
		b.WriteString(p.text)
		space = strings.HasSuffix(p.text, " ")
	}
	return withoutLeaders(b.String())
}

// compose returns the text of a page. Each line of code begins with a tab, which no other line has.
func compose(lines []line) string {
	var b strings.Builder
	for i := 0; i < len(lines); {
		n := codeLines(lines[i:])
		if i > 0 {
			b.WriteByte('\n')
			if lines[i].paragraph || n > 0 {
				b.WriteByte('\n')
			}
		}
		if n == 0 {
			b.WriteString(lines[i].prose())
			i++
			continue
		}
		writeCode(&b, lines[i:i+n])
		if i += n; i < len(lines) {
			lines[i].paragraph = true
		}
	}
	return b.String()
}

// codeLines returns how many lines at the beginning of a list are code: lines of monospaced characters of one width,
// one below the other.
func codeLines(lines []line) int {
	for n, l := range lines {
		if l.cell == 0 || l.parts[0].blank() || n > 0 && (math.Abs(l.cell-lines[0].cell) > l.cell/20 || l.y > lines[n-1].y) {
			return n
		}
	}
	return len(lines)
}

const (
	maxBlank = 2   // consecutive blank lines in code
	maxGap   = 200 // consecutive spaces in code
)

// asTyped undoes what TeX does to code.
var asTyped = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("’", "'", "‘", "`", "ˆ", "^", "˜", "~", "␣", " ", "−", "-", "‐", "-")
})

// writeCode writes lines of code with their indentation, and with blank lines where the distance of two lines has room
// for them. The characters can be further apart than they are wide.
func writeCode(b *strings.Builder, lines []line) {
	left, pitch := math.Inf(1), math.Inf(1)
	apart := []float64{0}
	for i, l := range lines {
		first := &l.parts[0]
		trimmed := strings.TrimLeft(first.text, " ")
		first.x += l.cell * float64(len(first.text)-len(trimmed))
		first.text = trimmed
		left = math.Min(left, first.x)
		if i > 0 {
			pitch = math.Min(pitch, lines[i-1].y-l.y)
		}
		for j := 1; j < len(l.parts); j++ {
			if gap := l.parts[j].x - l.parts[j-1].end; math.Abs(gap) < l.cell/2 {
				apart = append(apart, gap)
			}
		}
	}
	slices.Sort(apart)
	loose := apart[len(apart)/2]
	for i, l := range lines {
		if i > 0 {
			b.WriteString(repeat("\n\t", (lines[i-1].y-l.y)/pitch-1, maxBlank) + "\n")
		}
		b.WriteByte('\t')
		end := left - loose
		for _, p := range l.parts {
			b.WriteString(repeat(" ", (p.x-end-loose)/(l.cell+loose), maxGap))
			_, _ = asTyped().WriteString(b, p.text)
			end = p.end
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

// leaders finds the dots between an entry of a table of contents and its page number.
var leaders = lazyregexp.New(`(?:[ \t\x{a0}]*[.\x{2024}-\x{2026}\x{b7}]){4,}[ \t\x{a0}]*`)

func withoutLeaders(text string) string { return leaders().ReplaceAllString(text, " ") }
