// Package testpdf makes small PDF files for tests from their content streams, without compression, so that a test can
// change the bytes. It checks nothing, so it also makes broken files.
package testpdf

import (
	"bytes"
	"fmt"
	"strings"
)

// New returns a PDF with one page for each content stream. Its only font is F1, in which a byte is a
// character of Windows-1252.
func New(pages ...string) []byte {
	var b bytes.Buffer
	var offsets []int
	object := func(format string, args ...any) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(offsets), fmt.Sprintf(format, args...))
	}
	b.WriteString("%PDF-1.4\n")
	var kids []string
	for i := range pages {
		kids = append(kids, fmt.Sprintf("%d 0 R", 4+2*i))
	}
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(pages))
	widths := strings.Repeat("500 ", 'Z') + "700 " + strings.Repeat("500 ", 255-'Z') // a font with equal widths has code
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /FirstChar 0 /LastChar 255 /Widths [%s] >>", widths)
	for i, content := range pages {
		object("<< /Type /Page /Parent 2 0 R /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>", 5+2*i)
		object("<< /Length %d >>\nstream\n%s\nendstream", len(content), content)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return b.Bytes()
}
