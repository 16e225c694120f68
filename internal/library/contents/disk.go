package contents

import (
	"context"
	"runtime/debug"
	"time"
)

const (
	// diskTime is how long a piece of work at the disk may take. It frees callers from a network mount
	// whose server is gone.
	diskTime = 30 * time.Second
	// maxAtDisk is how many pieces of work may use the disk at a time, including those that hang. Each
	// occupies a thread until the system gives up.
	maxAtDisk = 64
)

// OnDisk does work that may wait for a disk that never answers, and returns its result. A system call
// cannot be interrupted: if ctx or the time ends, OnDisk leaves the work behind, and the error is
// ctx.Err() or [ErrSlow]. If the work still succeeds, late gets its result. Work that fails must hold
// nothing. what names the work in the log. The work must not call OnDisk itself.
//
// The work may hold a budget. After an error, OnDisk releases it as soon as the work has ended or is
// considered lost.
func OnDisk[T any](ctx context.Context, r *Reader, what string, held *Budget, work func(context.Context) (T, error), late func(T)) (T, error) {
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
	var o outcome // valid after ended is closed
	ended := make(chan struct{})
	bounded, end := context.WithTimeoutCause(ctx, diskTime, ErrSlow)
	defer end()
	go func() {
		defer func() {
			if p := recover(); p != nil {
				r.logger.Error("a read failed", "of", what, "panic", p, "stack", string(debug.Stack()))
				o = outcome{none, ErrInternal}
			}
			m.disk.Release(1) // before ended, so that the caller can use the place
			close(ended)
		}()
		o.value, o.err = work(bounded)
	}()
	select {
	case <-ended:
		if o.err != nil {
			held.Release()
		}
		return o.value, o.err
	case <-bounded.Done():
	}
	go func() {
		// A context whose deadline has passed has no timer; for slow work, the deadline has passed here. In a synctest
		// bubble, many expired timers crash the race detector: golang.org/issue/78156.
		lost, end := context.WithDeadline(context.WithoutCancel(ctx), began.Add(diskTime))
		defer end()
		select {
		case <-ended:
			held.Release()
		case <-lost.Done():
			held.Release()
			r.logger.Warn("a read hangs: the disk does not answer", "of", what, "hanging", m.hanging.Add(1))
			<-ended
			m.hanging.Add(-1)
		}
		if o.err == nil {
			late(o.value)
		}
	}()
	return none, context.Cause(bounded)
}

// enterDisk waits for a place at the disk. It fails if work that hangs occupies all places.
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
