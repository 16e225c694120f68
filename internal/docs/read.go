package docs

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/media"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// Text returns the text of a document by its path below the documents' folder, spelled exactly. An unknown one is
// [fs.ErrNotExist].
func (l *Library) Text(path string) (string, error) {
	if l == nil || l.files[path] == nil || !isDocument(path) {
		return "", fs.ErrNotExist
	}
	text, _, err := l.read(l.files[path], maxRead)
	return text, err
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
	// What a document is by its name is text; of other files NUL tells which are not.
	if text = data.String(); isDocument(d.path) && utf8.ValidString(text) {
		return text, true, nil
	}
	if c := media.Classify(d.path, "", data.Bytes()); c.IsText {
		return c.Text, true, nil
	}
	return strings.ToValidUTF8(text, "\ufffd"), false, nil
}

// open opens a file that the scan found. Links are followed anew, so that one that leads elsewhere by now is judged as
// it is.
func (l *Library) open(d *document) (fs.File, error) {
	real, err := loader.Resolve(l.fsys, path.Join(l.dir, d.path))
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
