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
	looks  []string // size, time, hash and path of files
}

// Wait waits until another attempt makes sense. The caller may release its buffers first. If ctx
// ends, Wait returns its error.
func (a *Attempts) Wait(ctx context.Context) error {
	a.waited += settle
	select {
	case <-time.After(settle):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
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
