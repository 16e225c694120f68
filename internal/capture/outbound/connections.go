package outbound

import (
	"context"
	"crypto/tls"
	"net"
	"slices"
	"sync"
	"time"
)

const (
	// idleTime is how long a connection is kept for another request: longer than the usual interval,
	// and shorter than servers keep it.
	idleTime = 3 * time.Second
	// maxAge is for how long requests begin on a connection. After that, the name is looked up again.
	maxAge = time.Minute
)

// connections are those of a client: on which requests are, and which wait for another one. The pace
// bounds the former; both together are at most as many.
type connections struct {
	dial func(ctx context.Context, network, hostPort string) (net.Conn, error)
	tls  *tls.Config // nil: the usual one
	most int

	mu   sync.Mutex // guards all fields below
	open int
	idle []*connection // the one that waits for the longest time is first
}

// take returns a connection to an origin that was kept, or nil.
func (k *connections) take(origin string) *connection {
	for {
		c := k.newest(origin)
		if c == nil || time.Since(c.made) < maxAge && c.quiet() {
			return c
		}
		k.close(c)
	}
}

// newest takes away the connection to an origin that was used last.
func (k *connections) newest(origin string) *connection {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i, c := range slices.Backward(k.idle) {
		if c.origin == origin {
			k.idle = slices.Delete(k.idle, i, i+1)
			c.closing.Stop()
			c.used = true
			return c
		}
	}
	return nil
}

// begin counts a connection that is about to be made, in whose place an idle one ends if there are as
// many as may be.
func (k *connections) begin() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.open >= k.most && len(k.idle) > 0 {
		c := k.idle[0]
		k.idle = slices.Delete(k.idle, 0, 1)
		c.closing.Stop()
		_ = c.raw.Close()
		k.open--
	}
	k.open++
}

// end counts a connection that is closed.
func (k *connections) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.open--
}

func (k *connections) close(c *connection) {
	_ = c.raw.Close() // without the farewell of TLS, which may block
	k.end()
}

// keep keeps a connection for another request.
func (k *connections) keep(c *connection) {
	k.mu.Lock()
	defer k.mu.Unlock()
	c.closing = time.AfterFunc(idleTime, func() {
		k.mu.Lock()
		at := slices.Index(k.idle, c)
		if at >= 0 {
			k.idle = slices.Delete(k.idle, at, at+1)
		}
		k.mu.Unlock()
		if at >= 0 { // nobody has taken it
			k.close(c)
		}
	})
	k.idle = append(k.idle, c)
}
