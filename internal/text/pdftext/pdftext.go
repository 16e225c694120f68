// Package pdftext makes text of PDF files. A PDF can ask for any amount of memory and time, and the library that reads
// it is not made for hostile ones. So [Read] runs in a process whose memory and time are bounded, see
// [github.com/mcp-docs-server/mcp-docs-server/internal/capture/conversion].
//
// Lines are made of where characters stand, since a PDF has no others; columns are read one after the other only if
// the file has them in this order.
package pdftext

import (
	"bytes"
	"fmt"

	"github.com/ledongthuc/pdf"
)

const (
	maxPages = 5000
	maxText  = 8 << 20 // bytes
)

// Read returns the text of the pages of a PDF.
func Read(data []byte) (pages []string, err error) {
	defer func() {
		if r := recover(); r != nil {
			pages, err = nil, fmt.Errorf("it is broken: %v", r)
		}
	}()
	r, err := pdf.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	n := r.NumPage()
	if n > maxPages {
		return nil, fmt.Errorf("it has %d pages, and at most %d are read", n, maxPages)
	}
	if n == 0 {
		return nil, fmt.Errorf("it has no pages")
	}
	size := 0
	for i := 1; i <= n; i++ {
		text := pageText(r.Page(i))
		if size += len(text); size > maxText {
			return nil, fmt.Errorf("its text has more than %d MiB", maxText>>20)
		}
		pages = append(pages, text)
	}
	return pages, nil
}
