package loader

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/mtime"
)

const (
	// settle is how long a file must not have changed to be believed, and how far two looks are apart where that cannot be seen
	// otherwise. A program that saves a file empties it and writes it a fraction of a millisecond later, unless the machine is so
	// busy that it has to wait in between.
	settle = 50 * time.Millisecond
	// patience is how often a reader waits for a file whose length changes, and shortPatience for one of which only the bytes do:
	// that one is rather overwritten again and again than written in pieces.
	patience      = 8
	shortPatience = 2
)

// ErrUnsettled is the reason why a file is not read yet: it may be in the middle of a change.
var ErrUnsettled = errors.New("it is being changed")

// ErrChanging is the reason why a file cannot be read that changes whenever it is read.
var ErrChanging = errors.New("it keeps changing")

// Doubts are what is known of files that changed a moment ago, from one attempt to read them to the next. The zero value is for
// the first attempt. While the error is [ErrUnsettled], wait and read again:
//
//	var doubts loader.Doubts
//	for {
//		data, err := catalog.Read(r, limit, alloc, &doubts)
//		if !errors.Is(err, loader.ErrUnsettled) {
//			return data, err
//		}
//		if err := doubts.Wait(ctx); err != nil {
//			return nil, err
//		}
//	}
//
// Files that are read together share their doubts, and so wait together.
type Doubts struct {
	waits int
	pause time.Duration
	looks map[string]seen // by path
}

// seen is what an earlier attempt saw of a file. Where it did not look at the bytes, sum is 0.
type seen struct {
	size    int64
	modTime time.Time
	sum     uint64
}

// Wait waits until another attempt makes sense. What was read may be given back before. The error is of ctx.
func (d *Doubts) Wait(ctx context.Context) error {
	timer := time.NewTimer(d.pause)
	defer timer.Stop()
	d.pause = 0
	d.waits++
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A writeWaiter is a file system that can wait for a write to end, as local ones of Linux can.
type writeWaiter interface {
	// AwaitWrite returns once no write to an open file is under way that had begun before the call, and sets the file to its
	// beginning. A write that begins later gives the file another time, if the time that it has is at least tick old. It
	// reports false, and has done nothing, where that cannot be had.
	AwaitWrite(f fs.File) (tick time.Duration, ok bool)
}

// A Look is one reading of an open file from its beginning to its end.
type Look struct {
	doubts *Doubts
	path   string
	before fs.FileInfo
	recent bool
	exact  bool // it has no part of a write, if the file has the same time afterwards
	quiet  bool // exact, and it has not changed for a while
}

// Look begins a reading. info is what the file is at this moment. The error is [ErrUnsettled] if there is no use in reading.
func (c *Catalog) Look(r Resource, f fs.File, info fs.FileInfo, d *Doubts) (Look, error) {
	l := Look{doubts: d, before: info, recent: mtime.Recent(info.ModTime())}
	if !l.recent {
		return l, nil
	}
	l.path = r.Path()
	waiter, ok := c.fsys.(writeWaiter)
	// Without a fraction of a second, the times of the file system are whole seconds, and say nothing.
	if !ok || info.ModTime().Nanosecond() == 0 {
		return l, nil
	}
	tick, ok := waiter.AwaitWrite(f)
	if !ok {
		return l, nil
	}
	age := time.Since(info.ModTime())
	l.exact = age >= tick
	l.quiet = l.exact && age >= settle
	if age < 0 || l.quiet || l.exact && l.enough(info.Size()) {
		return l, nil
	}
	if d.waits < patience {
		l.doubt(seen{size: info.Size(), modTime: info.ModTime()}, settle-age)
		return Look{}, ErrUnsettled
	}
	return l, nil
}

// enough reports whether there was enough waiting for a file that changes all the time.
func (l *Look) enough(size int64) bool {
	last, looked := l.doubts.looks[l.path]
	return l.doubts.waits >= patience || l.doubts.waits >= shortPatience && looked && last.size == size
}

func (l *Look) doubt(s seen, pause time.Duration) {
	d := l.doubts
	if d.looks == nil {
		d.looks = make(map[string]seen)
	}
	d.looks[l.path] = s
	d.pause = max(d.pause, min(pause, settle))
}

// End judges a reading: n bytes were read, and after is what the file is now. sum makes a number of the bytes. The error is nil
// if they are believed, [ErrUnsettled] if they are to be read again later, and [ErrChanging] if that has no use either. again
// says that the file was changed meanwhile, and may be read again at once.
func (l *Look) End(n int64, after fs.FileInfo, sum func() uint64) (again bool, err error) {
	same := n == l.before.Size() && n == after.Size() && after.ModTime().Equal(l.before.ModTime())
	if same && (!l.recent || l.quiet || l.exact && l.enough(n)) {
		return false, nil
	}
	if !same && !mtime.Recent(after.ModTime()) {
		return true, ErrChanging
	}
	now := seen{size: after.Size(), modTime: after.ModTime()}
	if same {
		now.sum = sum() | 1
		if last := l.doubts.looks[l.path]; last.sum == now.sum && last.size == n && last.modTime.Equal(now.modTime) {
			return false, nil
		}
	}
	if l.doubts.waits >= patience {
		return !same, ErrChanging
	}
	l.doubt(now, settle)
	return !same && l.exact && l.enough(n), ErrUnsettled
}
