package loader

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// A TooLargeError reports a file that is larger than the limit.
type TooLargeError struct {
	Size  int64 // bytes, as far as known
	Limit int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the file has %d bytes, the limit is %d", e.Size, e.Limit)
}

// open opens a file of a folder and returns its information. link says that the file is a link.
func (c *Catalog) open(src source, name string, link bool) (fs.File, fs.FileInfo, error) {
	var f fs.File
	var info fs.FileInfo
	var err error
	path := src.path + "/" + name
	if m := c.options.mountOf(src); m != nil && m.Open != nil {
		f, info, err = opened(m.Open(src.logical(name)))
	} else {
		real := path
		if link {
			if real, err = walk.Real(c.fsys, path); err != nil {
				return nil, nil, &fs.PathError{Op: "open", Path: path, Err: err}
			}
		}
		f, info, err = openPlain(c.fsys, real)
	}
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		f.Close()
		return nil, nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return f, info, nil
}

// opened adds its information to an open file.
func opened(f fs.File, err error) (fs.File, fs.FileInfo, error) {
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

// A plainOpener is a file system that opens a file without following links and returns its
// information. For other file systems, openPlain checks each part of the path first.
type plainOpener interface {
	OpenPlain(name string) (fs.File, fs.FileInfo, error)
}

// openPlain opens a path that had no links when it was scanned. If a link has replaced a file or
// folder, the open fails, because the link might lead to something hidden: the next scan of the
// folder checks it.
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
	return opened(fsys.Open(path))
}

// Content reads a whole resource, as text or bytes. data holds the bytes of the file; for a blob,
// they are the content. A file of more than limit bytes is a [TooLargeError]. If the file has just
// changed, Content waits and reads it again, see [Attempts].
func (c *Catalog) Content(r Resource, limit int64) (content Content, data []byte, err error) {
	err = settled(context.Background(), func(attempts *Attempts) (err error) {
		data, _, err = c.Read(r, limit, func(n int) []byte { return make([]byte, n) }, attempts)
		return err
	})
	if err != nil {
		return Content{}, nil, err
	}
	content = Content(media.Classify(r.Name(), c.declared(r), data))
	if content.IsText && !c.Classify(r, data).Text() {
		content.Text, content.IsText = "", false
	}
	return content, data, nil
}

// ErrNoRoom reports that the caller had no buffer for a file.
var ErrNoRoom = errors.New("it has grown")

// Read reads the bytes of a resource. alloc returns a buffer of at least n bytes, or nil if it has
// no room; Read then returns the error [ErrNoRoom]. A file of more than limit bytes is a
// [TooLargeError]. The error is [ErrUnsettled] if the caller should read the file again a little later. Read also returns
// the identity of the file with these bytes, if the file system has one.
//
// The result never mixes the bytes of two writes. A file that has not changed in the last seconds
// is read once. For any other file, Read waits for a write in progress and reads once nothing was
// written for 50 ms; if the file changes for a second, the error is [ErrChanging]. If the file system
// cannot wait for a write, or stores times of whole seconds, two reads at least 50 ms apart must return the same bytes.
func (c *Catalog) Read(r Resource, limit int64, alloc func(n int) []byte, attempts *Attempts) (data []byte, id Identity, err error) {
	f, info, err := c.open(r.dir.sources[r.file.source], r.Name(), r.file.link)
	if err != nil {
		return nil, id, err
	}
	defer f.Close()
	size := info.Size()
	if size > limit {
		return nil, id, &TooLargeError{size, limit}
	}
	accept, err := c.Look(r, f, info, attempts)
	if err != nil {
		return nil, id, err
	}
	buf := alloc(int(size) + 1)
	if buf == nil {
		return nil, id, ErrNoRoom
	}
	n, err := readAll(f, buf[:size+1])
	if err != nil {
		return nil, id, err
	}
	after, err := f.Stat()
	if err == nil {
		err = accept(int64(n), after, func() uint64 { return maphash.Bytes(seed, buf[:n]) })
	}
	if err != nil {
		return nil, id, err
	}
	if i := c.identifier(r); i != nil {
		id, _ = i.IdentifyOpen(f, info, after)
	}
	return buf[:n], id, nil
}

// An Identity identifies one state of one file: as long as [Catalog.Identify] returns the same
// identity, the file has the same bytes. No file has the zero value.
type Identity [5]int64

// An identifier is a file system that can identify files. Local Linux file systems can.
type identifier interface {
	// Identify returns the identity of the file at a path that had no links when it was scanned. It
	// does not open the file.
	Identify(name string) (id [5]int64, ok bool)
	// IdentifyOpen returns the identity of an open file, with its information before and after it
	// was read, or false if a change could leave the identity the same.
	IdentifyOpen(f fs.File, before, after fs.FileInfo) (id [5]int64, ok bool)
}

// Identify returns the identity that the file of a resource has now.
func (c *Catalog) Identify(r Resource) (Identity, bool) {
	i := c.identifier(r)
	if i == nil {
		return Identity{}, false
	}
	return i.Identify(r.Path())
}

// identifier returns what identifies the file of a resource, or nil: for links, and for files that a mount opens.
func (c *Catalog) identifier(r Resource) identifier {
	m := c.options.mountOf(r.dir.sources[r.file.source])
	if r.file.link || m != nil && m.Open != nil {
		return nil
	}
	i, _ := c.fsys.(identifier)
	return i
}

// readAll reads a file into a buffer that is one byte longer than the file. It stops when all but
// that byte is filled: the caller checks the size and time of the file afterwards, so readAll need
// not reach the end.
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

var seed = maphash.MakeSeed()

// declared returns the MIME type of the resource's template, or "".
func (c *Catalog) declared(r Resource) string {
	if entry, ok := r.Template(); ok {
		return c.options.Templates.Entries()[entry].MIMEType
	}
	return ""
}

// DisplayName returns the name of a resource as a list shows it: the name of the file or, for the
// SKILL.md of a skill, the name of the skill.
func (r Resource) DisplayName() string {
	if r.IsSkill() {
		return uri.Display(r.dir.name)
	}
	return uri.Display(r.Name())
}
