package loader

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
)

const (
	// settle is how long a file must be unchanged before its bytes are accepted, and the time
	// between two reads on a file system that cannot wait for writes. A program that saves a file
	// truncates it and writes it a fraction of a millisecond later, or later still on a busy
	// machine.
	settle = 50 * time.Millisecond
	// patience is how often a reader waits for a file whose length changes. shortPatience is how often
	// it waits if only the bytes change: that file is probably overwritten repeatedly, not written in
	// pieces.
	patience      = 8
	shortPatience = 2
)

// ErrUnsettled reports that a file is not read yet because it may be in the middle of a change.
var ErrUnsettled = errors.New("it is being changed")

// ErrChanging reports that a file cannot be read because it changes during every read.
var ErrChanging = errors.New("it keeps changing")

// Doubts records what earlier attempts saw of files that have just changed. The zero value is ready
// for the first attempt. While the error is [ErrUnsettled], wait and read again:
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
// Files that are read together share one Doubts, and so wait together.
type Doubts struct {
	waits int
	pause time.Duration
	looks map[string]seen // by path
}

// seen is what an earlier attempt saw of a file. sum is 0 if the attempt did not read the bytes.
type seen struct {
	size    int64
	modTime time.Time
	sum     uint64
}

// Wait waits until another attempt makes sense. The caller may release its buffers first. If ctx
// ends, Wait returns its error.
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

// A writeWaiter is a file system that can wait for a write to end. Local Linux file systems can.
type writeWaiter interface {
	// AwaitWrite waits for the writes to an open file that began before the call, and seeks to the
	// start of the file. A write that begins later changes the file's time, if that time is at
	// least tick old. If AwaitWrite cannot wait, it does nothing and returns false.
	AwaitWrite(f fs.File) (tick time.Duration, ok bool)
}

// A Look is one read of an open file from its start to its end.
type Look struct {
	doubts *Doubts
	path   string
	before fs.FileInfo
	recent bool
	exact  bool // the bytes contain no partial write if the file has the same time afterwards
	quiet  bool // exact, and the file has been unchanged for settle
}

// Look begins a read. info is the current information of the file. The error is [ErrUnsettled] if
// the file should not be read yet.
func (c *Catalog) Look(r Resource, f fs.File, info fs.FileInfo, d *Doubts) (Look, error) {
	l := Look{doubts: d, before: info, recent: walk.Recent(info.ModTime())}
	if !l.recent {
		return l, nil
	}
	l.path = r.Path()
	waiter, ok := c.fsys.(writeWaiter)
	// A time without a fraction means that the file system stores whole seconds, which are too
	// coarse.
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

// enough reports whether the reader has waited long enough for a file that keeps changing.
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

// End checks a read of n bytes. after is the information of the file now, and sum returns a hash of
// the bytes. The error is nil if the bytes are accepted, [ErrUnsettled] if the caller should read
// them again later, and [ErrChanging] if the file keeps changing. again says that the file changed
// during the read and may be read again at once.
func (l *Look) End(n int64, after fs.FileInfo, sum func() uint64) (again bool, err error) {
	same := n == l.before.Size() && n == after.Size() && after.ModTime().Equal(l.before.ModTime())
	if same && (!l.recent || l.quiet || l.exact && l.enough(n)) {
		return false, nil
	}
	if !same && !walk.Recent(after.ModTime()) {
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
