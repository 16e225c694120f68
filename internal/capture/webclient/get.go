package webclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fairqueue"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/weburl"
)

// refuse returns an error that wraps [ErrRefused] without its text.
func refuse(format string, args ...any) error {
	return &failure{"", fmt.Sprintf(format, args...), ErrRefused}
}

// A failure is an error with another text.
type failure struct {
	url    string // "": the reason names it, or it is unknown
	reason string
	err    error
}

func (f *failure) Error() string {
	if f.url == "" {
		return f.reason
	}
	return f.url + ": " + f.reason
}

func (f *failure) Unwrap() error { return f.err }

// A StatusError is an answer with a status that is not one of success.
type StatusError struct {
	URL        string
	Status     int
	RetryAfter time.Duration // 0: unknown
}

func (e *StatusError) Error() string {
	s := fmt.Sprintf("%s: answers %d %s", e.URL, e.Status, http.StatusText(e.Status))
	if e.RetryAfter >= time.Second {
		s += fmt.Sprintf(" and asks to come back in %v", e.RetryAfter.Round(time.Second))
	}
	return s
}

// ErrExhausted is wrapped by the error of an answer that is too large, and of a [Proxy] if its page loaded too much.
var ErrExhausted = errors.New("loads too much")

// TooLarge returns the error of an answer with more bytes than a limit.
func TooLarge(u *url.URL, limit int64) error {
	return &failure{show(u), fmt.Sprintf("has more than %d bytes, which is the limit", limit), ErrExhausted}
}

// Secrecy says who may keep a page, as Cache-Control does (RFC 9111, 5.2.2). The strictest of all
// redirects and the answer counts: a private redirect makes the page private.
type Secrecy struct {
	NoStore bool
	Private bool // only this caller may keep it
}

// SecrecyOf reads the header of one answer. A directive that restricts only some fields, such as
// private="set-cookie", restricts the whole page.
func SecrecyOf(h http.Header) (s Secrecy) {
	for _, value := range h.Values("Cache-Control") {
		for directive := range strings.SplitSeq(value, ",") {
			name, _, _ := strings.Cut(strings.TrimSpace(directive), "=")
			s.NoStore = s.NoStore || strings.EqualFold(name, "no-store")
			s.Private = s.Private || strings.EqualFold(name, "private")
		}
	}
	return s
}

// And returns the stricter of both.
func (s Secrecy) And(other Secrecy) Secrecy {
	return Secrecy{s.NoStore || other.NoStore, s.Private || other.Private}
}

// A Request is for one page.
type Request struct {
	URL *url.URL
	// Header is sent to the origin of URL only. After a redirect to another origin it is never sent
	// again, even if that origin redirects back.
	Header http.Header
	// Known has the validators of an earlier answer. If the page that URL leads to still has them, the
	// answer is [Response.NotModified].
	Known Validators
	// Accept is the value of the header field of this name.
	Accept string
	// MaxBytes and Timeout replace the fields of [Options] if they are not 0.
	MaxBytes int64
	Timeout  time.Duration
	// Caller is the client of this server that wants the page: callers share connections and requests
	// to a host. It is "" for the only caller of a process.
	Caller string
	// Background says that nobody waits for the answer: half of the connections, and of the requests to
	// a host, are reserved for other requests.
	Background bool
	// Stay says that redirects are not followed, see [Response.Redirect].
	Stay bool

	// robots says that it is a robots.txt: it needs no other one, its beginning is enough, and Retry-After is not waited for.
	robots bool
}

func (r *Request) ask() fairqueue.Ask {
	return fairqueue.Ask{Caller: r.Caller, Background: r.Background}
}

// Validators identify a version of a page.
type Validators struct {
	URL          string
	ETag         string
	LastModified string
}

// A Response is an answer with a status of success, the answer that nothing has changed, or a redirect.
type Response struct {
	URL         *url.URL // after redirects
	Redirect    *url.URL // if [Request.Stay]; without fragment, not checked
	NotModified bool
	ContentType string
	Validators  Validators // if NotModified: Request.Known, updated by the answer
	Secrecy     Secrecy    // the strictest, redirects included
	Header      http.Header
	Body        []byte
	Took        time.Duration // without waiting for a turn
}

// Check checks a URL without a request to the network.
func (c *Client) Check(u *url.URL) error { return c.rules.url(u) }

// Get fetches a page and follows redirects. An answer with a status other than 200, 203 and 304 is a
// [*StatusError].
func (c *Client) Get(ctx context.Context, r Request) (*Response, error) {
	budget := budget{cmp.Or(r.Timeout, c.options.Timeout), maxRetryAfter}
	if r.robots {
		budget.waiting = 0
	}
	had := budget.asking
	u, first := withoutFragment(r.URL), originOf(r.URL)
	if r.URL.User != nil {
		return nil, c.rules.url(r.URL)
	}
	header := r.Header
	var passed Secrecy
	for range maxRedirects + 1 {
		if originOf(u) != first {
			// for good: another origin chooses the URL to which it redirects back
			header = nil
		}
		a, err := c.hop(ctx, u, r, header, &budget)
		if err != nil {
			return nil, err
		}
		passed = passed.And(a.Secrecy)
		switch {
		case a.Redirect != nil && !r.Stay:
			u = a.Redirect
		case a.NotModified && !a.Validators.match(r.Known):
			r.Known = Validators{} // ask for the page: the caller lacks this version
		default:
			a.Secrecy, a.Took = passed, had-budget.asking
			return a, nil
		}
	}
	return nil, &failure{show(r.URL), fmt.Sprintf("redirects more than %d times", maxRedirects), errManyRedirects}
}

var errManyRedirects = errors.New("too many redirects")

func withoutFragment(u *url.URL) *url.URL {
	v := *u
	v.Fragment, v.RawFragment = "", ""
	return &v
}

// A budget is the time that a Get has left.
type budget struct {
	asking  time.Duration
	waiting time.Duration // because of Retry-After
}

// hop requests one URL, and repeats the request as Retry-After asks.
func (c *Client) hop(ctx context.Context, u *url.URL, r Request, header http.Header, b *budget) (*Response, error) {
	if err := c.rules.url(u); err != nil {
		return nil, err
	}
	var delay time.Duration
	if !r.robots {
		var err error
		if delay, err = c.robotsDelay(ctx, u, r.ask()); err != nil {
			return nil, err
		}
	}
	for try := 1; ; try++ {
		a, err := c.inTurn(ctx, u, r, header, delay, &b.asking)
		status, ok := errors.AsType[*StatusError](err)
		if !ok || status.Status != http.StatusTooManyRequests && status.Status != http.StatusServiceUnavailable {
			return a, err
		}
		if try == maxTries || status.RetryAfter == 0 || status.RetryAfter > b.waiting {
			return a, err
		}
		b.waiting -= status.RetryAfter
	}
}

// turn waits until a URL may be requested. delay is the Crawl-delay of the host.
func (c *Client) turn(ctx context.Context, u *url.URL, delay time.Duration, ask fairqueue.Ask) (*turn, error) {
	host := hostOf(u)
	port, _ := portOf(u) // the rules have checked it
	return c.pace.wait(ctx, host, c.rules.host(host, port), delay, ask)
}

// inTurn calls [Client.ask] when it is the turn of the request, and gives it the time in left, from
// which it subtracts the time taken.
func (c *Client) inTurn(ctx context.Context, u *url.URL, r Request, header http.Header, delay time.Duration, left *time.Duration) (*Response, error) {
	turn, err := c.turn(ctx, u, delay, r.ask())
	if err != nil {
		return nil, err
	}
	defer turn.done()
	slow := fmt.Errorf("%s: does not answer in full within %v", show(u), cmp.Or(r.Timeout, c.options.Timeout))
	bounded, cancel := context.WithTimeoutCause(ctx, *left, slow)
	defer cancel()
	start := time.Now()
	a, err := c.ask(bounded, u, r, header, turn.sent)
	*left -= time.Since(start)
	if _, answered := errors.AsType[*StatusError](err); err != nil && !answered && bounded.Err() != nil {
		return nil, context.Cause(bounded)
	}
	return a, err
}

// ask sends one request, calls sent, and reads the answer.
func (c *Client) ask(ctx context.Context, u *url.URL, r Request, header http.Header, sent func()) (*Response, error) {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { sent() }})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	for name, values := range header {
		if !httpguts.ValidHeaderFieldName(name) || slices.ContainsFunc(values, func(v string) bool { return !httpguts.ValidHeaderFieldValue(v) }) {
			return nil, fmt.Errorf("%s: the header field %q is not valid", show(u), name)
		}
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	if host := req.Header.Get("Host"); host != "" {
		return nil, refuse("%s: the header field Host cannot be set: it is the host of the URL", show(u))
	}
	req.Header.Set("User-Agent", c.agent)
	req.Header.Set("Accept-Encoding", accepted)
	if r.Accept != "" {
		req.Header.Set("Accept", r.Accept)
	}
	conditional := r.Known.URL == u.String()
	if conditional && r.Known.ETag != "" {
		req.Header.Set("If-None-Match", r.Known.ETag)
	}
	if conditional && r.Known.LastModified != "" {
		req.Header.Set("If-Modified-Since", r.Known.LastModified)
	}
	res, err := c.transports.forRequest(len(header) > 0).RoundTrip(req)
	if err != nil {
		return nil, dialed(u, err)
	}
	defer drain(res.Body)
	return c.read(u, r, conditional, res)
}

// read turns an HTTP response into an answer or an error.
func (c *Client) read(u *url.URL, r Request, conditional bool, res *http.Response) (*Response, error) {
	a := &Response{URL: u, Header: res.Header, Secrecy: SecrecyOf(res.Header)}
	seen := Validators{u.String(), validator(res.Header, "Etag"), validator(res.Header, "Last-Modified")}
	switch res.StatusCode {
	case http.StatusOK, http.StatusNonAuthoritativeInfo:
	case http.StatusNotModified:
		if !conditional {
			return nil, &StatusError{URL: show(u), Status: res.StatusCode}
		}
		// RFC 9111, 4.3.4
		a.NotModified, a.Validators = true, Validators{seen.URL, cmp.Or(seen.ETag, r.Known.ETag), cmp.Or(seen.LastModified, r.Known.LastModified)}
		return a, nil
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		var err error
		a.Redirect, err = redirected(u, res.Header.Get("Location"))
		return a, err
	default:
		return nil, c.Answered(u, res.StatusCode, res.Header)
	}
	limit := cmp.Or(r.MaxBytes, c.options.MaxBytes)
	text, whole, err := readBody(res.Header, res.Body, limit)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", show(u), reported(err))
	}
	if !whole && !r.robots {
		return nil, TooLarge(u, limit)
	}
	a.ContentType, a.Body, a.Validators = res.Header.Get("Content-Type"), text, seen
	return a, nil
}

// match reports whether a 304 is about the version that the caller knows. A 304 with another entity
// tag says nothing about the caller's bytes (RFC 9111, 4.3.4).
func (v Validators) match(known Validators) bool {
	return known.ETag == "" || strings.TrimPrefix(v.ETag, "W/") == strings.TrimPrefix(known.ETag, "W/")
}

// validator returns a validator of an answer. A value that is too long to be kept with each page and
// to be sent back counts as missing.
func validator(header http.Header, name string) string {
	if v := header.Get(name); len(v) <= maxValidator {
		return v
	}
	return ""
}

// redirected returns the target of a redirect.
func redirected(from *url.URL, location string) (*url.URL, error) {
	if location == "" {
		return nil, fmt.Errorf("%s: redirects without saying where to", show(from))
	}
	to, err := weburl.Resolve(from, location)
	if err != nil {
		return nil, fmt.Errorf("%s: redirects to an invalid URL: %q", show(from), location[:min(len(location), 300)])
	}
	return withoutFragment(to), nil
}

// dialed returns the error of a request for the caller: the reason if the address was refused, and
// nothing about the local network.
func dialed(u *url.URL, err error) error {
	if refused, ok := errors.AsType[*failure](err); ok {
		return &failure{show(u), refused.reason, refused.err}
	}
	if lookup, ok := errors.AsType[*net.DNSError](err); ok {
		bare := *lookup
		bare.Server = "" // the DNS server means nothing to a remote client
		return down(u, &bare)
	}
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: the server closed the connection before it answered: %w", show(u), io.EOF)
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return down(u, reported(err))
	}
	return fmt.Errorf("%s: %w", show(u), reported(err))
}

// down returns an error that reports that no connection to the host of a URL was made.
func down(u *url.URL, err error) error {
	return &failure{show(u), "cannot connect: " + fserr.Reason(err), err}
}

// reported returns an error of a connection for a message: without addresses of this computer, in one
// line and cut after [maxReason] bytes, since such errors quote certificates and headers of servers.
func reported(err error) error {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Source != nil {
		bare := *op
		bare.Source = nil
		err = &bare
	}
	text := excerpt.Ellipsis(excerpt.OneLine(err.Error()), maxReason)
	if text == err.Error() {
		return err
	}
	return &failure{"", text, err}
}
