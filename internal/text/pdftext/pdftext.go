// Package pdftext extracts the text of PDF files. A PDF can demand any amount of memory and time, and the library that
// reads it is not made for hostile files. So [Read] runs in a process with bounded memory and time, see
// [github.com/mcp-docs-server/mcp-docs-server/internal/capture/conversion].
//
// A PDF has no lines, so lines are made from the positions of characters. Columns are read one after the other only if
// the file has them in this order.
package pdftext

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/ledongthuc/pdf"
)

const (
	maxPages = 5000
	maxText  = 8 << 20 // bytes
	// maxRanges is the maximum number of page ranges in a note.
	maxRanges = 40
)

// Read returns the texts of the pages of a PDF, and sentences that say what is missing.
func Read(data []byte) (pages, notes []string, err error) {
	defer func() {
		if r := recover(); r != nil {
			pages, notes, err = nil, nil, fmt.Errorf("it is broken: %v", r)
		}
	}()
	r, err := pdf.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, nil, err
	}
	n := r.NumPage()
	if n > maxPages {
		return nil, nil, fmt.Errorf("it has %d pages, and at most %d are read", n, maxPages)
	}
	if n == 0 {
		return nil, nil, fmt.Errorf("it has no pages")
	}
	size := 0
	var undecoded, empty, broken []int
	for i := 1; i <= n; i++ {
		p := pageText(r.Page(i))
		if size += len(p.text); size > maxText {
			notes = append(notes, fmt.Sprintf("The text is cut after page %d: it has more than %d MiB.", i-1, maxText>>20))
			break
		}
		pages = append(pages, p.text)
		switch {
		case p.broken:
			broken = append(broken, i)
		case p.undecoded > 0:
			undecoded = append(undecoded, i)
		case p.text == "" && p.images:
			empty = append(empty, i)
		}
	}
	note := func(pages []int, what string) {
		if len(pages) > 0 {
			notes = append(notes, what+" on "+listOf(pages)+".")
		}
	}
	note(undecoded, "Characters are missing, as their fonts do not say what they are,")
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
