package docs

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A Document is one of the Markdown files of a library.
type Document struct {
	Path    string // below the documents' folder
	Size    int64  // bytes
	ModTime time.Time

	library *Library
	file    *document
}

// Documents returns all documents, in the order of their sites.
func (l *Library) Documents() []Document {
	if l == nil {
		return nil
	}
	out := make([]Document, len(l.order))
	for i, d := range l.order {
		out[i] = l.documentOf(d)
	}
	return out
}

// Text is [Library.Text] for the document.
func (d Document) Text(ctx context.Context) (string, error) {
	text, _, err := d.library.read(ctx, d.file, maxRead)
	return text, err
}

func (l *Library) documentOf(d *document) Document {
	return Document{Path: d.path, Size: d.size, ModTime: time.Unix(0, d.modTime).UTC(), library: l, file: d}
}

// All returns all documents. Other languages and versions come last.
func (l *Library) All() []Document {
	all := l.Documents()
	for _, d := range l.known().alternates {
		all = append(all, l.documentOf(d))
	}
	return all
}

// Sites returns what is known of the documents' files, or nil for a library of something else.
func (l *Library) Sites() *site.Set { return l.known().sites }

// Closed reports whether only documents can be read, because no folder in the project is chosen.
func (l *Library) Closed() bool {
	return l.Sites() != nil && (l.sites.Chosen() == "" || l.sites.Chosen() == ".")
}

// File returns the path of the document's file below the project folder.
func (d Document) File() string { return d.library.fileOf(d.file) }

// FileOf returns the path below the project folder of one of the [Library.Files].
func (l *Library) FileOf(path string) string { return l.fileOf(l.files[path]) }

// Page returns the page that the site has for a document, or nil.
func (d Document) Page() *site.Page { return d.file.page() }

// Page returns the page that the site has for the document with exactly this path, or nil.
func (l *Library) Page(path string) *site.Page {
	if !l.Has(path) {
		return nil
	}
	return l.files[path].page()
}

// About returns the title of the document with exactly this path, and its description; "" for what it has not.
func (l *Library) About(path string) (title, description string) {
	if !l.Has(path) {
		return "", ""
	}
	return l.titles(l.files[path])
}

// titles returns the title of a document, and the description in its front matter.
func (l *Library) titles(d *document) (title, description string) {
	if p := d.page(); p != nil {
		return p.Title, p.Summary
	}
	return "", ""
}

// Metadata are the title and description of a document, and its links.
type Metadata struct {
	Title       string // of the front matter, or the first heading; one line; "": none
	Description string
	// paths of other documents of the library and URIs, sorted, each once
	Links []string
}

// An extract of a document is what [Document.Metadata] needs of its text. It is kept with the document, which the next library
// shares if the file does not change. The targets of links are as written, because the files that
// they lead to may come and go.
type extract struct {
	description string
	targets     []string
	capture     *site.Capture
}

const (
	maxLinked = 4 << 20 // bytes of a document whose links are read
	maxLinks  = 1000    // targets of a document
)

// Metadata reads the document, unless that was done before. It returns the zero Metadata for a document
// that has changed since the scan; the next library will have the new ones.
func (d Document) Metadata() Metadata {
	s := d.library.extract(d.file)
	if s == nil {
		return Metadata{}
	}
	p := d.file.page()
	f := Metadata{Title: p.Title, Description: cmp.Or(p.Summary, s.description)}
	for _, target := range s.targets {
		if site.External(target) {
			f.Links = append(f.Links, target)
		} else if to := d.library.sites.Resolve(p, target); to.Page != nil && to.Page != p && d.library.Has(to.Page.Path) {
			f.Links = append(f.Links, to.Page.Path)
		}
	}
	slices.Sort(f.Links)
	f.Links = slices.Compact(f.Links)
	return f
}

// extract returns the extract of a document, or nil if it has changed.
func (l *Library) extract(d *document) *extract {
	if s := d.extract.Load(); s != nil || d.isPDF() {
		return cmp.Or(s, new(extract))
	}
	text, _, err := l.source(d, maxLinked, true)
	if err != nil {
		return nil
	}
	s := &extract{description: loader.ReadMetadata("text/markdown", text).Description, capture: site.CaptureOf(text)}
	seen := make(map[string]bool)
	for _, link := range l.sites.Links(d.page(), text) {
		target := link.Link
		if !strings.HasPrefix(target, ":") { // otherwise it is a role
			target, _, _ = strings.Cut(target, "#")
		}
		if target != "" && !seen[target] && len(seen) < maxLinks {
			seen[target] = true
			s.targets = append(s.targets, target)
		}
	}
	d.extract.Store(s)
	return s
}

// Has reports whether a document has exactly this path below the documents' folder.
func (l *Library) Has(path string) bool {
	return l.HasFile(path) && l.files[path].isMarkdown()
}

// Text returns the text of the document with exactly this path below the documents' folder, and
// whether the text is exact: in a document that is neither UTF-8 nor UTF-16 with a byte order mark,
// bytes that are not UTF-8 become U+FFFD. The error for an unknown path is [fs.ErrNotExist].
func (l *Library) Text(ctx context.Context, path string) (text string, exact bool, err error) {
	if !l.Has(path) {
		return "", false, fs.ErrNotExist
	}
	return l.read(ctx, l.files[path], maxRead)
}

// read returns the text of a file of at most limit bytes, and whether the text is exact.
func (l *Library) read(ctx context.Context, d *document, limit int64) (text string, exact bool, err error) {
	c, exact, err := l.content(ctx, d, limit)
	return c.Text, exact, err
}

// content is read, and says which files a page of a site includes.
func (l *Library) content(ctx context.Context, d *document, limit int64) (c site.Content, exact bool, err error) {
	if d.isPDF() && l.pdfs == nil {
		return c, false, RequestError("The text of PDF files is not made here.")
	} else if d.isPDF() {
		if err := l.pdfs.Make(ctx, l.pdf(d)); err != nil {
			return c, false, err
		}
	}
	text, exact, err := l.source(d, limit, false)
	if err == nil && d.page() != nil {
		c, err = l.sites.Content(ctx, d.page(), text)
		return c, exact, err
	}
	return site.Content{Text: text}, exact, err
}

// source is read without the files that a page includes. With unchanged, the error for a file that is not as the scan found it is a
// [*ChangedError].
func (l *Library) source(d *document, limit int64, unchanged bool) (text string, exact bool, err error) {
	if d.isPDF() {
		text, ok := "", false
		if l.pdfs != nil {
			text, ok = l.pdfs.Text(l.pdf(d))
		}
		if !ok {
			return "", false, fs.ErrNotExist
		}
		return text, true, nil
	}
	f, err := l.open(d)
	if err != nil {
		return "", false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", false, err
	}
	if unchanged && !d.unchanged(info) {
		return "", false, &ChangedError{d.path}
	}
	return decode(f, d, limit)
}

// A ChangedError reports that a document has changed since it was found.
type ChangedError struct{ Path string }

func (e *ChangedError) Error() string { return e.Path + " changed while it was read; try again" }

// decode is read for an open file.
func decode(f io.Reader, d *document, limit int64) (text string, exact bool, err error) {
	data := bytes.NewBuffer(make([]byte, 0, min(d.size, limit)+bytes.MinRead))
	if n, err := data.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
		return "", false, err
	} else if n > limit {
		return "", false, errTooLarge
	}
	// A file with the name of a document is text; another file is text unless it contains NUL.
	if d.isMarkdown() && utf8.Valid(data.Bytes()) {
		return data.String(), true, nil
	}
	if c := media.Classify(d.path, "", data.Bytes()); c.IsText {
		return c.Text, true, nil
	}
	return strings.ToValidUTF8(data.String(), "\ufffd"), false, nil
}

// open opens a file that the scan found. It follows links again, because the target of a link may
// have changed since the scan.
func (l *Library) open(d *document) (fs.File, error) {
	if d.uri != "" {
		return regular(l.sources[d.source].Open(d.uri))
	}
	return l.openFile(l.fileOf(d))
}

// fileOf returns the path of a document's file below the project folder.
func (l *Library) fileOf(d *document) string {
	if d.page() != nil {
		return d.page().File
	}
	return path.Join(l.dir, d.path)
}

// openAgain opens a file that the scan has just found, faster than openFile if no link is on its path.
func (l *Library) openAgain(name string) (fs.File, error) {
	f, info, err := l.fsys.OpenPlain(name)
	if err == nil && info.Mode().IsRegular() {
		return f, nil
	}
	if err == nil {
		f.Close()
	}
	return l.openFile(name)
}

// openFile opens a regular file.
func (l *Library) openFile(name string) (fs.File, error) { return regular(l.fsys.Open(name)) }

// regular returns an opened file, or closes it if it is not a regular one.
func regular(f fs.File, err error) (fs.File, error) {
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// searchable returns a text of a document as Markdown for a search, with as many lines.
func (d *document) searchable(text string) string {
	if p := d.page(); p != nil {
		return site.Searchable(p, text)
	}
	return text
}

// headings returns the headings of a document in any format.
func headings(d *document, text string) []excerpt.Heading {
	plain := d.searchable(text)
	all := excerpt.Headings(plain)
	if plain == text {
		return all
	}
	from, to := starts(plain), starts(text)
	moved := func(offset int) int {
		line, _ := slices.BinarySearch(from, offset+1)
		if offset >= len(plain) || line > len(to) {
			return len(text)
		}
		return to[line-1]
	}
	for i := range all {
		all[i].Start, all[i].End = moved(all[i].Start), moved(all[i].End)
	}
	return all
}

// starts returns the offsets at which the lines of a text begin.
func starts(text string) []int {
	offsets := []int{0}
	for i := range len(text) {
		if text[i] == '\n' {
			offsets = append(offsets, i+1)
		}
	}
	return offsets
}

// A PDF is a PDF file that is a document. Its text is Markdown with a heading "## Page 7" for each page.
type PDF struct {
	Name          string // below the project folder
	Size, ModTime int64  // as of a document
	Open          func() (fs.File, error)
	Indexed       bool // the index has its text, or will have it
}

// PDFs makes the texts of PDF files, elsewhere and later than documents are read. It is safe for concurrent use.
type PDFs interface {
	Text(PDF) (text string, ok bool) // at once; false: it has none yet
	Has(PDF) bool                    // whether Text returns one
	Failed(PDF) bool                 // whether it never has one
	// if it has none; the error is a [RequestError], or ctx.Err()
	Make(ctx context.Context, f PDF) error
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
