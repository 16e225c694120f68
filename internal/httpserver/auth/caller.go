package auth

import (
	"cmp"
	"context"
	"errors"
	"time"
)

// Why the context of a request ended, as context.Cause reports it.
var (
	ErrRevoked = errors.New("the token of the caller was removed")
	ErrExpired = errors.New("the token of the caller has expired")
)

// A Caller is the sender of a request.
type Caller struct {
	// Key identifies the caller: "token:alice", "oauth:https://issuer.example user-7",
	// "oauth-client:https://issuer.example robot", "address:192.0.2.7".
	Key     string
	Name    string    // for logs: "alice", "user-7", "192.0.2.7"
	Private bool      // the caller has shown a token, so answers are for it alone
	Expires time.Time // when the token expires; zero: never

	rateKey string          // "": the same as Key
	sum     string          // digest of the token from the list; "": the token is not from a list
	token   context.Context // ends when the token is removed from the list; nil: the token is not from a list
}

// RateKey is the caller's key for a limiter. It differs from Key for IPv6 addresses.
func (c Caller) RateKey() string { return cmp.Or(c.rateKey, c.Key) }

// SessionKey identifies the owner of a session. It differs from Key for a token from the list: whoever gets another token under the
// same name does not get the sessions of the old one.
func (c Caller) SessionKey() string {
	if c.sum != "" {
		return c.Key + "\x00" + c.sum
	}
	return c.Key
}

// Valid reports whether the caller's token is still valid: neither removed nor expired.
func (c Caller) Valid() bool {
	return (c.token == nil || c.token.Err() == nil) && (c.Expires.IsZero() || time.Now().Before(c.Expires))
}

// Revoked returns a channel that is closed when the caller's token is removed from the list. It is
// nil if that cannot happen.
//
// A session ends with Revoked, but not at Expires: an OAuth client continues the same session with
// its next token, which has the same [Caller.SessionKey]. A session belongs to the key that began it.
func (c Caller) Revoked() <-chan struct{} {
	if c.token == nil {
		return nil
	}
	return c.token.Done()
}

// Context returns a context that also ends when the caller's token is removed or expires. Its cause
// is then ErrRevoked or ErrExpired.
func (c Caller) Context(parent context.Context) (context.Context, context.CancelFunc) {
	if c.token == nil && c.Expires.IsZero() {
		return parent, func() {}
	}
	ctx, end := context.WithCancelCause(parent)
	stop := context.AfterFunc(cmp.Or(c.token, context.Background()), func() { end(ErrRevoked) })
	cancel := func() { stop(); end(nil) }
	if c.Expires.IsZero() {
		return ctx, cancel
	}
	ctx, late := context.WithDeadlineCause(ctx, c.Expires, ErrExpired)
	return ctx, func() { late(); cancel() }
}

// callerKey is the key of a caller in a context.
type callerKey struct{}

// NewContext returns a context that holds a caller.
func NewContext(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// FromContext returns the caller in a context. ok is false if there is none.
func FromContext(ctx context.Context) (c Caller, ok bool) {
	c, ok = ctx.Value(callerKey{}).(Caller)
	return c, ok
}
