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
	"strconv"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/pdfium"
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
	var missing [len(causes)][]int // pages
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
