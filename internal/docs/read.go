package docs

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/walk"
)

// Has reports whether there is a document of this path below the documents' folder, spelled exactly.
func (l *Library) Has(path string) bool { return l != nil && l.files[path] != nil && isDocument(path) }

// Text returns the text of a document by its path below the documents' folder, spelled exactly, and whether it is that text
// exactly: of one that is neither UTF-8 nor UTF-16 with a byte order mark, what is not UTF-8 is U+FFFD. An unknown one is
// [fs.ErrNotExist].
func (l *Library) Text(path string) (text string, exact bool, err error) {
	if !l.Has(path) {
		return "", false, fs.ErrNotExist
	}
	return l.read(l.files[path], maxRead)
}

// Head is the beginning of [Library.Text], made of at most n bytes of the file.
func (l *Library) Head(path string, n int) (string, error) {
	if !l.Has(path) {
		return "", fs.ErrNotExist
	}
	d := l.files[path]
	f, err := l.open(d)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(n)))
	if err != nil {
		return "", err
	}
	// Half a character may be at the end: of UTF-8, or of a pair of two units of UTF-16.
	for range utf8.UTFMax {
		if text, exact := textOf(d, data); exact || len(data) < n-utf8.UTFMax {
			return text, nil
		}
		data = data[:len(data)-1]
	}
	text, _ := textOf(d, data)
	return text, nil
}

// read returns the text of a file of at most limit bytes, and whether it is text exactly.
func (l *Library) read(d *document, limit int64) (text string, exact bool, err error) {
	f, err := l.open(d)
	if err != nil {
		return "", false, err
	}
	defer f.Close()
	return decode(f, d, limit)
}

// readAgain is read for a file that the scan has just judged. Without a look at each folder on the way it takes half the
// time. What a link that came since then brings in is words; its text is judged when it is shown.
func (l *Library) readAgain(d *document, limit int64) (text string, err error) {
	f, err := l.openAt(path.Join(l.dir, d.path))
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, _, err = decode(f, d, limit)
	return text, err
}

// decode does what read does with an open file.
func decode(f io.Reader, d *document, limit int64) (text string, exact bool, err error) {
	data := bytes.NewBuffer(make([]byte, 0, min(d.size, limit)+bytes.MinRead))
	if n, err := data.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
		return "", false, err
	} else if n > limit {
		return "", false, errTooLarge
	}
	text, exact = textOf(d, data.Bytes())
	return text, exact, nil
}

// textOf is what the bytes of a file are as text, and whether they are that exactly.
func textOf(d *document, data []byte) (text string, exact bool) {
	// What a document is by its name is text; of other files NUL tells which are not.
	if isDocument(d.path) && utf8.Valid(data) {
		return string(data), true
	}
	if c := media.Classify(d.path, "", data); c.IsText {
		return c.Text, true
	}
	return strings.ToValidUTF8(string(data), "\ufffd"), false
}

// open opens a file that the scan found. Links are followed anew, so that one that leads elsewhere by now is judged as
// it is.
func (l *Library) open(d *document) (fs.File, error) {
	real, err := walk.Resolve(l.fsys, path.Join(l.dir, d.path))
	if err != nil {
		return nil, err
	}
	return l.openAt(real)
}

func (l *Library) openAt(real string) (fs.File, error) {
	f, err := l.fsys.Open(real)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: real, Err: fs.ErrNotExist}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
