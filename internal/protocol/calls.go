package protocol

import (
	"context"
	"sync"
)

// Calls are the calls of a session that are in flight, by the keys of their ids. The zero value has none.
type Calls struct {
	mu    sync.Mutex // guards byKey
	byKey map[string]*running
}

type running struct {
	fixed bool // it cannot be cancelled
	end   context.CancelFunc
}

// Begin registers a call. ctx ends with the call's cancellation. finish ends the registration, and reports whether it was there until
// then: a call that was cancelled has no answer. Begin fails if the id is in use.
func (c *Calls) Begin(parent context.Context, m Message) (ctx context.Context, end context.CancelFunc, finish func() bool, fault *Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byKey[m.Key] != nil {
		return nil, nil, nil, InvalidRequest("invalid request: id %s is in use by a call in flight", m.ID)
	}
	if c.byKey == nil {
		c.byKey = make(map[string]*running)
	}
	ctx, end = context.WithCancel(parent)
	call := &running{m.Method == MethodInitialize, end} // MCP, "Cancellation"
	c.byKey[m.Key] = call
	return ctx, end, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		had := c.byKey[m.Key] == call
		if had {
			delete(c.byKey, m.Key)
		}
		return had
	}, nil
}

// Cancel ends the call that the params of notifications/cancelled name (MCP, "Cancellation"), if it is here.
func (c *Calls) Cancel(params []byte) {
	key := cancelledKey(params)
	c.mu.Lock()
	defer c.mu.Unlock()
	if call := c.byKey[key]; call != nil && !call.fixed {
		delete(c.byKey, key)
		call.end()
	}
}
