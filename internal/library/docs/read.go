package docs

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
)

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
