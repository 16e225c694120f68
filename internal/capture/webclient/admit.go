package webclient

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// Admit passes a request through the gates before its connection: the URL, robots.txt and the pace
// of the host. It is for whoever sends the request by other means than [Client.Get], by way of a
// [Proxy]. It waits for the turn of the request, which is that of a caller (see [Request]), and is then sent at
// once. done is to be called, once, when the answer is there.
func (c *Client) Admit(ctx context.Context, u *url.URL, caller string) (done func(), err error) {
	if err := c.rules.url(u); err != nil {
		return nil, err
	}
	var least time.Duration
	if !c.options.IgnoreRobots {
		fetch := func(ctx context.Context, u *url.URL) (int, []byte, error) {
			return c.fetchRobotsAs(ctx, u, wish{caller: caller})
		}
		if least, err = c.robots.check(ctx, u, fetch); err != nil {
			return nil, err
		}
	}
	host := hostOf(u)
	port, err := portOf(u)
	if err != nil {
		return nil, err
	}
	turn, err := c.pace.wait(ctx, host, c.rules.host(host, port), least, wish{caller: caller})
	if err != nil {
		return nil, err
	}
	turn.sent() // which happens now
	return turn.done, nil
}

// Answered judges the answer to an admitted request. A status other than 200 and 203 is a
// [*StatusError]; if it asks to come back later, nobody asks the host until then.
func (c *Client) Answered(u *url.URL, status int, header http.Header) error {
	if status == http.StatusOK || status == http.StatusNonAuthoritativeInfo {
		return nil
	}
	answered := &StatusError{show(u), status, retryAfter(header.Get("Retry-After"), time.Now())}
	if answered.RetryAfter > 0 && (status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable) {
		c.pace.hold(hostOf(u), time.Now().Add(min(answered.RetryAfter, maxRetryAfter)))
	}
	return answered
}

// Agent returns the value of User-Agent that the client sends.
func (c *Client) Agent() string { return c.agent }

// SameOrigin reports whether two URLs have the same scheme, host and port.
func SameOrigin(a, b *url.URL) bool { return originOf(a) == originOf(b) }
