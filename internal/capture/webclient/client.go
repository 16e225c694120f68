// Package webclient fetches pages of the web. It is the one package of the program that connects to
// hosts which somebody else names: a link, a redirect, a record of DNS.
//
// A request goes through these gates, in this order, and again for each redirect:
//
//  1. The URL: http or https, at most 4 KiB, no user name, one of the ports 80, 443, 8080 and 8443.
//  2. robots.txt (RFC 9309), which is cached for a day. One that does not exist allows everything;
//     one that cannot be fetched allows nothing for ten minutes.
//  3. The pace of the host: two requests of a caller at a time, four in all, and one start a second or
//     as slowly as its Crawl-delay says. Retry-After holds all requests to the host. All requests of a
//     client share a number of connections.
//  4. The address, at the moment of the connection, so that no record of DNS can change in between:
//     only public ones. Loopback, private, link-local, shared, multicast, unspecified and reserved
//     ones are refused, and those that lead to others: IPv4-mapped, NAT64, 6to4, Teredo.
//
// [Options.AllowPrivate] opens the user's own networks, but not link-local addresses and others at
// which machines of cloud providers get their credentials. A [Rule] opens what it names, port
// included; a host that a rule names is the user's own, and needs no pause between requests.
//
// A browser asks by way of a [Proxy], which makes each connection through the first and the fourth
// gate. [Client.Admit] is the first three of them, for the page that the browser shows.
//
// There is no other proxy, whatever the environment says, and there are no cookies. Headers of a
// caller go to the origin of the first URL only. A body is read whole into memory, within a bound
// that also holds after decompression; time, header fields and redirects are bounded too.
//
// [net/http.Transport] sends the requests, by HTTP/1.1 or HTTP/2, and keeps a connection for the next
// requests to its origin, for three seconds. This opens no gate:
//
//   - A connection leads to the peer whose address was checked when it was made, by the rules that
//     hold for all requests of the client; a record of DNS that changes later cannot move it. No
//     request begins on a connection that is older than a minute: then the name is looked up again.
//     The URL, robots.txt and the pace are checked for each request, and redirects are followed here.
//   - A request with headers of a caller has a connection of its own, on which nothing was and nothing
//     follows: some servers take credentials for all requests of a connection.
//   - The rest of a body that nobody wants is read if it is short and comes soon. Otherwise its
//     connection ends, or its stream of HTTP/2.
//   - A server that sends more than its answer may spoil another anonymous answer of the same origin.
//     What it sends goes to no log.
//   - A request that finds its kept connection closed is sent again on another one, without another
//     turn: the host may have seen both.
package webclient

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	product = "mcp-docs-server"
	about   = "https://github.com/mcp-docs-server/mcp-docs-server"

	maxRedirects = 10
	maxURL       = 4 << 10   // bytes
	maxHeaders   = 256 << 10 // bytes
	maxReason    = 500       // bytes of what is quoted of an error
	maxValidator = 1 << 10   // bytes
	maxTries     = 3         // of a request that is answered with Retry-After
	// maxRetryAfter is how long a Get waits for Retry-After to pass, redirects included.
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
	Version      string        // of the program, for its User-Agent
	AllowPrivate bool          // addresses of the user's own networks are asked
	Allow        []Rule        // hosts and addresses that are asked whatever they are
	IgnoreRobots bool          // robots.txt is not read
	Timeout      time.Duration // for the requests and answers of one Get; waiting for a turn does not count
	MaxBytes     int64         // of a body
	Every        time.Duration // between two starts of requests to a host
	Connections  int           // at a time, to all hosts
}

// A Client fetches pages. It is safe for concurrent use. It needs no end: what it keeps ends by
// itself, within seconds.
type Client struct {
	options    Options
	rules      rules
	pace       *pace
	robots     robots
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
		robots:  robots{origins: make(map[string]*robotsFile)},
		agent:   fmt.Sprintf("%s/%s (+%s)", product, agentVersion(o.Version), about),
	}
	c.transports = transports{dial: c.dial, idle: o.Connections}
	filterLog()
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
