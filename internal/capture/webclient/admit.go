package webclient

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fairqueue"
)

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
