package webclient

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/net/idna"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// ErrRefused is wrapped by the error of every request that the rules of this package do not allow,
// because of its scheme, its port, or an address of its host.
var ErrRefused = errors.New("refused")

// usualPorts are the ports of web servers. A service on another port is not for browsers, and may
// misread a request.
var usualPorts = map[uint16]bool{80: true, 443: true, 8080: true, 8443: true}

// A Rule exempts a host or addresses from the rules for addresses and ports:
//
//	docs.internal         a host with any address, on the usual ports
//	docs.internal:9000    a host on one port
//	127.0.0.1:*           an address on every port
//	10.1.0.0/16           addresses on the usual ports
type Rule struct {
	host     string       // in ASCII and lower case; "": the rule is for addresses
	prefix   netip.Prefix // unmapped
	port     uint16       // 0: the usual ones
	anyPort  bool
	original string

	typed   bool       // see [TypedRule]
	literal netip.Addr // of a typed rule for an address; invalid for localhost
}

// String returns the rule as it was written.
func (r Rule) String() string { return r.original }

// ParseRule reads a rule.
func ParseRule(s string) (Rule, error) {
	r := Rule{original: s}
	if strings.Contains(s, "://") {
		return r, fmt.Errorf("%q is a URL: write only its host, with a port or without", s)
	}
	target := s
	if host, port, err := net.SplitHostPort(s); err == nil {
		target = host
		if r.anyPort = port == "*"; !r.anyPort {
			n, err := strconv.ParseUint(port, 10, 16)
			if err != nil || n == 0 {
				return r, fmt.Errorf("%q: the port is %q, must be a number from 1 to 65535 or *", s, port)
			}
			r.port = uint16(n)
		}
	}
	target = strings.TrimSuffix(strings.TrimPrefix(target, "["), "]")
	if prefix, err := netip.ParsePrefix(target); err == nil {
		if prefix.Addr().Is4In6() {
			return r, fmt.Errorf("%q is an IPv4 network in IPv6 form: write it as IPv4", s)
		}
		r.prefix = prefix.Masked()
		return r, nil
	}
	if addr, err := netip.ParseAddr(target); err == nil {
		addr = addr.Unmap().WithZone("")
		r.prefix = netip.PrefixFrom(addr, addr.BitLen())
		return r, nil
	}
	r.host = canonicalHost(target)
	if r.host == "" || strings.ContainsFunc(r.host, func(c rune) bool { return c <= ' ' || c >= 0x7f || strings.ContainsRune("/*:@?#", c) }) {
		return r, fmt.Errorf("%q is not a host, address or network, with or without a port", s)
	}
	return r, nil
}

// TypedRule returns a rule for the host and port of a URL that the user typed, if the host is localhost
// or a loopback or private address. The rule exempts no other spelling and no other name: localhost may
// only have loopback addresses, and a name that leads to the address is refused. Link-local addresses,
// addresses of cloud metadata, and IPv4 in IPv6 form have no such rule.
func TypedRule(u *url.URL) (r Rule, ok bool) {
	port, err := portOf(u)
	if err != nil || u.User != nil {
		return r, false
	}
	r = Rule{host: hostOf(u), port: port, original: place(hostOf(u), port), typed: true}
	if r.host == "localhost" {
		return r, true
	}
	if r.literal, err = netip.ParseAddr(r.host); err != nil || r.literal.Zone() != "" {
		return r, false
	}
	kind, _ := kindOf(r.literal)
	return r, kind == kindLoopback || kind == kindPrivate
}

// admits reports whether a rule for this host exempts an address that the host has.
func (r Rule) admits(addr netip.Addr) bool {
	switch {
	case !r.typed:
		return true
	case r.literal.IsValid():
		return addr == r.literal
	}
	kind, _ := kindOf(addr)
	return kind == kindLoopback
}

// ports reports whether the rule covers a port.
func (r Rule) ports(port uint16) bool {
	return r.anyPort || r.port == port || r.port == 0 && usualPorts[port]
}

// rules are the exemptions of a client.
type rules struct {
	private bool
	list    []Rule
}

// covers reports whether the rule is for a port of a host, which is a name or an address.
func (r Rule) covers(host string, port uint16) bool {
	addr, err := netip.ParseAddr(host)
	switch {
	case !r.ports(port):
		return false
	case r.literal.IsValid():
		return err == nil && addr == r.literal
	case r.host != "":
		return r.host == host
	}
	return err == nil && r.prefix.Contains(addr.Unmap().WithZone(""))
}

// host reports whether a rule covers a port of a host.
func (r rules) host(host string, port uint16) bool {
	return slices.ContainsFunc(r.list, func(rule Rule) bool { return rule.covers(host, port) })
}

// port reports whether some rule covers a port of any address. The address itself is checked once it
// is known.
func (r rules) port(port uint16) bool {
	return usualPorts[port] || slices.ContainsFunc(r.list, func(rule Rule) bool { return rule.host == "" && rule.ports(port) })
}

// url checks a URL before its host is looked up.
func (r rules) url(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" {
		return refuse("%s: the scheme is %q, must be http or https", show(u), u.Scheme)
	}
	if n := len(u.String()); n > maxURL {
		return refuse("%s: has %d bytes, must be at most %d", show(u), n, maxURL)
	}
	if u.User != nil {
		return refuse("%s: has a user name or password, which is not sent: leave it out", show(u))
	}
	if u.Hostname() == "" {
		return refuse("%s: has no host", show(u))
	}
	if addr, err := netip.ParseAddr(u.Hostname()); err == nil && addr.Is4In6() {
		return refuse("%s: the host is an IPv4 address in IPv6 form: write it as IPv4", show(u))
	}
	port, err := portOf(u)
	if err != nil {
		return err
	}
	if host := hostOf(u); !r.port(port) && !r.host(host, port) {
		return refuse("%s: port %d is not allowed, only 80, 443, 8080 and 8443 are: --allow %s allows it", show(u), port, place(host, port))
	}
	return nil
}

// address checks the address of a connection that is about to be made for a URL with this host and
// port.
func (r rules) address(host string, port uint16, addr netip.Addr) error {
	addr = addr.Unmap().WithZone("")
	for _, rule := range r.list {
		if rule.covers(host, port) && rule.admits(addr) || rule.host == "" && rule.ports(port) && rule.prefix.Contains(addr) {
			return nil
		}
	}
	if !usualPorts[port] {
		return refuse("port %d of %s is not allowed: --allow %s allows it", port, addr, place(addr.String(), port))
	}
	kind, private := kindOf(addr)
	if kind == "" || private && r.private {
		return nil
	}
	return refuse("%s is a %s address, which is not allowed: --allow %s allows it", addr, kind, addr)
}

// Kinds of addresses that [TypedRule] accepts.
const (
	kindLoopback = "loopback"
	kindPrivate  = "private"
)

// A network is a range of addresses that public servers do not have.
type network struct {
	prefix  netip.Prefix
	kind    string
	private bool // maybe in the user's own network
}

// networks lists the special addresses of the IANA registries, and the addresses at which machines of cloud providers get
// their own credentials. The first match counts. All IPv6 addresses outside of 2000::/3 are special.
var networks = sync.OnceValue(func() (all []network) {
	for _, list := range []struct {
		kind     string
		private  bool
		prefixes string
	}{
		{"metadata", false, "169.254.169.254/32 169.254.170.0/24 169.254.0.23/32 169.254.42.42/32 100.100.100.200/32 168.63.129.16/32 192.0.0.192/32 fd00:ec2::/32 fd00:42::42/128 fd20:ce::254/128 fe80::a9fe:a9fe/128"},
		{kindLoopback, true, "127.0.0.0/8 ::1/128"},
		{kindPrivate, true, "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7"},
		{"carrier-grade NAT", true, "100.64.0.0/10"},
		{"benchmarking", true, "198.18.0.0/15"},
		{"site-local", true, "fec0::/10"},
		// where the next provider has its metadata
		{"link-local", false, "169.254.0.0/16 fe80::/10"},
		{"unspecified", false, "0.0.0.0/8 ::/128"},
		{"documentation", false, "192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 2001:db8::/32 3fff::/20"},
		{"6to4", false, "192.88.99.0/24 2002::/16"},
		{"multicast", false, "224.0.0.0/4 ff00::/8"},
		{"IPv4-mapped", false, "::ffff:0:0/96"},
		{"IPv4-compatible", false, "::/96"},
		{"NAT64", false, "64:ff9b::/96 64:ff9b:1::/48"},
		{"Teredo", false, "2001::/32"},
		{"reserved", false, "192.0.0.0/24 240.0.0.0/4 2001::/23"},
	} {
		for prefix := range strings.FieldsSeq(list.prefixes) {
			all = append(all, network{netip.MustParsePrefix(prefix), list.kind, list.private})
		}
	}
	return all
})

// kindOf returns the kind of a special address, "" for a public one, and whether the address may
// belong to the user's own network.
func kindOf(addr netip.Addr) (kind string, private bool) {
	for _, n := range networks() {
		if n.prefix.Contains(addr) {
			return n.kind, n.private
		}
	}
	if addr.Is6() && addr.As16()[0]>>5 != 1 {
		return "reserved", false
	}
	return "", false
}

// hostOf returns the host of a URL in the form in which hosts are compared.
func hostOf(u *url.URL) string { return canonicalHost(u.Hostname()) }

// canonicalHost returns a host in ASCII and lower case, as DNS looks it up.
func canonicalHost(host string) string { return strings.ToLower(ASCII(host)) }

// maxHost is the greatest length of a host name in UTF-8: four bytes for each of its 253 characters.
const maxHost = 4 * 253

// ASCII returns the ASCII form of a host, which DNS uses (RFC 5891), or the host itself if it has no
// such form. The conversion takes the square of the length, so a host that is too long for a name is
// returned as it is.
func ASCII(host string) string {
	if len(host) > maxHost {
		return host
	}
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		return ascii
	}
	return host
}

func place(host string, port uint16) string { return net.JoinHostPort(host, fmt.Sprint(port)) }

func portOf(u *url.URL) (uint16, error) {
	switch port := u.Port(); {
	case port != "":
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return 0, refuse("%s: the port is %q, must be from 1 to 65535", show(u), port)
		}
		return uint16(n), nil
	case u.Scheme == "http":
		return 80, nil
	}
	return 443, nil
}

// originOf returns the origin of a URL: headers for one URL are sent to another only if both have the
// same origin.
func originOf(u *url.URL) string {
	port, _ := portOf(u)
	return u.Scheme + "://" + place(hostOf(u), port)
}

// show returns a URL for a message: without its password, and cut after 300 bytes.
func show(u *url.URL) string { return excerpt.Ellipsis(u.Redacted(), 300) }
