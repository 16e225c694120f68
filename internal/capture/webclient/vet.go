package webclient

import (
	"context"
	"net"
	"net/netip"
	"net/url"
)

// Vet checks a page that a service is to fetch instead of this package: its URL, its robots.txt,
// and the addresses that its host has now. The service looks the host up by itself, later and
// elsewhere, and redirects are its own: whoever runs one in the user's network must keep it from
// there.
func (c *Client) Vet(ctx context.Context, u *url.URL) error {
	if err := c.rules.url(u); err != nil {
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
	} else if !c.rules.host(host, port) {
		bounded, cancel := context.WithTimeout(ctx, dialTimeout)
		defer cancel()
		if addresses, err = net.DefaultResolver.LookupNetIP(bounded, "ip", host); err != nil {
			return dialed(u, err)
		}
	}
	for _, addr := range addresses {
		if err := c.rules.address(host, port, netip.AddrPortFrom(addr, port)); err != nil {
			return refuse("%s: %v", show(u), err)
		}
	}
	if c.options.IgnoreRobots {
		return nil
	}
	_, err = c.robots.check(ctx, u, c.fetchRobots)
	return err
}
