package server

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// latest holds the newest of a kind of value, and lets readers wait for the first.
type latest[T any] struct {
	value atomic.Pointer[T]
	once  sync.Once
	ready chan struct{}
}

func newLatest[T any]() *latest[T] { return &latest[T]{ready: make(chan struct{})} }

// swap puts a value in and returns the one before, or nil.
func (l *latest[T]) swap(v *T) *T {
	old := l.value.Swap(v)
	l.once.Do(func() { close(l.ready) })
	return old
}

// peek returns the newest value, or nil while there is none.
func (l *latest[T]) peek() *T { return l.value.Load() }

// await waits for the first value, for d at the most. The error is that of ctx.
func (l *latest[T]) await(ctx context.Context, d time.Duration) error {
	select {
	case <-l.ready:
		return nil
	default:
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-l.ready:
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// load returns the newest value, and waits for the first.
func (l *latest[T]) load(ctx context.Context) (*T, error) {
	select {
	case <-l.ready:
		return l.value.Load(), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
