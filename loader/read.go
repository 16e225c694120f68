package loader

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/mcp-docs-server/mcp-docs-server/internal/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/uri"
)

// A TooLargeError is of a file that has more bytes than may be read.
type TooLargeError struct {
	Size  int64 // bytes, as far as known
	Limit int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the file has %d bytes, the limit is %d", e.Size, e.Limit)
}

// Open opens the file of a resource. Links are followed anew, so that one that leads elsewhere by now is judged as it is.
func (c *Catalog) Open(r Resource) (fs.File, error) { return c.open(r.Path(), r.file().link) }

func (c *Catalog) open(name string, link bool) (fs.File, error) {
	path := name
	if link {
		var err error
		if path, err = resolve(c.fsys, path); err != nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
	}
	f, err := openPlain(c.fsys, path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// A plainOpener opens files without following links. Where a file system has none of its own, each part of the path is
// looked at first.
type plainOpener interface {
	OpenPlain(name string) (fs.File, error)
}

// openPlain opens a path that had no link on it when it was found. If one has taken the place of a file or folder, it might
// lead to something hidden: it is judged when the folder is read again.
func openPlain(fsys fs.FS, path string) (fs.File, error) {
	if plain, ok := fsys.(plainOpener); ok {
		return plain.OpenPlain(path)
	}
	if real, err := resolve(fsys, path); errors.Is(err, errBroken) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	} else if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	} else if real != path {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errBecameLink}
	}
	return fsys.Open(path)
}

// Content reads a resource whole, as text or bytes. data holds the bytes of the file and backs a blob. A file of more
// than limit bytes is a [TooLargeError].
func (c *Catalog) Content(r Resource, limit int64) (content media.Content, data []byte, err error) {
	if data, err = c.Read(r, limit, func(n int) []byte { return make([]byte, n) }); err != nil {
		return media.Content{}, nil, err
	}
	return media.Classify(r.Name(), c.declared(r), data), data, nil
}

// ErrChanging is the reason why a file cannot be read that changes whenever it is read.
var ErrChanging = errors.New("it keeps changing")

// Read reads the bytes of a resource. alloc makes a buffer of at least so many bytes; a file that changes meanwhile is read
// again, for which it may be called again. A file of more than limit bytes is a [TooLargeError].
func (c *Catalog) Read(r Resource, limit int64, alloc func(n int) []byte) ([]byte, error) {
	f, err := c.Open(r)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	var buf []byte
	for range readAttempts {
		size := info.Size()
		if size > limit {
			return nil, &TooLargeError{size, limit}
		}
		if int64(len(buf)) <= size {
			buf = alloc(int(size) + 1) // one more, to meet the end of the file
		}
		n, err := io.ReadFull(f, buf[:size+1])
		if err != io.EOF && err != io.ErrUnexpectedEOF && err != nil {
			return nil, err
		}
		before := info
		if info, err = f.Stat(); err != nil {
			return nil, err
		}
		if int64(n) == size && info.Size() == size && info.ModTime().Equal(before.ModTime()) {
			return buf[:n], nil
		}
		seeker, ok := f.(io.Seeker)
		if !ok {
			break
		}
		if _, err := seeker.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
	}
	return nil, ErrChanging
}

// JudgeHead is [Catalog.Judge] for a file of which only the head is at hand, see [media.JudgeHead].
func (c *Catalog) JudgeHead(r Resource, head []byte, utf8 bool) (mime string, isText bool) {
	return media.JudgeHead(r.Name(), c.declared(r), head, utf8)
}

// readAttempts is how often a file is read that changes meanwhile.
const readAttempts = 3

// Judge says what the bytes of a resource are to a client.
func (c *Catalog) Judge(r Resource, data []byte) (mime string, form media.Form) {
	return media.Judge(r.Name(), c.declared(r), data)
}

// declared is the MIME type that the template gives, or "".
func (c *Catalog) declared(r Resource) string {
	if entry, ok := r.Template(); ok {
		return c.options.Templates.Entries()[entry].MIMEType
	}
	return ""
}

// DisplayName returns the name of a resource as a list shows it.
func (r Resource) DisplayName() string { return uri.Display(r.Name()) }
