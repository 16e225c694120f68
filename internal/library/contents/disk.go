package contents

import (
	"context"
	"runtime/debug"
	"time"
)

const (
	// diskTime is how long work at the disk may take. It ends what hangs, as on a network mount
	// whose server is gone.
	diskTime = 30 * time.Second
	// maxAtDisk is how much work is at the disk at a time, with what hangs there. Each piece keeps
	// a thread until the system gives up.
	maxAtDisk = 64
)

// OnDisk does work that may wait for a disk that never answers, and returns what it returns. A
// system call cannot be interrupted: work that is not done when ctx or its time is over is left
// behind, and the error is ctx.Err() or [ErrSlow]. What it still returns is given to late. Work
// that fails returns nothing that is held. of is what a log says is read. The work must not call
// OnDisk itself.
//
// The work may hold a budget. After an error OnDisk gives it back, as soon as the work has ended or
// is taken for lost.
func OnDisk[T any](ctx context.Context, r *Reader, of string, held *Budget, work func(context.Context) (T, error), late func(T)) (T, error) {
	var none T
	m := r.memory
	if err := m.enterDisk(ctx); err != nil {
		held.Release()
		return none, err
	}
	began := time.Now()
	type outcome struct {
		value T
		err   error
	}
	var o outcome // good once ended is closed
	ended := make(chan struct{})
	at, end := context.WithTimeoutCause(ctx, diskTime, ErrSlow)
	defer end()
	go func() {
		defer func() {
			if p := recover(); p != nil {
				r.logger.Error("a read failed", "of", of, "panic", p, "stack", string(debug.Stack()))
				o = outcome{none, ErrInternal}
			}
			m.disk.Release(1) // whoever gets the outcome may use the place
			close(ended)
		}()
		o.value, o.err = work(at)
	}()
	select {
	case <-ended:
		if o.err != nil {
			held.Release()
		}
		return o.value, o.err
	case <-at.Done():
	}
	go func() {
		lost := time.NewTimer(diskTime - time.Since(began))
		defer lost.Stop()
		select {
		case <-ended:
			held.Release()
		case <-lost.C:
			held.Release()
			r.logger.Warn("a read hangs: the disk does not answer", "of", of, "hanging", m.hanging.Add(1))
			<-ended
			m.hanging.Add(-1)
		}
		if o.err == nil {
			late(o.value)
		}
	}()
	return none, context.Cause(at)
}

// enterDisk waits for a place at the disk, unless all are taken by what hangs.
func (m *Memory) enterDisk(ctx context.Context) error {
	if m.hanging.Load() >= maxAtDisk {
		return ErrHanging
	}
	if m.disk.TryAcquire(1) { // nearly always, and without a timer
		return nil
	}
	ctx, stop := context.WithTimeoutCause(ctx, diskTime, ErrHanging)
	defer stop()
	if m.disk.Acquire(ctx, 1) != nil {
		return context.Cause(ctx)
	}
	return nil
}
