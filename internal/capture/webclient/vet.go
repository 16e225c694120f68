package webclient

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fairqueue"
)

// Vet checks a page that another service will fetch: its URL, its robots.txt, and the addresses that
// its host has now. The service looks the host up again and follows redirects itself, so an operator
// who runs such a service in a private network must keep it out of that network. A [TypedRule] does not
// count, because the host is in this network.
func (c *Client) Vet(ctx context.Context, u *url.URL) error {
	rules := rules{c.rules.private, slices.DeleteFunc(slices.Clone(c.rules.list), func(r Rule) bool { return r.typed })}
	if err := rules.url(u); err != nil {
		return err
	}
	port, err := portOf(u)
	if err != nil {
		return err
	}
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
	_, err = c.robotsDelay(ctx, u, fairqueue.Ask{})
	return err
}
