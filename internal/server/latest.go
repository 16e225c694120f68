package server

import (
	"context"
	"sync"
	"sync/atomic"
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

// load returns the newest value, and waits for the first.
func (l *latest[T]) load(ctx context.Context) (*T, error) {
	select {
	case <-l.ready:
		return l.value.Load(), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
