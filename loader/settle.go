package loader

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
)

// settle is how long a file must be unchanged before its bytes are accepted: a program that saves a file truncates it and writes it a
// fraction of a millisecond later, or later still on a busy machine. patience is how long readers wait for a file that changes.
const settle, patience = 50 * time.Millisecond, time.Second

// ErrUnsettled reports that a file is not read yet because it may be in the middle of a change, and ErrChanging that it cannot be read
// because it changes again and again.
var ErrUnsettled, ErrChanging = errors.New("it is being changed"), errors.New("it keeps changing")

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
	waited time.Duration
	looks  []string // size, time, hash and path of files
}

// Wait waits until another attempt makes sense. The caller may release its buffers first. If ctx
// ends, Wait returns its error.
func (d *Doubts) Wait(ctx context.Context) error {
	d.waited += settle
	select {
	case <-time.After(settle):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// settled calls read until the file may be read.
func settled(ctx context.Context, read func(*Doubts) error) error {
	var doubts Doubts
	for {
		if err := read(&doubts); !errors.Is(err, ErrUnsettled) {
			return err
		}
		if err := doubts.Wait(ctx); err != nil {
			return err
		}
	}
}

func (d *Doubts) doubt() error {
	if d.waited >= patience {
		return ErrChanging
	}
	return ErrUnsettled
}

// Look begins a read of an open file from its start to its end. before is the current information of the file. The error is
// [ErrUnsettled] if the file should not be read yet, and [ErrChanging] if that was so for a second. accept has the same errors: it
// checks a read of n bytes. after is the information of the file after the read, and sum returns a hash of the bytes.
func (c *Catalog) Look(r Resource, f fs.File, before fs.FileInfo, d *Doubts) (accept func(n int64, after fs.FileInfo, sum func() uint64) error, err error) {
	twice := false
	if age := time.Since(before.ModTime()); walk.Recent(before.ModTime()) {
		waiter, ok := c.fsys.(interface{ AwaitWrite(fs.File) }) // on Linux
		// Without a fraction, the clock has whole seconds. A time to come is from another clock.
		if twice = !ok || age < 0 || before.ModTime().Nanosecond() == 0; !twice && age < settle {
			return nil, d.doubt()
		}
		if ok {
			waiter.AwaitWrite(f)
		}
	}
	return func(n int64, after fs.FileInfo, sum func() uint64) error {
		if n != before.Size() || n != after.Size() || !after.ModTime().Equal(before.ModTime()) {
			return d.doubt()
		}
		if twice {
			look := fmt.Sprint(n, after.ModTime().UnixNano(), sum(), r.Path())
			if !slices.Contains(d.looks, look) {
				d.looks = append(d.looks, look)
				return d.doubt()
			}
		}
		return nil
	}, nil
}
