package hosts

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
)

// An authority is a host and a port in canonical form: "docs.example.com", "127.0.0.1" or "::1",
// and "8080" or "".
type authority struct{ host, port string }

// parseAuthority parses a Host header or the part of an origin after "//".
func parseAuthority(s string) (authority, error) {
	host, port := s, ""
	if inner, ok := strings.CutPrefix(s, "["); ok {
		address, rest, ok := strings.Cut(inner, "]")
		if !ok {
			return authority{}, errors.New("an IPv6 address ends with a bracket")
		}
		a, err := netip.ParseAddr(address)
		if err != nil || !a.Is6() || a.Zone() != "" {
			return authority{}, errors.New("there must be an IPv6 address in the brackets, without a zone")
		}
		host = a.Unmap().String()
		if rest != "" {
			if port, ok = strings.CutPrefix(rest, ":"); !ok {
				return authority{}, errors.New("only a port can follow an IPv6 address")
			}
		}
	} else {
		host, port, _ = strings.Cut(s, ":")
		var err error
		if host, err = canonicalName(host); err != nil {
			return authority{}, err
		}
	}
	if port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return authority{}, errors.New("a port is a number up to 65535")
		}
		port = strconv.FormatUint(n, 10)
	}
	return authority{host, port}, nil
}

// canonicalName returns a name or an IPv4 address in lower case, without the dot that ends a DNS
// name.
func canonicalName(s string) (string, error) {
	s = strings.TrimSuffix(s, ".")
	if s == "" {
		return "", errors.New("there is no host")
	}
	for i := range len(s) {
		if c := s[i] | 0x20; c >= 'a' && c <= 'z' || s[i] >= '0' && s[i] <= '9' || s[i] == '-' || s[i] == '.' || s[i] == '_' {
			continue
		}
		if s[i] >= 0x80 {
			return "", errors.New("a host is written in ASCII, as browsers send it: xn--bcher-kva.example for bücher.example")
		}
		return "", fmt.Errorf("a host cannot have the character %q", s[i])
	}
	return strings.ToLower(s), nil
}

// parseAllowedHost parses a value of --allow-host.
func parseAllowedHost(s string) (authority, error) {
	switch {
	case s == "*":
		return authority{}, errors.New("it must name a host; every host cannot be allowed, since that would let hostile sites in")
	case strings.Contains(s, "://"):
		return authority{}, errors.New("it must be a host, with or without a port, and not a URL")
	}
	if a, err := netip.ParseAddr(s); err == nil && a.Zone() == "" {
		return authority{host: a.Unmap().String()}, nil
	}
	return parseAuthority(s)
}

// hosted reports whether a host is one of this server.
func (p *Policy) hosted(a authority) bool {
	return p.hosts[a] || p.hosts[authority{host: a.host}] || IsLocal(a.host)
}

// IsLocal reports whether a host always names the client's own computer: localhost, or a loopback
// address.
func IsLocal(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback() || strings.EqualFold(host, "localhost")
}

// host returns what the Host header names, with the port.
func (p *Policy) host(r *http.Request) (authority, error) {
	a, err := parseAuthority(r.Host)
	a.port = cmp.Or(a.port, defaultPorts[p.scheme(r)])
	return a, err
}

// CheckHost returns an error if the Host header names another server.
func (p *Policy) CheckHost(r *http.Request) error {
	if a, err := p.host(r); err != nil || !p.hosted(a) {
		return fmt.Errorf("the Host header %s does not name this server; if it should, start the server with --allow-host and that name", protocol.Shown(r.Host))
	}
	return nil
}
