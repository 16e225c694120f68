package hosts

import (
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// mostHops is how many addresses in X-Forwarded-For are read. No chain of proxies is longer.
const mostHops = 32

func parseProxy(s string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(s); err == nil && a.Zone() == "" {
		a = a.Unmap()
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	p, err := netip.ParsePrefix(s)
	if err != nil {
		return netip.Prefix{}, errors.New("it must be an address or a range, such as 10.0.0.1 or 10.0.0.0/8")
	}
	return p.Masked(), nil
}

func (p *Policy) trusted(a netip.Addr) bool {
	return slices.ContainsFunc(p.proxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// ClientAddr returns the address of the client: the address of the connection, or, if that is a
// trusted proxy, the last address in X-Forwarded-For that is not one. It is the zero address if the
// connection has none, such as on a Unix socket.
func (p *Policy) ClientAddr(r *http.Request) netip.Addr {
	client := parseHop(r.RemoteAddr)
	if !p.trusted(client) {
		return client
	}
	hops := 0
	for _, line := range slices.Backward(r.Header.Values("X-Forwarded-For")) {
		for line != "" {
			i := strings.LastIndexByte(line, ',')
			hop := parseHop(strings.Trim(line[i+1:], " \t"))
			line = line[:max(i, 0)]
			if hops++; !hop.IsValid() || hops > mostHops {
				return client // no trusted proxy wrote what is further left
			}
			if client = hop; !p.trusted(client) {
				return client
			}
		}
	}
	return client
}

// parseHop parses an address with or without a port, in the forms that connections and proxies use.
func parseHop(s string) netip.Addr {
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr().Unmap().WithZone("")
	}
	a, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(s, "["), "]"))
	if err != nil {
		return netip.Addr{}
	}
	return a.Unmap().WithZone("")
}

// scheme returns the scheme that the client uses: a trusted proxy may terminate HTTPS.
func (p *Policy) scheme(r *http.Request) string {
	if r.TLS != nil {
		return "https"
	}
	if values := r.Header.Values("X-Forwarded-Proto"); len(values) > 0 && p.trusted(parseHop(r.RemoteAddr)) {
		last := values[len(values)-1]
		if strings.EqualFold(strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:]), "https") {
			return "https"
		}
	}
	return "http"
}
