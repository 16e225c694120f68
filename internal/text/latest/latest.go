// Package latest holds the newest of a series of values, such as the catalog of a project. One
// writer publishes complete values, which must not change afterwards. Readers load a pointer
// without a lock, and can wait for the first value.
package latest

import (
	"context"
	"sync"
	"sync/atomic"
)

// A Value holds the newest published value.
type Value[T any] struct {
	value atomic.Pointer[T]
	once  sync.Once
	ready chan struct{}

	mu sync.Mutex
	// closed when the next value is published; nil: nobody waits; guarded by mu
	changed chan struct{}
}

// New returns a Value without a published value.
func New[T any]() *Value[T] {
	return &Value[T]{ready: make(chan struct{})}
}

// Publish makes x the current value, and returns the previous value, or nil.
func (v *Value[T]) Publish(x *T) *T {
	old := v.value.Swap(x)
	v.once.Do(func() { close(v.ready) })
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.changed != nil {
		close(v.changed)
		v.changed = nil
	}
	return old
}

// Changed returns a channel that is closed when another value is published. A reader that must not
// miss a change calls Changed before it loads the value.
func (v *Value[T]) Changed() <-chan struct{} {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.changed == nil {
		v.changed = make(chan struct{})
	}
	return v.changed
}

// Ready returns a channel that is closed once something has been published.
func (v *Value[T]) Ready() <-chan struct{} { return v.ready }

// Peek returns the current value, or nil while there is none.
func (v *Value[T]) Peek() *T { return v.value.Load() }

// Load returns the current value, and waits for the first one. If ctx ends first, it returns the
// error of ctx.
func (v *Value[T]) Load(ctx context.Context) (*T, error) {
	select {
	case <-v.ready: // takes precedence even if ctx has ended
		return v.value.Load(), nil
	default:
	}
	if err := Wait(ctx, v.ready); err != nil {
		return nil, err
	}
	return v.value.Load(), nil
}

// Until returns the first value from the current one on that is enough, and waits for it. If ctx ends first, it returns the error of
// ctx.
func (v *Value[T]) Until(ctx context.Context, enough func(*T) bool) (*T, error) {
	for {
		changed := v.Changed()
		x, err := v.Load(ctx)
		if err != nil || enough(x) {
			return x, err
		}
		if err := Wait(ctx, changed); err != nil {
			return nil, err
		}
	}
}

// Wait waits until a channel, such as the one of [Value.Changed], is closed or has a value, which it receives. If ctx ends first, it returns the
// error of ctx.
func Wait[T any](ctx context.Context, c <-chan T) error {
	select {
	case <-c:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
