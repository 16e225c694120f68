// Package apiclient asks services over HTTP that the operator configured, such as Firecrawl, Brave,
// SearXNG or an LLM. What agents name is asked by package webclient, with its rules for addresses.
//
// [Client.Do] does this:
//
//  1. It sends a request with the key of the service. Redirects are not followed and the proxies of
//     the environment are not used, since a key must reach nobody else.
//  2. An answer of up to 32 MiB, also after decompression, is decoded from JSON.
//  3. Everything else is an [*Error] with a [Category], in words for the model, which name what to
//     change. No error has the key of the service, nor what is behind the "?" of a URL; an answer that
//     repeats the key comes without it.
//  4. What may pass by itself is tried again, three times in all: a rate limit after the delay that
//     the service asks for, an error of the server or of the network after a pause. A request that
//     may not be made twice ([Request.Once]) is tried again only if the service refused it.
package apiclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/pause"
)

// Bounds on what one call may cost.
const (
	tries          = 3
	largestAnswer  = 32 << 20 // bytes
	largestHeader  = 64 << 10 // bytes
	defaultTimeout = time.Minute
	shortestKey    = 12 // bytes of one that is taken out of answers: a shorter one may be a word of them
	firstPause     = 500 * time.Millisecond
	longestPause   = 30 * time.Second // a service that wants a longer one is not asked again
)

// Options describe a service.
type Options struct {
	Name    string // as messages name it, such as Firecrawl
	Base    string // URL that the paths of requests are put behind
	BaseVar string // the variable that Base comes from, for messages
	Key     string // the secret; "" if the service needs none
	KeyVar  string // the variable that the key comes from, for messages
	Header  string // that the key is sent in; "": as Authorization: Bearer KEY
	More    http.Header
	Version string                   // of the program, for User-Agent
	Message func(body []byte) string // what an error of the service says; nil: the usual members

	// Delay is when a service that refused a request for its rate limit will take the next one, as it
	// says besides Retry-After; 0: it does not. nil: it never does.
	Delay func(http.Header) time.Duration

	// Pause waits before another try. nil: by the clock. Tests need not wait.
	Pause func(ctx context.Context, d time.Duration) error
}

// A Client asks one service. It may be used at the same time by several goroutines.
type Client struct {
	o    Options
	base *url.URL
	http *http.Client
	most int64 // bytes of an answer
}

// New returns a client. The error says what is wrong with the base URL or the key, and which
// variable has it.
func New(o Options) (*Client, error) {
	base, err := url.Parse(o.Base)
	switch {
	case err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Hostname() == "":
		return nil, fmt.Errorf("%s must be a URL that begins with https:// or http:// and a host", o.BaseVar)
	case base.User != nil:
		return nil, fmt.Errorf("%s must be a URL without user name and password", o.BaseVar)
	case base.RawQuery != "" || base.Fragment != "":
		return nil, fmt.Errorf("%s must be a URL without %q and %q", o.BaseVar, "?", "#")
	}
	if i := strings.IndexFunc(o.Key, func(r rune) bool { return r <= ' ' || r > '~' }); i >= 0 {
		return nil, fmt.Errorf("%s has a character that no key has; look for spaces and line ends in it", o.KeyVar)
	}
	if o.Pause == nil {
		o.Pause = pause.For
	}
	transport := &http.Transport{
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSHandshakeTimeout:    10 * time.Second,
		ForceAttemptHTTP2:      true,
		IdleConnTimeout:        time.Minute,
		MaxIdleConnsPerHost:    4,
		MaxResponseHeaderBytes: largestHeader,
	}
	return &Client{o: o, base: base, most: largestAnswer, http: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Name returns the name of the service.
func (c *Client) Name() string { return c.o.Name }

// Close closes connections that are not in use.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// A Request is one call of a service.
type Request struct {
	Method string
	Path   []string   // segments behind the base URL; each is escaped
	Query  url.Values // nil: none
	Body   any        // sent as JSON; nil: none
	Once   bool       // it starts something, and must not be sent again when its outcome is unknown
	Header http.Header
	// Timeout is for all tries together. 0: a minute.
	Timeout time.Duration
}

// Do sends a request and decodes the answer into answer, unless that is nil. The error is that of
// ctx or an [*Error].
func (c *Client) Do(ctx context.Context, r Request, answer any) error {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = json.Marshal(r.Body); err != nil {
			return c.fail(Validation, "the request cannot be written as JSON", err)
		}
	}
	if r.Timeout <= 0 {
		r.Timeout = defaultTimeout
	}
	bounded, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	for try := 1; ; try++ {
		err := c.once(bounded, &r, body, answer)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		failure, ok := errors.AsType[*Error](err)
		if !ok {
			return c.fail(Network, fmt.Sprintf("it did not answer within %v", r.Timeout), err)
		}
		wait := failure.RetryAfter
		if wait == 0 {
			wait = firstPause<<(try-1) + rand.N(firstPause/2)
		}
		if deadline, _ := bounded.Deadline(); try == tries || !failure.Retryable() || r.Once && failure.uncertain || wait > longestPause || time.Until(deadline) < wait {
			return failure
		}
		if err := c.o.Pause(bounded, wait); err != nil {
			return failure
		}
	}
}

func (c *Client) once(ctx context.Context, r *Request, body []byte, answer any) error {
	u := c.base.JoinPath()
	for _, segment := range r.Path {
		// An id comes from the caller: JoinPath would take ".." for the folder above.
		if segment == "" || segment == "." || segment == ".." {
			return c.fail(Validation, fmt.Sprintf("%q cannot be part of a URL", segment), nil)
		}
		u = u.JoinPath(url.PathEscape(segment))
	}
	u.RawQuery = r.Query.Encode()
	var sent io.Reader
	if body != nil {
		sent = bytes.NewReader(body)
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, u.String(), sent)
	if err != nil {
		return c.fail(Validation, "the request cannot be made", err)
	}
	for name, values := range c.o.More {
		request.Header[name] = values
	}
	for name, values := range r.Header {
		request.Header[name] = values
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "mcp-docs-server/"+c.o.Version)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	switch {
	case c.o.Key == "":
	case c.o.Header == "":
		request.Header.Set("Authorization", "Bearer "+c.o.Key)
	default:
		request.Header.Set(c.o.Header, c.o.Key)
	}
	response, err := c.http.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		failure := c.fail(Network, c.clean(reason(err)), err)
		failure.uncertain = !neverSent(err)
		return failure
	}
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, c.most+1))
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case response.StatusCode >= 300:
		return c.refused(response, data)
	case err != nil:
		failure := c.fail(Network, "its answer was cut: "+c.clean(reason(err)), err)
		failure.uncertain = true
		return failure
	case int64(len(data)) > c.most:
		failure := c.fail(Server, fmt.Sprintf("its answer has more than %d MiB", c.most>>20), nil)
		failure.final = true // the next one is as large
		return failure
	case answer == nil:
		return nil
	}
	if key := []byte(c.o.Key); len(key) >= shortestKey && bytes.Contains(data, key) { // what others see
		data = bytes.ReplaceAll(data, key, []byte("…"))
	}
	if err := json.Unmarshal(data, answer); err != nil {
		failure := c.fail(Server, fmt.Sprintf("its answer is not the JSON that was expected; look at %s", c.o.BaseVar), err)
		failure.Status = response.StatusCode
		failure.final = true
		return failure
	}
	return nil
}

// neverSent reports whether a request certainly did not reach the service.
func neverSent(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// reason is what went wrong without the URL, which may have a query.
func reason(err error) string {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	return err.Error()
}

// clean is a text of a service without the key, should it repeat it.
func (c *Client) clean(s string) string {
	if c.o.Key != "" {
		s = strings.ReplaceAll(s, c.o.Key, "…")
	}
	return s
}
