// Package pdftext makes lines of text of the characters of PDF files, which
// [github.com/mcp-docs-server/mcp-docs-server/internal/text/pdfium] reads.
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

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/pdfium"
)

const (
	maxPages = 5000
	maxText  = 8 << 20 // bytes
	// maxRanges is the maximum number of page ranges in a note.
	maxRanges = 40
)

// Read returns the texts of the pages of a PDF, and sentences that say what is missing. A line of code begins with a
// tab, and a heading of the outline with a vertical tab for each level.
func Read(e *pdfium.Engine, data []byte) (pages, notes []string, err error) {
	d, err := e.Open(data)
	if err != nil {
		return nil, nil, err
	}
	defer d.Close()
	n := d.Pages()
	if n > maxPages {
		return nil, nil, fmt.Errorf("it has %d pages, and at most %d are read", n, maxPages)
	}
	if n <= 0 {
		return nil, nil, fmt.Errorf("it has no pages")
	}
	size := 0
	headings := newHeadings(d.Outline())
	var undecoded, empty, broken, lost []int
	for i := range n {
		p, err := d.Page(i)
		if err != nil {
			broken = append(broken, i+1)
			pages = append(pages, "")
			continue
		}
		text, missing := textOfPage(p, i, headings)
		if size += len(text); size > maxText {
			notes = append(notes, fmt.Sprintf("The text is cut after page %d: it has more than %d MiB.", i, maxText>>20))
			break
		}
		pages = append(pages, text)
		switch {
		case missing > 0:
			undecoded = append(undecoded, i+1)
		case p.Lost > 0:
			lost = append(lost, i+1)
		case text == "" && p.Images > 0:
			empty = append(empty, i+1)
		}
	}
	note := func(pages []int, what string) {
		if len(pages) > 0 {
			notes = append(notes, what+" on "+listOf(pages)+".")
		}
	}
	note(undecoded, "Characters are missing, as their fonts do not say what they are,")
	note(lost, "Text is missing, as its fonts are not in the file,")
	note(empty, "There is no text, only an image,")
	note(broken, "The file is broken, and text may be missing,")
	return pages, notes, nil
}

// listOf returns page numbers as words, with ranges: "pages 1, 3 to 5". There may be thousands.
func listOf(pages []int) string {
	var parts []string
	for i := 0; i < len(pages); {
		end := i
		for end+1 < len(pages) && pages[end+1] == pages[end]+1 {
			end++
		}
		if len(parts) == maxRanges {
			parts = append(parts, fmt.Sprintf("and %d more", len(pages)-i))
			break
		}
		if part := strconv.Itoa(pages[i]); end == i {
			parts = append(parts, part)
		} else {
			parts = append(parts, part+" to "+strconv.Itoa(pages[end]))
		}
		i = end + 1
	}
	if len(pages) == 1 {
		return "page " + parts[0]
	}
	return "pages " + strings.Join(parts, ", ")
}

// textOfPage returns the text of a page, and how many of its characters have none.
func textOfPage(p *pdfium.Page, number int, headings headings) (text string, undecoded int) {
	groups, undecoded := glyphsOf(p)
	var lines []line
	for _, glyphs := range groups {
		fromRight := isToLeft(func(yield func(string) bool) {
			for _, g := range glyphs {
				if !yield(g.text) {
					return
				}
			}
		})
		lines = append(lines, linesOf(columns(rowsOf(glyphs), fromRight, 0))...)
	}
	return compose(headings.mark(number, lines)), undecoded
}
