package loader

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"

	"github.com/mcp-docs-server/mcp-docs-server/internal/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/uri"
	"github.com/mcp-docs-server/mcp-docs-server/internal/walk"
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
func (c *Catalog) Open(r Resource) (fs.File, error) {
	f, _, err := c.open(r.Path(), r.file().link)
	return f, err
}

func (c *Catalog) open(name string, link bool) (fs.File, fs.FileInfo, error) {
	path := name
	if link {
		var err error
		if path, err = walk.Real(c.fsys, path); err != nil {
			return nil, nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
	}
	f, info, err := openPlain(c.fsys, path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		f.Close()
		return nil, nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return f, info, nil
}

// A plainOpener opens files without following links, and describes them. Where a file system has none of its own, each part
// of the path is looked at first.
type plainOpener interface {
	OpenPlain(name string) (fs.File, fs.FileInfo, error)
}

// openPlain opens a path that had no link on it when it was found. If one has taken the place of a file or folder, it might
// lead to something hidden: it is judged when the folder is read again.
func openPlain(fsys fs.FS, path string) (fs.File, fs.FileInfo, error) {
	if plain, ok := fsys.(plainOpener); ok {
		return plain.OpenPlain(path)
	}
	if real, err := walk.Real(fsys, path); errors.Is(err, walk.ErrBroken) {
		return nil, nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	} else if err != nil {
		return nil, nil, &fs.PathError{Op: "open", Path: path, Err: err}
	} else if real != path {
		return nil, nil, &fs.PathError{Op: "open", Path: path, Err: errBecameLink}
	}
	f, err := fsys.Open(path)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// Content reads a resource whole, as text or bytes. data holds the bytes of the file and backs a blob. A file of more
// than limit bytes is a [TooLargeError]. One that changed a moment ago is waited for, see [Doubts].
func (c *Catalog) Content(r Resource, limit int64) (content Content, data []byte, err error) {
	var doubts Doubts
	for {
		data, err = c.Read(r, limit, func(n int) []byte { return make([]byte, n) }, &doubts)
		if !errors.Is(err, ErrUnsettled) {
			break
		}
		_ = doubts.Wait(context.Background()) // never ends before its time
	}
	if err != nil {
		return Content{}, nil, err
	}
	return Content(media.Classify(r.Name(), c.declared(r), data)), data, nil
}

// ErrNoRoom is the reason why a file is not read that has more bytes than there is room for.
var ErrNoRoom = errors.New("it has grown")

// Read reads the bytes of a resource. alloc makes a buffer of at least so many bytes, or nil if it has no room for them, which
// is [ErrNoRoom]; a file that changes meanwhile is read again, for which it may be called again. A file of more than limit bytes
// is a [TooLargeError]. The error is [ErrUnsettled] where the file is to be read again a little later.
//
// What it returns has no part of one write and a part of another. A file that has not changed in the last seconds is read once.
// For another one, Read waits for a write that is under way and then reads, if nothing was written for 50 ms; where it does not stop
// changing, each of its states counts after a while. Where the file system cannot wait for a write, the file must have the same
// bytes twice, at least 50 ms apart.
func (c *Catalog) Read(r Resource, limit int64, alloc func(n int) []byte, doubts *Doubts) ([]byte, error) {
	f, info, err := c.open(r.Path(), r.file().link)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var buf []byte
	for attempt := 1; ; attempt++ {
		size := info.Size()
		if size > limit {
			return nil, &TooLargeError{size, limit}
		}
		look, err := c.Look(r, f, info, doubts)
		if err != nil {
			return nil, err
		}
		if int64(len(buf)) <= size {
			if buf = alloc(int(size) + 1); buf == nil {
				return nil, ErrNoRoom
			}
		}
		n, err := readAll(f, buf[:size+1])
		if err != nil {
			return nil, err
		}
		if info, err = f.Stat(); err != nil {
			return nil, err
		}
		again, err := look.End(int64(n), info, func() uint64 { return maphash.Bytes(seed, buf[:n]) })
		if err == nil {
			return buf[:n], nil
		}
		seeker, ok := f.(io.Seeker)
		if !again || attempt == readAttempts || !ok {
			return nil, err
		}
		if _, err := seeker.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
	}
}

// readAll reads a file into a buffer that has a byte more than the file is said to have. Once all but that byte is filled, what
// the file has become in the meantime is told by its size and time, and the end need not be met.
func readAll(f fs.File, buf []byte) (n int, err error) {
	for n < len(buf) {
		m, err := f.Read(buf[n:])
		n += m
		switch {
		case err == io.EOF:
			return n, nil
		case err != nil:
			return n, err
		case n == len(buf)-1:
			return n, nil
		}
	}
	return n, nil
}

// readAttempts is how often a file is read at once that changes meanwhile.
const readAttempts = 5

var seed = maphash.MakeSeed()

// declared is the MIME type that the template gives, or "".
func (c *Catalog) declared(r Resource) string {
	if entry, ok := r.Template(); ok {
		return c.options.Templates.Entries()[entry].MIMEType
	}
	return ""
}

// DisplayName returns the name of a resource as a list shows it.
func (r Resource) DisplayName() string { return uri.Display(r.Name()) }
