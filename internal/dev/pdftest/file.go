// Package pdftest has what tests and generators need of PDF files: small files, the compiled code of PDFium, which all
// tests share, and the module that PDFium comes from.
package pdftest

import (
	"bytes"
	"fmt"
	"strings"
)

// New returns a PDF without compression, so that a test can change the bytes. It has one page for each content stream. Its only font is F1, in which a byte is a
// character of Windows-1252.
func New(pages ...string) []byte {
	widths := strings.Repeat("500 ", 'Z') + "700 " + strings.Repeat("500 ", 255-'Z') // a font with equal widths has code
	return Pages("/Font << /F1 3 0 R >>", []string{
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /FirstChar 0 /LastChar 255 /Widths [" + widths + "] >>",
	}, pages...)
}

// Pages returns a PDF with one page for each content stream, resources, and objects from number 3 that the resources may
// mention.
func Pages(resources string, objects []string, pages ...string) []byte {
	all := append([]string{"<< /Type /Catalog /Pages 2 0 R >>", ""}, objects...)
	var kids []string
	for _, content := range pages {
		n := len(all) + 1
		kids = append(kids, fmt.Sprintf("%d 0 R", n))
		all = append(all, fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << %s >> /Contents %d 0 R >>", resources, n+1), Stream("", content))
	}
	all[1] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(pages))
	return File(all...)
}

// Stream returns an object that is a stream.
func Stream(dictionary, content string) string {
	return fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dictionary, len(content), content)
}

// File returns a PDF that consists of objects, from number 1. The first is the catalog.
func File(objects ...string) []byte {
	var b, table bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	for i, object := range objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start, n := b.Len(), len(objects)+1
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", n, &table, n, start)
	return b.Bytes()
}
