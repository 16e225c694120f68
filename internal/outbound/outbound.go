// Package outbound fetches pages of the web. It is the one package of the program that connects to
// hosts which somebody else names: a link, a redirect, a record of DNS.
//
// A request goes through these gates, in this order, and again for each redirect:
//
//  1. The URL: http or https, no user name, one of the ports 80, 443, 8080 and 8443.
//  2. robots.txt (RFC 9309), which is cached for a day. One that does not exist allows everything;
//     one that cannot be fetched allows nothing for ten minutes.
//  3. The pace of the host: two requests at a time, and one start a second or as slowly as its
//     Crawl-delay says. Retry-After holds all requests to the host.
//  4. The address, at the moment of the connection, so that no record of DNS can change in between:
//     only public ones. Loopback, private, link-local, shared, multicast, unspecified and reserved
//     ones are refused, and those that lead to others: IPv4-mapped, NAT64, 6to4, Teredo.
//
// [Options.AllowPrivate] opens the user's own networks, but not the addresses at which machines of
// cloud providers get their credentials. A [Rule] opens what it names, port included; a host that a
// rule names is the user's own, and needs no pause between requests.
//
// There is no proxy, whatever the environment says, and there are no cookies. Headers of a caller go to
// the origin of the first URL only. A body is read whole into memory, within a bound that also holds
// after decompression; time, header fields and redirects are bounded too.
package outbound

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	product = "mcp-docs-server"
	about   = "https://github.com/mcp-docs-server/mcp-docs-server"

	maxRedirects = 10
	maxHeaders   = 256 << 10 // bytes
	maxTries     = 3         // of a request that is answered with Retry-After
	// maxRetryAfter is the longest Retry-After for which a request waits.
	maxRetryAfter = 2 * time.Minute

	dialTimeout = 15 * time.Second
)

// Defaults of [Options].
const (
	DefaultTimeout  = time.Minute
	DefaultMaxBytes = 20 << 20
	DefaultEvery    = time.Second
)

// Options say what a client may do.
type Options struct {
	Version      string        // of the program, for its User-Agent
	AllowPrivate bool          // addresses of the user's own networks are asked
	Allow        []Rule        // hosts and addresses that are asked whatever they are
	IgnoreRobots bool          // robots.txt is not read
	Timeout      time.Duration // for the requests and answers of one Get; waiting for a turn does not count
	MaxBytes     int64         // of a body
	Every        time.Duration // between two starts of requests to a host
}

// A Client fetches pages. It is safe for concurrent use, and keeps no connections.
type Client struct {
	options   Options
	rules     rules
	pace      *pace
	robots    robots
	transport *http.Transport
	agent     string
}

// New returns a client.
func New(o Options) *Client {
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	o.MaxBytes = cmp.Or(o.MaxBytes, DefaultMaxBytes)
	o.Every = cmp.Or(o.Every, DefaultEvery)
	c := &Client{
		options: o,
		rules:   rules{o.AllowPrivate, o.Allow},
		pace:    newPace(o.Every),
		robots:  robots{origins: make(map[string]*robotsFile)},
		agent:   fmt.Sprintf("%s/%s (+%s)", product, agentVersion(o.Version), about),
	}
	c.transport = &http.Transport{
		Proxy:                  nil, // see the package comment
		DialContext:            c.dial,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // it has no bound for what comes out
		MaxResponseHeaderBytes: maxHeaders,
		// A connection for each request: its address is checked then, and a server that goes on
		// talking after its answer talks to nobody.
		DisableKeepAlives:   true,
		TLSHandshakeTimeout: dialTimeout,
	}
	return c
}

// agentVersion returns a version in the characters that a User-Agent takes.
func agentVersion(v string) string {
	v = strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune(".-+", r) {
			return r
		}
		return -1
	}, v)
	return cmp.Or(v, "devel")
}

// dial connects to a host of a URL, and checks each address that its name leads to.
func (c *Client) dial(ctx context.Context, network, hostPort string) (net.Conn, error) {
	host, service, err := net.SplitHostPort(hostPort)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(service, 10, 16)
	if err != nil {
		return nil, err
	}
	host = strings.ToLower(host)
	d := net.Dialer{Timeout: dialTimeout, KeepAlive: -1, Control: func(network, address string, _ syscall.RawConn) error {
		if !strings.HasPrefix(network, "tcp") {
			return refuse("%s is not TCP", network)
		}
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return refuse("%q is no address", address)
		}
		return c.rules.address(host, uint16(port), at)
	}}
	return d.DialContext(ctx, network, hostPort)
}

// A Request is for one page.
type Request struct {
	URL *url.URL
	// Header is sent to the origin of URL only, and after a redirect to another one not again.
	Header http.Header
	// Known is what an earlier answer said of itself. If URL, or where it redirects to, is still
	// that, the answer is [Response.NotModified].
	Known Validators
	// Accept is the value of that header field.
	Accept string
	// MaxBytes and Timeout replace those of [Options] if they are not 0.
	MaxBytes int64
	Timeout  time.Duration

	cut bool // of a body that is too large, the beginning will do
}

// Validators say which version of a page an answer had.
type Validators struct {
	URL          string // of the page, after redirects
	ETag         string
	LastModified string
}

// A Response is an answer with a status of success, or one that says that nothing has changed.
type Response struct {
	URL         *url.URL // after redirects
	NotModified bool
	ContentType string
	Validators  Validators
	Header      http.Header
	Body        []byte
}

// Check reports what can be known to be wrong with a URL without asking anybody.
func (c *Client) Check(u *url.URL) error { return c.rules.url(u) }

// Get fetches a page, by way of redirects. An answer of another status than 200, 203 and 304 is a
// [*StatusError].
func (c *Client) Get(ctx context.Context, r Request) (*Response, error) {
	left := cmp.Or(r.Timeout, c.options.Timeout)
	u, first := withoutFragment(r.URL), originOf(r.URL)
	if r.URL.User != nil {
		return nil, c.rules.url(r.URL)
	}
	for range maxRedirects + 1 {
		var header http.Header
		if originOf(u) == first {
			header = r.Header
		}
		a, err := c.hop(ctx, u, r, header, &left)
		if err != nil {
			return nil, err
		}
		if a.location == nil {
			return a.response, nil
		}
		u = a.location
	}
	return nil, fmt.Errorf("%s: redirects more than %d times", show(r.URL), maxRedirects)
}

func withoutFragment(u *url.URL) *url.URL {
	v := *u
	v.Fragment, v.RawFragment = "", ""
	return &v
}

// An answer is a response, or where to ask instead.
type answer struct {
	response *Response
	location *url.URL
}

// hop asks one URL, and again if it says that it should be asked later. left is the time that the
// request has, less what it took.
func (c *Client) hop(ctx context.Context, u *url.URL, r Request, header http.Header, left *time.Duration) (answer, error) {
	if err := c.rules.url(u); err != nil {
		return answer{}, err
	}
	var least time.Duration
	if !c.options.IgnoreRobots {
		var err error
		if least, err = c.robots.check(ctx, u, c.fetchRobots); err != nil {
			return answer{}, err
		}
	}
	host := hostOf(u)
	port, err := portOf(u)
	if err != nil {
		return answer{}, err
	}
	for try := 1; ; try++ {
		done, err := c.pace.wait(ctx, host, c.rules.host(host, port), least)
		if err != nil {
			return answer{}, err
		}
		a, err := c.timed(ctx, u, r, header, left)
		done()
		status, ok := errors.AsType[*StatusError](err)
		if !ok || status.Status != http.StatusTooManyRequests && status.Status != http.StatusServiceUnavailable {
			return a, err
		}
		if status.RetryAfter > 0 {
			c.pace.hold(host, time.Now().Add(min(status.RetryAfter, maxRetryAfter)))
		}
		if try == maxTries || status.RetryAfter == 0 || status.RetryAfter > maxRetryAfter {
			return a, err
		}
	}
}

// timed is [Client.ask] within the time that is left.
func (c *Client) timed(ctx context.Context, u *url.URL, r Request, header http.Header, left *time.Duration) (answer, error) {
	slow := fmt.Errorf("%s: does not answer in full within %v", show(u), cmp.Or(r.Timeout, c.options.Timeout))
	bounded, cancel := context.WithTimeoutCause(ctx, *left, slow)
	defer cancel()
	start := time.Now()
	a, err := c.ask(bounded, u, r, header)
	*left -= time.Since(start)
	if err != nil && bounded.Err() != nil {
		return answer{}, context.Cause(bounded)
	}
	return a, err
}

// ask sends one request.
func (c *Client) ask(ctx context.Context, u *url.URL, r Request, header http.Header) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return answer{}, err
	}
	for name, values := range header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	if host := req.Header.Get("Host"); host != "" {
		return answer{}, refuse("%s: the header field Host is that of the URL", show(u))
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
	res, err := c.transport.RoundTrip(req)
	if err != nil {
		return answer{}, dialed(u, err)
	}
	defer res.Body.Close()
	switch res.StatusCode {
	case http.StatusOK, http.StatusNonAuthoritativeInfo:
	case http.StatusNotModified:
		if !conditional {
			return answer{}, &StatusError{URL: show(u), Status: res.StatusCode}
		}
		return answer{response: &Response{URL: u, NotModified: true, Validators: r.Known, Header: res.Header}}, nil
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return redirected(u, res.Header.Get("Location"))
	default:
		return answer{}, &StatusError{show(u), res.StatusCode, retryAfter(res.Header.Get("Retry-After"), time.Now())}
	}
	limit := cmp.Or(r.MaxBytes, c.options.MaxBytes)
	body, whole, err := readBody(res, limit)
	if err != nil {
		return answer{}, fmt.Errorf("%s: %w", show(u), err)
	}
	if !whole && !r.cut {
		return answer{}, &SizeError{show(u), limit}
	}
	return answer{response: &Response{
		URL: u, ContentType: res.Header.Get("Content-Type"), Header: res.Header, Body: body,
		Validators: Validators{u.String(), res.Header.Get("Etag"), res.Header.Get("Last-Modified")},
	}}, nil
}

// redirected returns where a redirect leads to.
func redirected(from *url.URL, location string) (answer, error) {
	if location == "" {
		return answer{}, fmt.Errorf("%s: redirects without saying where to", show(from))
	}
	to, err := from.Parse(location)
	if err != nil {
		return answer{}, fmt.Errorf("%s: redirects to what is no URL: %q", show(from), location[:min(len(location), 300)])
	}
	return answer{location: withoutFragment(to)}, nil
}

// dialed returns the error of a request with the reason why its address was refused, if that is it.
func dialed(u *url.URL, err error) error {
	if refused, ok := errors.AsType[*refusal](err); ok {
		return &refusal{show(u), refused.reason}
	}
	return fmt.Errorf("%s: %w", show(u), err)
}
