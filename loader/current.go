package loader

import (
	"context"
	"sync"
	"sync/atomic"
)

// Current holds the catalog that is valid now. Readers load a pointer and hold no lock; the one writer publishes whole
// catalogs.
type Current struct {
	catalog atomic.Pointer[Catalog]
	once    sync.Once
	ready   chan struct{}
}

// NewCurrent returns a Current that has no catalog yet.
func NewCurrent() *Current { return &Current{ready: make(chan struct{})} }

// Publish makes c the current catalog.
func (cur *Current) Publish(c *Catalog) {
	cur.catalog.Store(c)
	cur.once.Do(func() { close(cur.ready) })
}

// Is reports whether c is the current catalog.
func (cur *Current) Is(c *Catalog) bool { return cur.catalog.Load() == c }

// Ready is closed once there is a catalog.
func (cur *Current) Ready() <-chan struct{} { return cur.ready }

// Load returns the current catalog, and waits for the first one.
func (cur *Current) Load(ctx context.Context) (*Catalog, error) {
	if c := cur.catalog.Load(); c != nil {
		return c, nil
	}
	select {
	case <-cur.ready:
		return cur.catalog.Load(), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
