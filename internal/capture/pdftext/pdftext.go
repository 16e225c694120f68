// Package pdftext makes lines of text of the characters of PDF files, which
// [github.com/mcp-docs-server/mcp-docs-server/internal/capture/pdfium] reads.
//
// A PDF has no words, lines or columns, and its characters can be in any order. So, for each page and each direction of
// text on it:
//
//  1. Characters become glyphs, which have a text, an origin and an end. A glyph that is drawn twice counts once.
//  2. Glyphs with one baseline become rows, sorted from left to right. Raised and lowered glyphs belong to the row that
//     they touch. Rows are divided into segments where they have large gaps.
//  3. Segments become columns: see [columns].
//  4. The segments of a column become lines. Spaces are where gaps are, and words of Arabic and Hebrew are reversed.
//  5. Lines become paragraphs, code and headings.
package pdftext

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/pdfium"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// maxText is in bytes, and maxRanges is the number of page ranges in a note.
const maxPages, maxText, maxRanges = 5000, 8 << 20, 40

// Read returns the texts of the pages of a PDF, and sentences that say what is missing. A line of code begins with a
// tab, and a heading of the outline with a vertical tab for each level.
func Read(e *pdfium.Engine, data []byte) (pages, notes []string, err error) {
	d, err := e.Open(data)
	if err != nil {
		return nil, nil, err
	}
	defer d.Close()
	n := d.Pages()
	if n <= 0 || n > maxPages {
		return nil, nil, fmt.Errorf("it has %d pages, and files of 1 to %d pages are read", max(n, 0), maxPages)
	}
	entries := make(map[int][]pdfium.Entry)
	for _, e := range d.Outline() {
		entries[e.Page] = append(entries[e.Page], e)
	}
	causes := [...]string{"Characters are missing, as their fonts do not say what they are,", "Text is missing, as its fonts are not in the file,",
		"There is no text, only an image,", "The file is broken, and text may be missing,"}
	var missing [len(causes)][]int
	size := 0
	for i := range n {
		p, err := d.Page(i)
		if err != nil {
			p = new(pdfium.Page)
		}
		text, undecoded := textOf(p, entries[i])
		if size += len(text); size > maxText {
			notes = append(notes, fmt.Sprintf("The text is cut after page %d: it has more than %d MiB.", i, maxText>>20))
			break
		}
		pages = append(pages, text)
		for cause, is := range []bool{undecoded > 0, p.Lost > 0, text == "" && p.Lost == 0 && p.Images > 0, err != nil} {
			if is {
				missing[cause] = append(missing[cause], i+1)
			}
		}
	}
	for i, list := range missing {
		if len(list) > 0 {
			notes = append(notes, causes[i]+" on "+listOf(list)+".")
		}
	}
	return pages, notes, nil
}

// textOf returns the text of a page, and how many of its characters have none.
func textOf(p *pdfium.Page, entries []pdfium.Entry) (text string, undecoded int) {
	groups, undecoded := glyphsOf(p)
	var lines []line
	for _, glyphs := range groups {
		directions := make([]direction, len(glyphs))
		for i, g := range glyphs {
			directions[i] = directionOf(g.text)
		}
		lines = append(lines, linesOf(columns(rowsOf(glyphs), isToLeft(directions), 0))...)
	}
	return compose(markHeadings(entries, lines)), undecoded
}

// listOf returns page numbers as words, with ranges: "pages 1, 3 to 5". There may be thousands.
func listOf(pages []int) string {
	var parts []string
	for i := 0; i < len(pages); {
		if len(parts) == maxRanges {
			parts = append(parts, fmt.Sprintf("and %d more", len(pages)-i))
			break
		}
		part, first := strconv.Itoa(pages[i]), i
		for i++; i < len(pages) && pages[i] == pages[i-1]+1; i++ {
		}
		if i > first+1 {
			part += " to " + strconv.Itoa(pages[i-1])
		}
		parts = append(parts, part)
	}
	if len(pages) == 1 {
		return "page " + parts[0]
	}
	return "pages " + strings.Join(parts, ", ")
}

// markHeadings makes headings of the lines of a page that are titles in the outline: the largest that has the words, with
// a number before them or not. A title can be up to four lines.
func markHeadings(entries []pdfium.Entry, lines []line) []line {
	for _, e := range entries[:min(len(entries), 200)] {
		title, best, count := lettersOf(e.Title), -1, 0
		for i := range lines {
			if n := titleLines(lines[i:], title); n > 0 && lines[i].heading == 0 && (best < 0 || lines[i].size > 1.01*lines[best].size) {
				best, count = i, n
			}
		}
		if best < 0 {
			continue
		}
		lines[best].heading = min(e.Level, 4)
		for _, next := range lines[best+1 : best+count] {
			lines[best].text += " " + next.text
		}
		lines = slices.Delete(lines, best+1, best+count)
	}
	return lines
}

// number finds what can be before a title.
var number = lazyregexp.New(`^(?:chapter|appendix|section|part)?(?:[a-z]?[0-9]+|[ivx]+|[a-z])$`)

// titleLines returns how many lines at the beginning are a title, or 0.
func titleLines(lines []line, title string) int {
	all := ""
	for n, l := range lines[:min(len(lines), 4)] {
		all += l.letters
		if before, ok := strings.CutSuffix(all, title); ok && l.letters != "" && title != "" && (before == "" || number().MatchString(before)) {
			return n + 1
		} else if len(all) > len(title)+20 {
			break
		}
	}
	return 0
}

// lettersOf returns the letters and digits of a text, in lower case.
func lettersOf(text string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), ""))
}

// compose returns the text of a page. Each line of code begins with a tab, which no other line has.
func compose(lines []line) string {
	var b strings.Builder
	after := false
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
