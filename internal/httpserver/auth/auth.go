// Package auth authenticates HTTP requests.
//
//  1. A request carries a token in its Authorization header, as `Bearer` and the token (RFC 6750,
//     section 2.1). Tokens in URLs are never read, because URLs end up in logs. A token is listed in
//     a file or is an OAuth token.
//  2. Each line of the file is a name, blanks, and a token of 16 characters or more; `#` begins a
//     comment. Names and tokens must be unique. The file is read again when it changes. A file with a
//     mistake, also an empty one, is refused: at the start with an error, later with a line in the
//     log, and the old list stays in use. When a token is removed from the list, everything that runs
//     with it ends: see [Caller.Revoked]. The SHA-256 sum of a token is compared with the sums of all
//     listed tokens, so that the time reveals nothing. Logs and errors never contain a token; they
//     contain names and line numbers.
//  3. An OAuth 2.1 token is a JWT (RFC 9068) that an issuer signed with a key that its metadata (RFC
//     8414 or OpenID Connect Discovery) leads to, see issuer.go. The algorithm must be
//     asymmetric. The token must name the issuer in iss, one of the configured audiences in aud, a
//     future time in exp, and all configured scopes in scope or scp. Clocks may differ by a minute.
//  4. A refusal has a status and a WWW-Authenticate header (RFC 6750, section 3) that leads a client
//     to the metadata of this server (RFC 9728), which names the issuer: 401 without a token or with
//     an invalid one, 403 if it lacks a scope, 400 if the header is malformed, and 503 while the
//     issuer's keys cannot be read.
//  5. Without a list and an issuer, every request is admitted, and a caller is an address.
package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
)

// longestToken is in bytes. Tokens of providers that list the groups of a user have some 8 KB.
const longestToken = 16 << 10

// Options are the settings of the user. A nil pointer means that the user gave no value, which
// differs from an empty value.
type Options struct {
	TokenFile *string
	Token     *string // from the variable TokenVariable
	Issuer    *string // URL of the OAuth issuer: https, or http on the loopback interface
	Audience  []string
	Scopes    []string

	// of the endpoint, relative to the public URL: "/mcp"
	Path string
	// the URL of the server for a client, without a slash at the end
	PublicURL func(*http.Request) string
	// the address of the client, past trusted proxies
	ClientAddr func(*http.Request) netip.Addr
	Limiter    *hosts.Limiter // nil: requests are not limited
	// Admitted, if not nil, is called with each request that is admitted.
	Admitted func(*http.Request, Caller)
	Logger   *slog.Logger
	// for requests to the issuer; nil: uses the proxy of the environment
	Transport http.RoundTripper
}

// TokenVariable is the environment variable with a single token. It is also the name of that
// token's caller.
const TokenVariable = "MCP_DOCS_TOKEN"

// An Authenticator authenticates requests. It is safe for concurrent use.
type Authenticator struct {
	options Options
	tokens  *tokens // nil: no list
	issuer  *issuer // nil: no OAuth
	lines   *rate.Sometimes
}

// New checks the options and reads the list of tokens.
func New(o Options) (*Authenticator, error) {
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	a := &Authenticator{options: o, lines: &rate.Sometimes{First: 10, Interval: time.Second}}
	var noTokens, noIssuer error
	if o.TokenFile != nil || o.Token != nil {
		a.tokens, noTokens = newTokens(o.TokenFile, o.Token, o.Logger)
	}
	switch {
	case o.Issuer != nil:
		a.issuer, noIssuer = newIssuer(o)
	case o.Audience != nil || o.Scopes != nil:
		noIssuer = errors.New("--oauth-audience and --oauth-scope need --oauth-issuer")
	}
	if err := errors.Join(noTokens, noIssuer); err != nil {
		return nil, err
	}
	return a, nil
}

// At returns an authenticator for another endpoint, whose path is relative to the public URL. Both
// share tokens and keys; only one of them is run.
func (a *Authenticator) At(path string) *Authenticator {
	other := *a
	other.options.Path = path
	return &other
}

// Required reports whether requests need a token.
func (a *Authenticator) Required() bool { return a.tokens != nil || a.issuer != nil }

// Tokens reports whether there are tokens that an operator gives out. Other tokens come from the issuer.
func (a *Authenticator) Tokens() bool { return a.tokens != nil }

// Run follows the list of tokens and keeps the issuer's keys fresh until ctx ends.
func (a *Authenticator) Run(ctx context.Context) {
	var work sync.WaitGroup
	defer work.Wait()
	if a.tokens != nil {
		work.Go(func() { a.tokens.run(ctx) })
	}
	if a.issuer != nil {
		work.Go(func() { a.issuer.run(ctx) })
	}
}

// Browsers adapts authentication to browsers. Its zero value is for programs.
type Browsers struct {
	// Known returns the caller of a request without an Authorization header, for example from a
	// cookie. nil: such a request has no caller.
	Known func(*http.Request) (Caller, bool)
	// Refused, if not nil, answers a request that is not admitted.
	Refused func(http.ResponseWriter, *http.Request, *Refusal)
}

// Handler passes requests of authenticated callers within the rate limit to next. The context of
// such a request holds the caller for [FromContext] and ends when the caller's token does. A
// refused request counts for its address.
func (a *Authenticator) Handler(next http.Handler, b Browsers) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r, leave := a.admit(w, r, b); r != nil {
			defer leave()
			next.ServeHTTP(w, r)
		}
	})
}

// admit returns a request with its caller, and a function to call when the request is answered. If
// it returns nil, it has answered the request itself. It is not part of the handler, because its
// stack would be kept as long as a stream is open.
func (a *Authenticator) admit(w http.ResponseWriter, r *http.Request, b Browsers) (admitted *http.Request, leave context.CancelFunc) {
	caller, err := a.callerOf(r, b)
	if a.options.Limiter != nil {
		if wait, ok := a.options.Limiter.Allow(caller.RateKey()); !ok {
			hosts.TooMany(w, wait)
			return nil, nil
		}
	}
	if err != nil {
		a.lines.Do(func() { a.options.Logger.Warn("request refused", "client", caller.Name, "reason", err) })
		if refusal, ok := errors.AsType[*Refusal](err); ok && b.Refused != nil {
			b.Refused(w, r, refusal)
		} else if ok {
			refusal.Write(w)
		}
		return nil, nil
	}
	if a.options.Admitted != nil {
		a.options.Admitted(r, caller)
	}
	ctx, cancel := caller.Context(r.Context())
	return r.WithContext(NewContext(ctx, caller)), cancel
}

// callerOf returns the caller of a request. Its errors are the same as Authenticate's.
func (a *Authenticator) callerOf(r *http.Request, b Browsers) (Caller, error) {
	if a.Required() && b.Known != nil && len(r.Header.Values("Authorization")) == 0 {
		if caller, ok := b.Known(r); ok && caller.Valid() {
			return caller, nil
		}
	}
	return a.Authenticate(r)
}

// Authenticate returns the caller of a request. With an error, which is a [*Refusal], the caller is
// the address.
func (a *Authenticator) Authenticate(r *http.Request) (Caller, error) {
	caller, refusal := a.authenticate(r)
	if refusal != nil {
		refusal.Challenge = a.challenge(r, refusal)
		return a.address(r), refusal
	}
	return caller, nil
}

func (a *Authenticator) authenticate(r *http.Request) (Caller, *Refusal) {
	if !a.Required() {
		return a.address(r), nil
	}
	token, refusal := bearer(r)
	if refusal != nil {
		return Caller{}, refusal
	}
	if a.tokens != nil {
		if e := a.tokens.find(token); e != nil {
			return Caller{Key: "token:" + e.name, Name: e.name, sum: string(e.sum[:]), token: e.life}, nil
		}
	}
	if a.issuer != nil {
		return a.issuer.authenticate(r.Context(), token)
	}
	return Caller{}, invalid("the token is not known")
}

func (a *Authenticator) address(r *http.Request) Caller {
	addr, name := a.options.ClientAddr(r), "unknown"
	if addr.IsValid() {
		name = addr.String()
	}
	return Caller{Key: "address:" + name, Name: name, rateKey: hosts.AddrKey(addr)}
}

// bearer returns the token of a request.
func bearer(r *http.Request) (string, *Refusal) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.Trim(token, " \t")
	switch values := r.Header.Values("Authorization"); {
	case len(values) > 1:
		return "", malformed("the request has several Authorization headers")
	case len(values) == 0 && strings.Contains(r.URL.RawQuery, "access_token"):
		return "", missing("tokens in URLs are not accepted; send the token in the Authorization header")
	case !strings.EqualFold(scheme, "Bearer") || token == "":
		return "", missing("this server needs a token; send the header Authorization: Bearer and the token")
	case len(token) > longestToken:
		return "", invalid(fmt.Sprintf("the token is longer than %d bytes", longestToken))
	case !visible(token):
		return "", malformed("the Authorization header must be Bearer, a blank, and the token")
	}
	return token, nil
}

// visible reports whether a text is ASCII without blanks and control characters, so that it can be
// in a header.
func visible(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

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
	Expires time.Time // when the token expires; zero: never

	rateKey string // "": the same as Key
	sum     string // digest of the token; "": it is not from a list
	// ends when the token leaves the list; nil: it is not from a list
	token context.Context
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
