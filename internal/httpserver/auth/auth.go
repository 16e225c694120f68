// Package auth decides who sent an HTTP request.
//
// A request carries a token in its Authorization header, as `Bearer` and the token (RFC 6750,
// section 2.1); tokens in URLs are never read, since URLs end up in logs. A token is one of a list,
// or one of OAuth.
//
// The list is a file. A line is a name, blanks, and a token of 16 characters or more; `#` begins a
// comment. Names and tokens are there once. The file is read again when it changes. A list that is
// not right, also an empty one, is refused: at the start with an error, later with a line in the
// log while the old list stays in use. What ran with a token that is not in the new list ends: see
// [Caller.Revoked]. Tokens are compared by their SHA-256 sums, each with all of them, so that the
// time says nothing about any. A token never appears in a log or an error; those have names and
// line numbers.
//
// A token of OAuth 2.1 is a JWT (RFC 9068) that an issuer signed. Of the issuer's metadata (RFC
// 8414 or OpenID Connect Discovery) the keys are used, see discovery.go. A token must be signed by
// one of these with an asymmetric algorithm, must name the issuer in iss, an audience that was
// asked for in aud, an end in exp that is not past, and all scopes that were asked for in scope or
// scp. Clocks may differ by a minute.
//
// A refusal has a status and a WWW-Authenticate header (RFC 6750, section 3) that points a client
// to the metadata of this server (RFC 9728), where it finds the issuer: 401 without a token or with
// one that is not valid, 403 if it lacks a scope, 400 if the header cannot be read, and 503 while
// the issuer's keys cannot be had.
//
// Where neither a list nor an issuer is given, everybody is let in, and a caller is an address.
package auth

import (
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

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/gate"
)

// longestToken is in bytes. Tokens of providers that list the groups of a user take some 8 KB.
const longestToken = 16 << 10

// Options are what the user decides. A pointer is nil if the user said nothing, which differs from
// an empty value.
type Options struct {
	TokenFile *string // the list of tokens
	Token     *string // one token more, of the environment variable TokenVariable
	Issuer    *string // of OAuth: https, or http on the loopback interface
	Audience  []string
	Scopes    []string

	Path       string                         // of the endpoint below the public URL, "/mcp"
	PublicURL  func(*http.Request) string     // where a client finds the server, without a slash at the end
	ClientAddr func(*http.Request) netip.Addr // who sent a request, beyond trusted proxies
	Limiter    *gate.Limiter                  // nil: callers make as many requests as they like
	// Admitted, if not nil, is called with each request that is let in.
	Admitted  func(*http.Request, Caller)
	Logger    *slog.Logger
	Transport http.RoundTripper // to the issuer; nil: as the environment says
}

// TokenVariable is the environment variable with a single token, and the name of its caller.
const TokenVariable = "MCP_DOCS_TOKEN"

// An Authenticator knows the tokens. It is safe for concurrent use.
type Authenticator struct {
	options Options
	logger  *slog.Logger
	tokens  *tokens // nil: there is no list
	issuer  *issuer // nil: there is no OAuth
	lines   *rate.Sometimes
}

// New checks the options and reads the list of tokens.
func New(o Options) (*Authenticator, error) {
	a := &Authenticator{options: o, logger: o.Logger, lines: &rate.Sometimes{First: 10, Interval: time.Second}}
	if a.logger == nil {
		a.logger = slog.New(slog.DiscardHandler)
	}
	var problems []error
	if o.TokenFile != nil || o.Token != nil {
		var err error
		if a.tokens, err = newTokens(o.TokenFile, o.Token, a.logger); err != nil {
			problems = append(problems, err)
		}
	}
	switch {
	case o.Issuer != nil:
		var err error
		if a.issuer, err = newIssuer(o, a.logger); err != nil {
			problems = append(problems, err)
		}
	case o.Audience != nil || o.Scopes != nil:
		problems = append(problems, errors.New("--oauth-audience and --oauth-scope need --oauth-issuer"))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return a, nil
}

// At returns an authenticator for another endpoint, whose path is below the public URL. It knows
// the same tokens; only one of them is run.
func (a *Authenticator) At(path string) *Authenticator {
	other := *a
	other.options.Path = path
	return &other
}

// Required reports whether requests need a token.
func (a *Authenticator) Required() bool { return a.tokens != nil || a.issuer != nil }

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

// Handler lets next see the requests of callers that are known and do not make too many. Their
// context ends when the caller's token does, and holds the caller for [FromContext]. A request that
// is refused counts for its address.
func (a *Authenticator) Handler(next http.Handler) http.Handler { return a.Door(next, Door{}) }

// A Door says how people get in, who use a browser. Its zero value is for programs.
type Door struct {
	// Known returns the caller whom a request without an Authorization header is of, as a cookie
	// may say. nil: such a request is of nobody.
	Known func(*http.Request) (Caller, bool)
	// Refused, if not nil, answers a request that is not let in.
	Refused func(http.ResponseWriter, *http.Request, *Refusal)
}

// Door is [Authenticator.Handler] for people.
func (a *Authenticator) Door(next http.Handler, door Door) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r, leave := a.admit(w, r, door); r != nil {
			defer leave()
			next.ServeHTTP(w, r)
		}
	})
}

// admit returns a request with its caller, and what is to be called when it is answered. It answers
// the request itself if it returns nil. It is not part of the handler, since what it holds on the
// stack would be held for as long as a stream is open.
func (a *Authenticator) admit(w http.ResponseWriter, r *http.Request, door Door) (admitted *http.Request, leave context.CancelFunc) {
	caller, err := a.enter(r, door)
	if a.options.Limiter != nil {
		if wait, ok := a.options.Limiter.Allow(caller.RateKey()); !ok {
			gate.TooMany(w, wait)
			return nil, nil
		}
	}
	if err != nil {
		a.lines.Do(func() { a.logger.Warn("request refused", "client", caller.Name, "reason", err) })
		if refusal, ok := errors.AsType[*Refusal](err); ok && door.Refused != nil {
			door.Refused(w, r, refusal)
		} else if ok {
			refusal.write(w)
		}
		return nil, nil
	}
	if a.options.Admitted != nil {
		a.options.Admitted(r, caller)
	}
	ctx, cancel := caller.Context(r.Context())
	return r.WithContext(NewContext(ctx, caller)), cancel
}

// enter returns who sent a request that comes through a door. The error is that of Authenticate.
func (a *Authenticator) enter(r *http.Request, door Door) (Caller, error) {
	if a.Required() && door.Known != nil && len(r.Header.Values("Authorization")) == 0 {
		if caller, ok := door.Known(r); ok && caller.Valid() {
			return caller, nil
		}
	}
	return a.Authenticate(r)
}

// Authenticate returns who sent a request. The error is a [*Refusal]; the caller is then the
// address.
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
			return Caller{Key: "token:" + e.name, Name: e.name, Private: true, token: e.life}, nil
		}
	}
	if a.issuer != nil {
		return a.issuer.authenticate(r.Context(), token)
	}
	return Caller{}, invalid("the token is not known")
}

func (a *Authenticator) address(r *http.Request) Caller {
	addr := a.options.ClientAddr(r)
	if !addr.IsValid() {
		key := gate.AddrKey(addr)
		return Caller{Key: key, Name: "unknown", rateKey: key}
	}
	const kind = "address:"
	key := addr.AppendTo(append(make([]byte, 0, 64), kind...))
	c := Caller{Key: string(key)}
	c.Name = c.Key[len(kind):]
	if c.rateKey = c.Key; addr.Is6() {
		c.rateKey = gate.AddrKey(addr)
	}
	return c
}

// bearer returns the token of a request.
func bearer(r *http.Request) (string, *Refusal) {
	values := r.Header.Values("Authorization")
	if len(values) > 1 {
		return "", malformed("the request has several Authorization headers")
	}
	if len(values) == 0 {
		if strings.Contains(r.URL.RawQuery, "access_token") {
			return "", missing("tokens in URLs are not accepted; send the token in the Authorization header")
		}
		return "", missing("this server needs a token; send the header Authorization: Bearer and the token")
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	token = strings.Trim(token, " \t")
	switch {
	case !strings.EqualFold(scheme, "Bearer") || token == "":
		return "", missing("this server needs a token; send the header Authorization: Bearer and the token")
	case len(token) > longestToken:
		return "", invalid(fmt.Sprintf("the token is longer than %d bytes", longestToken))
	case !visible(token):
		return "", malformed("the Authorization header must be Bearer, a blank, and the token")
	}
	return token, nil
}

// visible reports whether a text is ASCII without blanks and control characters, as what stands in
// a header has to be.
func visible(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
