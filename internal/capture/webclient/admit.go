package webclient

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fairqueue"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/pause"
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

// Answered judges the answer to an admitted request. A status other than 200 and 203 is a
// [*StatusError]. If the answer has Retry-After, no request is sent to the host until then.
func (c *Client) Answered(u *url.URL, status int, header http.Header) error {
	if status == http.StatusOK || status == http.StatusNonAuthoritativeInfo {
		return nil
	}
	answered := &StatusError{show(u), status, pause.RetryAfter(header.Get("Retry-After"), time.Now())}
	if answered.RetryAfter > 0 && (status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable) {
		c.pace.hold(hostOf(u), time.Now().Add(min(answered.RetryAfter, maxRetryAfter)))
	}
	return answered
}

// Agent returns the User-Agent of the client.
func (c *Client) Agent() string { return c.agent }

// SameOrigin reports whether two URLs have the same scheme, host and port.
func SameOrigin(a, b *url.URL) bool { return originOf(a) == originOf(b) }
