package loader

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"slices"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/latest"
)

// A TooLargeError reports a file that is larger than the limit.
type TooLargeError struct {
	Size  int64 // as far as known
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
	// If the file has become longer, accept finds that out.
	n, err := io.ReadFull(f, buf[:size])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
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

var seed = maphash.MakeSeed()

// settle is how long a file must be unchanged before its bytes are accepted: a program that saves a file truncates it and writes it a
// fraction of a millisecond later, or later still on a busy machine. patience is how long readers wait for a file that changes.
const settle, patience = 50 * time.Millisecond, time.Second

// ErrUnsettled reports that a file is not read yet because it may be in the middle of a change, and ErrChanging that it cannot be read
// because it changes again and again.
var ErrUnsettled, ErrChanging = errors.New("it is being changed"), errors.New("it keeps changing")

// Attempts records what earlier attempts saw of files that have just changed. The zero value is ready
// for the first attempt. While the error is [ErrUnsettled], wait and read again:
//
//	var attempts loader.Attempts
//	for {
//		data, err := catalog.Read(r, limit, alloc, &attempts)
//		if !errors.Is(err, loader.ErrUnsettled) {
//			return data, err
//		}
//		if err := attempts.Wait(ctx); err != nil {
//			return nil, err
//		}
//	}
//
// Files that are read together share one Attempts, and so wait together.
type Attempts struct {
	waited time.Duration
	looks  []string // of files
}

// Wait waits until another attempt makes sense. The caller may release its buffers first. If ctx
// ends, Wait returns its error.
func (a *Attempts) Wait(ctx context.Context) error {
	a.waited += settle
	return latest.Wait(ctx, time.After(settle))
}

// settled calls read until the file may be read.
func settled(ctx context.Context, read func(*Attempts) error) error {
	var attempts Attempts
	for {
		if err := read(&attempts); !errors.Is(err, ErrUnsettled) {
			return err
		}
		if err := attempts.Wait(ctx); err != nil {
			return err
		}
	}
}

func (a *Attempts) again() error {
	if a.waited >= patience {
		return ErrChanging
	}
	return ErrUnsettled
}

// Look begins a read of an open file from its start to its end. before is the current information of the file. The error is
// [ErrUnsettled] if the file should not be read yet, and [ErrChanging] if that was so for a second. accept has the same errors: it
// checks a read of n bytes. after is the information of the file after the read, and sum returns a hash of the bytes.
func (c *Catalog) Look(r Resource, f fs.File, before fs.FileInfo, a *Attempts) (accept func(n int64, after fs.FileInfo, sum func() uint64) error, err error) {
	twice := false
	if age := time.Since(before.ModTime()); walk.Recent(before.ModTime()) {
		waiter, ok := c.fsys.(interface{ AwaitWrite(fs.File) }) // on Linux
		// Without a fraction, the clock has whole seconds. A time to come is from another clock.
		if twice = !ok || age < 0 || before.ModTime().Nanosecond() == 0; !twice && age < settle {
			return nil, a.again()
		}
		if ok {
			waiter.AwaitWrite(f)
		}
	}
	return func(n int64, after fs.FileInfo, sum func() uint64) error {
		if n != before.Size() || n != after.Size() || !after.ModTime().Equal(before.ModTime()) {
			return a.again()
		}
		if twice {
			look := fmt.Sprint(n, after.ModTime().UnixNano(), sum(), r.Path())
			if !slices.Contains(a.looks, look) {
				a.looks = append(a.looks, look)
				return a.again()
			}
		}
		return nil
	}, nil
}

// A Digest identifies the bytes of a file.
type Digest struct {
	SHA256 [sha256.Size]byte
	Size   int64
}

// A dated is the digest of a file with this modification time. It is kept only if a later change
// will alter the time.
type dated struct {
	Digest
	modTime time.Time
}

// Digest returns the digest of the bytes that a file has now. It reads the file unless the digest
// for the file's current size and time is known; cached reports that the file was not read. The
// limit, and waiting for a file that has just changed, are as for [Catalog.Content].
func (c *Catalog) Digest(ctx context.Context, r Resource, limit int64) (d Digest, cached bool, err error) {
	slot := r.dir.digests.at(r.index, len(r.dir.files))
	var now dated
	var read bool
	err = settled(ctx, func(attempts *Attempts) (err error) {
		now, read, err = c.digest(ctx, r, limit, slot.Load(), attempts)
		return err
	})
	if err != nil {
		return Digest{}, false, err
	}
	if read && !walk.Recent(now.modTime) {
		slot.Store(&now)
	}
	return now.Digest, !read, nil
}

// digest returns the known digest if the file still has the same size and time; otherwise it reads
// the file once.
func (c *Catalog) digest(ctx context.Context, r Resource, limit int64, known *dated, attempts *Attempts) (d dated, read bool, err error) {
	f, info, err := c.open(r.dir.sources[r.file.source], r.Name(), r.file.link)
	if err != nil {
		return d, false, err
	}
	defer f.Close()
	if known != nil && known.Size == info.Size() && known.modTime.Equal(info.ModTime()) {
		return *known, false, nil
	}
	accept, err := c.Look(r, f, info, attempts)
	if err != nil {
		return d, false, err
	}
	sum := sha256.New()
	buf := make([]byte, 64<<10)
	for {
		n, err := f.Read(buf)
		_, _ = sum.Write(buf[:n])
		if d.Size += int64(n); d.Size > limit {
			return d, false, &TooLargeError{max(d.Size, info.Size()), limit}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return d, false, err
		}
		if ctx.Err() != nil {
			return d, false, context.Cause(ctx)
		}
	}
	sum.Sum(d.SHA256[:0])
	after, err := f.Stat()
	if err != nil {
		return d, false, err
	}
	if err := accept(d.Size, after, func() uint64 { return maphash.Bytes(seed, d.SHA256[:]) }); err != nil {
		return d, false, err
	}
	d.modTime = after.ModTime()
	return d, true, nil
}
