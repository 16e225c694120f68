// Package apiclient sends requests to HTTP services that the operator configured, such as Firecrawl, Brave, SearXNG
// or an LLM. Hosts that agents name are reached through package webclient, which checks addresses.
//
// [Client.Do] does this:
//
//  1. It sends a request with the key of the service. It neither follows redirects nor uses proxies of the
//     environment, since the key must reach no other host.
//  2. It decodes the JSON of an answer of up to 32 MiB, also after decompression.
//  3. Any other outcome is an [*Error] with a text for the model that says what to change. No error
//     contains the key or the query of a URL, and a key that the service repeats is removed from its answer.
//  4. A failure that may pass is tried again, three times in all, after the delay that the service asks for or, without
//     one, after a pause. A request that must not be sent twice ([Request.Once]) is tried again only if the service
//     refused it.
package apiclient

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// Bounds on what one call may cost.
const (
	tries          = 3
	largestAnswer  = 32 << 20 // bytes
	largestHeader  = 64 << 10 // bytes
	defaultTimeout = time.Minute
	// bytes; a shorter key is not removed from answers, where it may be a common word
	shortestKey = 12
	firstPause  = 500 * time.Millisecond
	// if the service wants a longer one, it is not asked again
	longestPause = 30 * time.Second
)

// Options describe a service.
type Options struct {
	Name    string
	Base    string // URL before the paths of requests
	BaseVar string
	Key     string // "": the service needs none
	KeyVar  string
	Header  string // of the key; "": Authorization: Bearer KEY
	More    http.Header
	Version string

	// Pause waits before another try. nil: [webclient.Pause]. Tests replace it.
	Pause func(ctx context.Context, d time.Duration) error
}

// A Client sends requests to one service. It is safe for concurrent use.
type Client struct {
	o         Options
	base      *url.URL
	http      *http.Client
	maxAnswer int64 // bytes
}

// New returns a client. An error says what is wrong with the base URL or the key, and in which variable.
func New(o Options) (*Client, error) {
	base, err := url.Parse(o.Base)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Hostname() == "" || base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, fmt.Errorf("%s must be a URL such as https://api.example.com/path, without user name, password, %q and %q", o.BaseVar, "?", "#")
	}
	if i := strings.IndexFunc(o.Key, func(r rune) bool { return r <= ' ' || r > '~' }); i >= 0 {
		return nil, fmt.Errorf("%s has a character that no key has; look for spaces and line ends in it", o.KeyVar)
	}
	if o.Pause == nil {
		o.Pause = webclient.Pause
	}
	transport := &http.Transport{
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSHandshakeTimeout:    10 * time.Second,
		ForceAttemptHTTP2:      true,
		IdleConnTimeout:        time.Minute,
		MaxIdleConnsPerHost:    4,
		MaxResponseHeaderBytes: largestHeader,
	}
	return &Client{o: o, base: base, maxAnswer: largestAnswer, http: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Name returns the name of the service.
func (c *Client) Name() string { return c.o.Name }

// A Request is one call of a service.
type Request struct {
	Method string
	Path   string
	Query  url.Values
	Body   any
	Once   bool // it has effects: not sent again when its outcome is unknown
	// Timeout bounds all tries together. 0: a minute.
	Timeout time.Duration
}

// Do sends a request and decodes the answer into answer, unless that is nil. The error is ctx.Err(), or an [*Error] if the request was sent.
func (c *Client) Do(ctx context.Context, r Request, answer any) error {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = json.Marshal(r.Body); err != nil {
			return err
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
			return c.down(fmt.Sprintf("it did not answer within %v", r.Timeout), err, true)
		}
		wait := cmp.Or(failure.RetryAfter, firstPause<<(try-1)+rand.N(firstPause/2))
		if deadline, _ := bounded.Deadline(); try == tries || !failure.Retryable || r.Once && failure.uncertain || wait > longestPause || time.Until(deadline) < wait {
			return failure
		}
		if err := c.o.Pause(bounded, wait); err != nil {
			return failure
		}
	}
}

func (c *Client) once(ctx context.Context, r *Request, body []byte, answer any) error {
	u := c.base.JoinPath(r.Path)
	u.RawQuery = r.Query.Encode()
	var sent io.Reader
	if body != nil {
		sent = bytes.NewReader(body)
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, u.String(), sent)
	if err != nil {
		return err
	}
	maps.Copy(request.Header, c.o.More)
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
		op, ok := errors.AsType[*net.OpError](err)
		// A request reaches the service only after dialing.
		return c.down(c.clean(reason(err)), err, !ok || op.Op != "dial")
	}
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, c.maxAnswer+1))
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case response.StatusCode >= 300:
		return c.refused(response, data)
	case err != nil:
		return c.down("its answer was cut: "+c.clean(reason(err)), err, true)
	case int64(len(data)) > c.maxAnswer:
		return c.broken(fmt.Sprintf("its answer has more than %d MiB", c.maxAnswer>>20), nil)
	case answer == nil:
		return nil
	}
	if key := []byte(c.o.Key); len(key) >= shortestKey && bytes.Contains(data, key) {
		data = bytes.ReplaceAll(data, key, []byte("…"))
	}
	if err := json.Unmarshal(data, answer); err != nil {
		return c.broken("its answer is not the JSON that was expected", err)
	}
	return nil
}

// reason returns the text of an error without the URL, whose query may be private.
func reason(err error) string {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	return err.Error()
}

// clean removes the key from a text of the service.
func (c *Client) clean(s string) string {
	if c.o.Key != "" {
		s = strings.ReplaceAll(s, c.o.Key, "…")
	}
	return s
}

// longestMessage bounds how much of a service's error message is repeated, in bytes.
const longestMessage = 500

// An Error is a request that failed. Its text is for the model and for users: what is wrong, what the service says,
// and what to change.
type Error struct {
	Service    string
	Status     int    // 0: there was no answer
	Message    string // from the service, or what is wrong
	Advice     string
	Retryable  bool          // the same request may work later
	RetryAfter time.Duration // 0: unknown

	uncertain bool // the service may have carried out the request
	err       error
}

// Error returns "Firecrawl API error: 429 Too Many Requests - MESSAGE. ADVICE (can be tried again in 1m0s)".
func (e *Error) Error() string {
	status, again := "", ""
	if e.Status != 0 {
		status = strings.TrimRight(fmt.Sprintf(" %d %s", e.Status, http.StatusText(e.Status)), " ") + " -"
	}
	if e.Retryable && e.RetryAfter > 0 {
		again = fmt.Sprintf(" (can be tried again in %v)", e.RetryAfter)
	} else if e.Retryable {
		again = " (can be tried again)"
	}
	return fmt.Sprintf("%s API error:%s %s. %s%s", e.Service, status, strings.TrimRight(e.Message, ". "), e.Advice, again)
}

func (e *Error) Unwrap() error { return e.err }

// down returns an error of the network, which may pass.
func (c *Client) down(message string, err error, uncertain bool) *Error {
	return &Error{Service: c.o.Name, Message: message, Advice: "If this stays, the operator has to look at " + c.o.BaseVar, Retryable: true, uncertain: uncertain, err: err}
}

// broken returns an error of a service whose answers are wrong: another try cannot help.
func (c *Client) broken(message string, err error) *Error {
	return &Error{Service: c.o.Name, Message: message, Advice: "The service has a problem of its own, or " + c.o.BaseVar + " is wrong", err: err}
}

// Unexpected returns the error for a successful answer without a member that it should have.
func (c *Client) Unexpected(member string) error {
	return c.broken(fmt.Sprintf("its answer has no %q", member), nil)
}

// refused returns the error for an answer that is not a success.
func (c *Client) refused(response *http.Response, body []byte) error {
	status := response.StatusCode
	// clean comes before shown: it would not find a key that shown has cut
	e := &Error{Service: c.o.Name, Status: status, Message: cmp.Or(shown(c.clean(messageOf(body))), "it does not say why"), Advice: "Change the arguments"}
	switch {
	case status < 400:
		e.Message = "it redirects, which is not followed, since the other host would get the key"
		e.Advice = "The operator has to set " + c.o.BaseVar + " to the URL that it redirects to"
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		e.Advice = "The operator of this server has to set " + cmp.Or(c.o.KeyVar, c.o.BaseVar) + ": the service asks for a valid key"
	case status == http.StatusPaymentRequired:
		e.Advice = "The account of " + c.o.KeyVar + " has no credits left: the operator has to add some"
	case status == http.StatusTooManyRequests:
		e.Advice, e.Retryable = "Wait before the next request", true
	case status == http.StatusRequestTimeout, status >= 500:
		e.Advice, e.Retryable, e.uncertain = "The service has a problem of its own", true, true
	}
	if e.Retryable {
		e.RetryAfter = webclient.RetryAfter(response.Header.Get("Retry-After"), time.Now()).Round(time.Second)
	}
	return e
}

// messageOf finds the message of an error in the members in which services usually have it.
func messageOf(body []byte) string {
	var answer map[string]json.RawMessage
	if json.Unmarshal(body, &answer) != nil {
		return ""
	}
	for _, name := range []string{"error", "message", "detail", "details"} {
		var text string
		if json.Unmarshal(answer[name], &text) == nil && text != "" {
			return text
		}
		var nested struct {
			Message string `json:"message"`
			Detail  string `json:"detail"`
		}
		if json.Unmarshal(answer[name], &nested) == nil && nested.Message+nested.Detail != "" {
			return cmp.Or(nested.Message, nested.Detail)
		}
	}
	return ""
}

// shown returns a text of a service on one line, cut to [longestMessage].
func shown(s string) string {
	return excerpt.Ellipsis(excerpt.OneLine(strings.ToValidUTF8(s, "\ufffd")), longestMessage)
}
