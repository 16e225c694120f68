package auth

import (
	"context"
	"errors"
	"time"
)

// Why the context of a request ended, as context.Cause reports it.
var (
	ErrRevoked = errors.New("the token of the caller was removed")
	ErrExpired = errors.New("the token of the caller has expired")
)

// A Caller is who sent a request.
type Caller struct {
	// Key is one for each caller: "token:alice", "oauth:https://issuer.example user-7",
	// "oauth-client:https://issuer.example robot", "address:192.0.2.7".
	Key     string
	Name    string    // for logs: "alice", "user-7", "192.0.2.7"
	Private bool      // what the caller gets is for it alone, since it has shown a token
	Expires time.Time // from when on the token is refused; zero: never

	rateKey string          // "": as Key
	token   context.Context // ends when the token is removed from the list; nil: it is of none
}

// RateKey is the caller's key for a limiter. It differs from Key for IPv6 addresses.
func (c Caller) RateKey() string {
	if c.rateKey != "" {
		return c.rateKey
	}
	return c.Key
}

// Valid reports whether the caller's token is still good: neither removed nor expired.
func (c Caller) Valid() bool {
	return (c.token == nil || c.token.Err() == nil) && (c.Expires.IsZero() || time.Now().Before(c.Expires))
}

// Revoked returns a channel that is closed when the caller's token is removed from the list. It is
// nil if that cannot happen.
//
// A session ends with Revoked, but not at Expires: a client of OAuth goes on in the same session
// with its next token, which is of the same Key. A session belongs to the Key that began it.
func (c Caller) Revoked() <-chan struct{} {
	if c.token == nil {
		return nil
	}
	return c.token.Done()
}

// Context returns a context that also ends when the caller's token is removed or expires. The cause
// is then ErrRevoked or ErrExpired.
func (c Caller) Context(parent context.Context) (context.Context, context.CancelFunc) {
	if c.token == nil && c.Expires.IsZero() {
		return parent, func() {}
	}
	ctx, end := context.WithCancelCause(parent)
	cancel := func() { end(nil) }
	if c.token != nil {
		stop := context.AfterFunc(c.token, func() { end(ErrRevoked) })
		cancel = func() { stop(); end(nil) }
	}
	if c.Expires.IsZero() {
		return ctx, cancel
	}
	ctx, stop := context.WithDeadlineCause(ctx, c.Expires, ErrExpired)
	return ctx, func() { stop(); cancel() }
}

// A callerContext is a context that holds a caller.
type callerContext struct {
	context.Context
	caller Caller
}

// callerKey is the key of a callerContext in itself.
type callerKey struct{}

func (c *callerContext) Value(key any) any {
	if key == (callerKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// NewContext returns a context that holds a caller.
func NewContext(ctx context.Context, c Caller) context.Context { return &callerContext{ctx, c} }

// FromContext returns the caller in a context, and whether there is one.
func FromContext(ctx context.Context) (Caller, bool) {
	if c, ok := ctx.Value(callerKey{}).(*callerContext); ok {
		return c.caller, true
	}
	return Caller{}, false
}
