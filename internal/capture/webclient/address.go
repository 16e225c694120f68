package webclient

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/net/idna"
)

// ErrRefused is wrapped by the error of every request that the rules of this package do not allow:
// its scheme, its port, or the address that its host leads to.
var ErrRefused = errors.New("refused")

// refuse returns an error that wraps [ErrRefused] without its text.
func refuse(format string, args ...any) error { return &refusal{reason: fmt.Sprintf(format, args...)} }

type refusal struct {
	url    string // "": the reason names it, or it is not known
	reason string
}

func (r *refusal) Error() string {
	if r.url == "" {
		return r.reason
	}
	return r.url + ": " + r.reason
}

func (r *refusal) Unwrap() error { return ErrRefused }

// usualPorts are those of web servers. A service on another port is not for browsers, and may take
// a request for something else.
var usualPorts = map[uint16]bool{80: true, 443: true, 8080: true, 8443: true}

// A Rule exempts a host or addresses from the rules for addresses and ports:
//
//	docs.internal         a host, whatever its addresses are, at the usual ports
//	docs.internal:9000    a host at one port
//	127.0.0.1:*           an address at every port
//	10.1.0.0/16           addresses at the usual ports
type Rule struct {
	host     string       // in ASCII and lower case; "" if the rule is for addresses
	prefix   netip.Prefix // unmapped
	port     uint16       // 0: the usual ones
	anyPort  bool
	original string
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
	if prefix, err := netip.ParsePrefix(s); err == nil {
		if prefix.Addr().Is4In6() {
			return r, fmt.Errorf("%q is an IPv4 network in IPv6 form: write it as IPv4", s)
		}
		r.prefix = prefix.Masked()
		return r, nil
	}
	if addr, err := netip.ParseAddr(s); err != nil || addr.Zone() != "" {
		if host, port, ok := cutPort(s); ok {
			target = host
			if r.anyPort = port == "*"; !r.anyPort {
				n, err := strconv.ParseUint(port, 10, 16)
				if err != nil || n == 0 {
					return r, fmt.Errorf("%q: the port is %q, must be a number from 1 to 65535 or *", s, port)
				}
				r.port = uint16(n)
			}
		}
	}
	target = strings.TrimSuffix(strings.TrimPrefix(target, "["), "]")
	if prefix, err := netip.ParsePrefix(target); err == nil && !prefix.Addr().Is4In6() {
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
		return r, fmt.Errorf("%q is no host, address or network, with a port or without", s)
	}
	return r, nil
}

// cutPort cuts a port at the end, behind the only colon or behind brackets.
func cutPort(s string) (host, port string, ok bool) {
	at := strings.LastIndexByte(s, ':')
	if at < 0 || strings.Contains(s[:at], ":") && !strings.HasSuffix(s[:at], "]") {
		return s, "", false
	}
	return s[:at], s[at+1:], true
}

// ports reports whether the rule is for a port.
func (r Rule) ports(port uint16) bool {
	return r.anyPort || r.port == port || r.port == 0 && usualPorts[port]
}

// rules are the exemptions of a client.
type rules struct {
	private bool
	list    []Rule
}

// host reports whether a rule names a host, or the address that it is, at a port.
func (r rules) host(host string, port uint16) bool {
	addr, err := netip.ParseAddr(host)
	for _, rule := range r.list {
		switch {
		case !rule.ports(port):
		case rule.host != "" && rule.host == host:
			return true
		case rule.host == "" && err == nil && rule.prefix.Contains(addr.Unmap().WithZone("")):
			return true
		}
	}
	return false
}

// port reports whether some rule is for a port, whatever the host is: the address is checked when
// it is known.
func (r rules) port(port uint16) bool {
	for _, rule := range r.list {
		if rule.host == "" && rule.ports(port) {
			return true
		}
	}
	return usualPorts[port]
}

// URL checks what can be checked of a URL before its host is looked up.
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
		return refuse("%s: port %d is not asked, only 80, 443, 8080 and 8443: --allow %s allows it", show(u), port, net.JoinHostPort(host, strconv.Itoa(int(port))))
	}
	return nil
}

// address checks the address that a connection is about to be made to. host and port are those of
// the URL.
func (r rules) address(host string, port uint16, at netip.AddrPort) error {
	addr := at.Addr().Unmap().WithZone("")
	if r.host(host, port) {
		return nil
	}
	for _, rule := range r.list {
		if rule.host == "" && rule.ports(port) && rule.prefix.Contains(addr) {
			return nil
		}
	}
	if !usualPorts[port] {
		return refuse("port %d of %s is not asked: --allow %s allows it", port, addr, net.JoinHostPort(addr.String(), strconv.Itoa(int(port))))
	}
	kind, private := kindOf(addr)
	if kind == "" || private && r.private {
		return nil
	}
	return refuse("%s is a %s address, which is not asked: --allow %s allows it", addr, kind, addr)
}

// A network is a range of addresses that are not those of public servers.
type network struct {
	prefix  netip.Prefix
	kind    string
	private bool // it may be a network of the user
}

// networks is what the registries of IANA list as special, and addresses of cloud providers at
// which a machine gets its own credentials. The first match counts. All of IPv6 that is not below
// 2000::/3 is special.
var networks = sync.OnceValue(func() []network {
	var list []network
	for _, n := range []struct {
		prefix, kind string
		private      bool
	}{
		{"169.254.169.254/32", "metadata", false},
		{"169.254.170.0/24", "metadata", false}, // containers
		{"169.254.0.23/32", "metadata", false},
		{"169.254.42.42/32", "metadata", false},
		{"100.100.100.200/32", "metadata", false},
		{"168.63.129.16/32", "metadata", false},
		{"192.0.0.192/32", "metadata", false},
		{"fd00:ec2::/32", "metadata", false},
		{"fd00:42::42/128", "metadata", false},
		{"fd20:ce::254/128", "metadata", false},
		{"fe80::a9fe:a9fe/128", "metadata", false},
		{"0.0.0.0/8", "unspecified", false},
		{"10.0.0.0/8", "private", true},
		{"100.64.0.0/10", "carrier-grade NAT", true},
		{"127.0.0.0/8", "loopback", true},
		{"169.254.0.0/16", "link-local", false}, // where the next provider has its metadata
		{"172.16.0.0/12", "private", true},
		{"192.0.0.0/24", "reserved", false},
		{"192.0.2.0/24", "documentation", false},
		{"192.88.99.0/24", "6to4", false},
		{"192.168.0.0/16", "private", true},
		{"198.18.0.0/15", "benchmarking", true},
		{"198.51.100.0/24", "documentation", false},
		{"203.0.113.0/24", "documentation", false},
		{"224.0.0.0/4", "multicast", false},
		{"240.0.0.0/4", "reserved", false},
		{"::/128", "unspecified", false},
		{"::1/128", "loopback", true},
		{"::ffff:0:0/96", "IPv4-mapped", false},
		{"::/96", "IPv4-compatible", false},
		{"64:ff9b::/96", "NAT64", false},
		{"64:ff9b:1::/48", "NAT64", false},
		{"fc00::/7", "private", true},
		{"fe80::/10", "link-local", false},
		{"fec0::/10", "site-local", true},
		{"ff00::/8", "multicast", false},
		{"2001::/32", "Teredo", false},
		{"2001::/23", "reserved", false},
		{"2001:db8::/32", "documentation", false},
		{"2002::/16", "6to4", false},
		{"3fff::/20", "documentation", false},
	} {
		list = append(list, network{netip.MustParsePrefix(n.prefix), n.kind, n.private})
	}
	return list
})

// kindOf returns what kind of special address this is, "" for a public one, and whether it may be
// one of the user's own network.
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

// canonicalHost returns a host in ASCII and lower case, as it is looked up.
func canonicalHost(host string) string { return strings.ToLower(ASCII(host)) }

// maxHost is how many bytes a name of a host has in UTF-8 at the most: four for each of the 253 that
// it may have in ASCII.
const maxHost = 4 * 253

// ASCII returns a host in the form in which DNS has it (RFC 5891), or as it is if it has none. The
// time that this takes grows with the square of the length, so that what is too long for a name of
// a host is not looked at.
func ASCII(host string) string {
	if len(host) > maxHost {
		return host
	}
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		return ascii
	}
	return host
}

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

// originOf returns what two URLs must share for one to get what is meant for the other.
func originOf(u *url.URL) string {
	port, _ := portOf(u)
	return u.Scheme + "://" + net.JoinHostPort(hostOf(u), strconv.Itoa(int(port)))
}

// show returns a URL for a message: without what may be secret, and not too long.
func show(u *url.URL) string {
	s := u.Redacted()
	if len(s) > 300 {
		s = s[:300] + "…"
	}
	return s
}
