package loader

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"

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
	f, err := c.Open(r)
	if err != nil {
		return media.Content{}, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return media.Content{}, nil, err
	}
	if info.Size() > limit {
		return media.Content{}, nil, &TooLargeError{info.Size(), limit}
	}
	if data, err = readUpTo(f, info.Size(), limit); err != nil {
		return media.Content{}, nil, err
	}
	return media.Classify(r.Name(), c.declared(r), data), data, nil
}

// readUpTo reads a file that is expected to have size bytes but may have grown.
func readUpTo(f io.Reader, size, limit int64) ([]byte, error) {
	if limit == math.MaxInt64 {
		limit--
	}
	data := make([]byte, 0, size+1) // one more, to meet the end of the file in the same read
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if int64(len(data)) > limit {
			return nil, &TooLargeError{int64(len(data)), limit}
		}
		if err == io.EOF {
			return data, nil
		} else if err != nil {
			return nil, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
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
