// Package webclient fetches pages of the web. It is the only package of the program that connects to
// hosts that strangers choose: by a link, a redirect or a DNS record.
//
// A request passes these gates, in this order, and again for each redirect:
//
//  1. The URL: http or https, at most 4 KiB, no user name, one of the ports 80, 443, 8080 and 8443.
//  2. robots.txt (RFC 9309), which is cached for a day. A missing robots.txt allows everything; one
//     that cannot be fetched forbids everything for ten minutes.
//  3. The pace of the host: two requests of a caller at a time, four in all, and one start per second,
//     or per Crawl-delay if that is longer. Retry-After delays all requests to the host. All requests
//     of a client share a number of connections.
//  4. The address, checked while the connection is made, so that DNS cannot change its answer in
//     between. Only public addresses pass. Loopback, private, link-local, shared, multicast,
//     unspecified and reserved addresses are refused, and so are addresses that embed another one:
//     IPv4-mapped, NAT64, 6to4, Teredo.
//
// [Options.AllowPrivate] opens the user's own networks, but not link-local addresses and others at
// which machines of cloud providers get their credentials. A [Rule] opens what it names, port
// included; a [TypedRule] opens one host of the user's own network that the user typed. A host named by a rule belongs to the user: it needs no pause between requests.
//
// A browser uses a [Proxy], which checks each connection at the first and the fourth gate.
// [Client.Admit] applies the first three gates to the page that the browser shows.
//
// The client uses no other proxy, whatever the environment says, and keeps no cookies. Headers of a
// caller are sent to the origin of the first URL only. A body is read whole into memory, within a
// bound that also holds after decompression; time, header fields and redirects are bounded too.
//
// [net/http.Transport] sends the requests, by HTTP/1.1 or HTTP/2, and keeps a connection for the next
// requests to its origin, for three seconds. This weakens no gate:
//
//   - A connection stays with the peer whose address was checked when it was made; all requests of the
//     client have the same rules. No request uses a connection older than a minute: the name is looked
//     up again. The URL, robots.txt and the pace are checked for each request, and this package
//     follows redirects itself.
//   - A request with headers of a caller has a connection that no other request uses: some servers
//     apply credentials to all requests of a connection.
//   - The unwanted rest of a body is read if it is short and arrives soon. Otherwise the connection, or
//     the stream of HTTP/2, is closed.
//   - A server that sends more than its answer can corrupt another anonymous answer of its own origin.
//     These bytes are never logged.
//   - If a kept connection turns out to be closed, the request is sent again on another one without
//     waiting for another turn; the host may have seen both.
package webclient

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fairqueue"
)

const (
	product = "mcp-docs-server"
	about   = "https://github.com/mcp-docs-server/mcp-docs-server"

	maxRedirects = 10
	maxURL       = 4 << 10
	maxHeaders   = 256 << 10
	maxReason    = 500 // quoted in a message
	maxValidator = 1 << 10
	maxTries     = 3 // if answers have Retry-After
	// maxRetryAfter is how long one Get waits because of Retry-After, redirects included.
	maxRetryAfter = 2 * time.Minute

	dialTimeout = 15 * time.Second
)

// Defaults of [Options].
const (
	DefaultTimeout  = time.Minute
	DefaultMaxBytes = 20 << 20
	DefaultEvery    = time.Second

	DefaultConnections = 16
)

// Options say what a client may do.
type Options struct {
	Version      string
	AllowPrivate bool // permits the user's own networks
	Allow        []Rule
	IgnoreRobots bool
	Timeout      time.Duration // of one Get, without waiting for a turn
	MaxBytes     int64
	Every        time.Duration // between starts of requests to a host
	Connections  int
}

// A Client fetches pages. It is safe for concurrent use, and need not be closed: idle connections end
// within seconds.
type Client struct {
	options    Options
	rules      rules
	pace       *pace
	robots     robotsCache
	transports transports
	agent      string
}

// New returns a client.
func New(o Options) *Client {
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	o.MaxBytes = cmp.Or(o.MaxBytes, DefaultMaxBytes)
	o.Every = cmp.Or(o.Every, DefaultEvery)
	o.Connections = cmp.Or(max(o.Connections, 0), DefaultConnections)
	c := &Client{
		options: o,
		rules:   rules{o.AllowPrivate, o.Allow},
		pace:    newPace(o.Every, o.Connections),
		robots:  robotsCache{origins: make(map[string]*robotsFile)},
		agent:   fmt.Sprintf("%s/%s (+%s)", product, cmp.Or(o.Version, "devel"), about),
	}
	c.transports = transports{dial: c.dial, idle: o.Connections}
	filterLog()
	return c
}

// dial connects to the host of a URL, and checks each address that DNS returns for it.
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
		peer, err := netip.ParseAddrPort(address)
		if err != nil {
			return refuse("%q is not an address", address)
		}
		return c.rules.address(host, uint16(port), peer.Addr())
	}}
	return d.DialContext(ctx, network, hostPort)
}

// Admit applies the gates before the connection to a request that a browser sends through a [Proxy]:
// the URL, robots.txt and the pace of the host. It returns when it is the turn of the request, which
// must be sent at once. caller is as in [Request]. Call done once, when the answer has arrived.
func (c *Client) Admit(ctx context.Context, u *url.URL, caller string) (done func(), err error) {
	if err := c.rules.url(u); err != nil {
		return nil, err
	}
	ask := fairqueue.Ask{Caller: caller}
	delay, err := c.robotsDelay(ctx, u, ask)
	if err != nil {
		return nil, err
	}
	turn, err := c.turn(ctx, u, delay, ask)
	if err != nil {
		return nil, err
	}
	turn.sent()
	return turn.done, nil
}

// Answered judges the answer to a request. A status other than 200 and 203 is a
// [*StatusError]. If the answer has Retry-After, no request is sent to the host until then.
func (c *Client) Answered(u *url.URL, status int, header http.Header) error {
	if status == http.StatusOK || status == http.StatusNonAuthoritativeInfo {
		return nil
	}
	answered := &StatusError{show(u), status, RetryAfter(header.Get("Retry-After"), time.Now())}
	if answered.RetryAfter > 0 && (status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable) {
		c.pace.hold(hostOf(u), time.Now().Add(min(answered.RetryAfter, maxRetryAfter)))
	}
	return answered
}

// Agent returns the User-Agent of the client.
func (c *Client) Agent() string { return c.agent }

// SameOrigin reports whether two URLs have the same scheme, host and port.
func SameOrigin(a, b *url.URL) bool { return originOf(a) == originOf(b) }

// Vet checks a page that another service will fetch: its URL, its robots.txt, and the addresses that
// its host has now. The service looks the host up again and follows redirects itself, so an operator
// who runs such a service in a private network must keep it out of that network. A [TypedRule] does not
// count, because the host is in this network.
func (c *Client) Vet(ctx context.Context, u *url.URL) error {
	rules := rules{c.rules.private, slices.DeleteFunc(slices.Clone(c.rules.list), func(r Rule) bool { return r.typed })}
	if err := rules.url(u); err != nil {
		return err
	}
	port, _ := portOf(u) // the rules have checked it
	host := hostOf(u)
	addresses := []netip.Addr{}
	if addr, err := netip.ParseAddr(host); err == nil {
		addresses = append(addresses, addr)
	} else if !rules.host(host, port) {
		bounded, cancel := context.WithTimeout(ctx, dialTimeout)
		defer cancel()
		if addresses, err = net.DefaultResolver.LookupNetIP(bounded, "ip", host); err != nil {
			return dialed(u, err)
		}
	}
	for _, addr := range addresses {
		if err := rules.address(host, port, addr); err != nil {
			return refuse("%s: %v", show(u), err)
		}
	}
	_, err := c.robotsDelay(ctx, u, fairqueue.Ask{})
	return err
}

const (
	// idleTime is how long an idle connection is kept: longer than the usual interval between
	// requests, and shorter than servers keep it.
	idleTime = 3 * time.Second
	// maxAge is how long new requests may use a connection. After that, the name is looked up again.
	maxAge = time.Minute
	// maxDrain and drainTime bound the reading of an unwanted body, after which its connection can be
	// used again. Making a new connection costs about as much.
	maxDrain  = 64 << 10
	drainTime = 250 * time.Millisecond
)

// transports provides the [http.Transport] of each request.
type transports struct {
	dial func(ctx context.Context, network, hostPort string) (net.Conn, error)
	tls  *tls.Config
	idle int

	mu     sync.Mutex // guards all fields below
	shared *http.Transport
	made   time.Time
}

// forRequest returns the transport for one request. If alone is set, no other request uses the
// connection.
func (t *transports) forRequest(alone bool) *http.Transport {
	if alone {
		single := t.make()
		single.DisableKeepAlives = true
		return single
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.shared == nil || time.Since(t.made) >= maxAge {
		t.shared, t.made = t.make(), time.Now() // the old connections end after idleTime
	}
	return t.shared
}

func (t *transports) make() *http.Transport {
	return &http.Transport{
		Proxy:                  nil, // the address that is checked must be the server's
		DialContext:            t.dial,
		TLSClientConfig:        t.tls.Clone(),
		TLSHandshakeTimeout:    dialTimeout,
		DisableCompression:     true, // readBody decompresses within a bound
		ForceAttemptHTTP2:      true,
		MaxResponseHeaderBytes: maxHeaders,
		MaxIdleConns:           t.idle,
		MaxIdleConnsPerHost:    perHost,
		IdleConnTimeout:        idleTime,
	}
}

// drain closes a body, after reading its rest if that is short and arrives soon.
func drain(body io.ReadCloser) {
	late := time.AfterFunc(drainTime, func() { _ = body.Close() })
	defer late.Stop()
	_, _ = io.CopyN(io.Discard, body, maxDrain)
	_ = body.Close()
}

// A logFilter drops the lines in which net/http quotes bytes that a server sent without a request: a
// server must not write to the log of this process.
type logFilter struct{ to io.Writer }

var unasked = [][]byte{
	[]byte("Unsolicited response received on idle HTTP channel"),
	[]byte("Transport: unhandled response frame type"),
	[]byte("protocol error: received"),
}

func (f logFilter) Write(line []byte) (int, error) {
	for _, text := range unasked {
		if bytes.Contains(line, text) {
			return len(line), nil
		}
	}
	return f.to.Write(line)
}

// filterLog adds a logFilter to the standard logger, once.
func filterLog() {
	if _, done := log.Writer().(logFilter); !done {
		log.SetOutput(logFilter{log.Writer()})
	}
}

// accepted is the value of Accept-Encoding.
const accepted = "gzip"

// usualBody is the number of bytes that the buffer of a body holds at first.
const usualBody = 16 << 10

// readBody reads a body and removes its content coding. It reads at most limit bytes of the encoded
// and of the decoded body; of a larger body it returns the beginning.
func readBody(header http.Header, from io.Reader, limit int64) (body []byte, whole bool, err error) {
	wire := &io.LimitedReader{R: from, N: limit + 1}
	var r io.Reader = wire
	switch coding := strings.ToLower(strings.Join(header.Values("Content-Encoding"), ", ")); coding {
	case "", "identity":
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(r)
		if err == nil {
			r = z
		} else if err != io.EOF {
			return nil, false, fmt.Errorf("its body is not gzip, as it says: %w", err)
		}
	default:
		return nil, false, fmt.Errorf("its body has the content coding %q, which the request did not offer", coding)
	}
	var b bytes.Buffer
	b.Grow(int(min(limit, usualBody)) + bytes.MinRead)
	_, err = b.ReadFrom(io.LimitReader(r, limit+1))
	body = b.Bytes()
	if int64(len(body)) > limit || wire.N <= 0 {
		return body[:min(int64(len(body)), limit)], false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("its body cannot be read: %w", reported(err))
	}
	return body, true, nil
}
