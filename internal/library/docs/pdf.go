package docs

import (
	"context"
	"io/fs"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// A PDF is a PDF file that is a document. Its text is Markdown with a heading "## Page 7" for each page.
type PDF struct {
	Name          string // below the project folder
	Size, ModTime int64  // as of a document
	Open          func() (fs.File, error)
	Indexed       bool // the index has its text, or will have it
}

// PDFs makes the texts of PDF files, elsewhere and later than documents are read. It is safe for concurrent use.
type PDFs interface {
	Text(PDF) (text string, ok bool)       // at once; false: it has none yet
	Has(PDF) bool                          // whether Text returns one
	Failed(PDF) bool                       // whether it never has one
	Make(ctx context.Context, f PDF) error // if it has none; the error is a [RequestError], or ctx.Err()
}

func (d *document) isPDF() bool { return d.page() != nil && site.IsPDF(d.path) }

func (l *Library) pdf(d *document) PDF {
	return PDF{l.fileOf(d), d.size, d.modTime, func() (fs.File, error) { return l.open(d) }, d.texted}
}

// PDFs returns the documents that are PDF files.
func (l *Library) PDFs() (all []PDF) {
	for _, docs := range [][]*document{l.known().docs, l.known().alternates} {
		for _, d := range docs {
			if d.isPDF() {
				all = append(all, l.pdf(d))
			}
		}
	}
	return all
}

// unmade returns how many PDF files will have a text, or an index of it, later.
func (l *Library) unmade() (n int) {
	for _, f := range l.PDFs() {
		if l.pdfs != nil && !f.Indexed && !l.pdfs.Failed(f) {
			n++
		}
	}
	return n
}

// Unread returns how many PDF files have no text.
func (l *Library) Unread() (n int) {
	for _, f := range l.PDFs() {
		if !f.Indexed {
			n++
		}
	}
	return n
}

// pageHeading matches the heading of a page of a PDF file.
var pageHeading = lazyregexp.New(`^Page ([0-9]{1,5})(?:$|: )`)

// enterPDF notes the page that a heading of a PDF file begins, whose name says nothing about the text. It returns false for other headings.
func (p *docWriter) enterPDF(h excerpt.Heading) bool {
	if !p.pdf || h.Level != 2 || !pageHeading().MatchString(h.Text) {
		return false
	}
	p.page = h.Text
	if n := len(p.above); n == 0 || p.above[n-1].Level < h.Level { // otherwise a section goes on
		p.heading, p.above, p.later = "", nil, false
	}
	return true
}

// Outlined returns the headings that an outline has, and at which sections end: not the pages of a PDF file.
func Outlined(path string, all []excerpt.Heading) []excerpt.Heading {
	if !site.IsPDF(path) {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(h excerpt.Heading) bool { return pageHeading().MatchString(h.Text) })
}

// PageMark returns the end of a path that leads to the page of a passage with this heading, "#page=7", or "" for another document.
func PageMark(path, heading string) string {
	if m := pageHeading().FindStringSubmatch(heading); m != nil && site.IsPDF(path) {
		return "#page=" + m[1]
	}
	return ""
}
