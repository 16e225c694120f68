// Package lazyctx has contexts that can be ended, as those of [context.WithCancelCause], for calls
// that mostly look whether they have ended and wait for nothing. Such a context has a channel, and
// a place among those that its parent ends, only once somebody asks for the channel.
package lazyctx

import (
	"context"
	"sync"
	"time"
)

// A Context ends with its parent, or by [Context.End].
type Context struct {
	parent context.Context

	mu     sync.Mutex // guards all fields below
	own    context.Context
	cancel context.CancelCauseFunc // of own; nil without
}

// New returns a context. Its owner calls End when its work is done.
func New(parent context.Context) *Context { return &Context{parent: parent} }

// End ends the context with a cause. A nil cause says that the work is done: then the context may
// go on for those who have not asked for its channel.
func (c *Context) End(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel == nil && cause != nil {
		c.own, c.cancel = context.WithCancelCause(c.parent)
	}
	if c.cancel != nil {
		c.cancel(cause)
	}
}

// Done is that of [context.Context].
func (c *Context) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel == nil {
		c.own, c.cancel = context.WithCancelCause(c.parent)
	}
	return c.own.Done()
}

// now is the context that knows most.
func (c *Context) now() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel == nil {
		return c.parent
	}
	return c.own
}

// Err is that of [context.Context].
func (c *Context) Err() error { return c.now().Err() }

// Value is that of [context.Context].
func (c *Context) Value(key any) any { return c.now().Value(key) }

// Deadline is that of [context.Context].
func (c *Context) Deadline() (time.Time, bool) { return c.parent.Deadline() }
