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
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
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

// An origin is where a page comes from (RFC 6454), in canonical form. Its port is not empty if the
// scheme has a default.
type origin struct{ scheme, host, port string }

var defaultPorts = map[string]string{"http": "80", "https": "443"}

func parseOrigin(s string) (origin, error) {
	switch s {
	case "*":
		return origin{}, errors.New("it must name an origin; every origin cannot be allowed, since that would let hostile sites in")
	case "null":
		return origin{}, errors.New("it cannot be allowed, since any site can send it")
	}
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok || !schemes().MatchString(scheme) {
		return origin{}, errors.New("an origin is a scheme and a host, such as https://app.example.com or http://localhost:3000")
	}
	if strings.ContainsAny(rest, "/?#@") {
		return origin{}, errors.New("an origin has no user, path, query or fragment")
	}
	a, err := parseAuthority(rest)
	if err != nil {
		return origin{}, err
	}
	o := origin{strings.ToLower(scheme), a.host, a.port}
	o.port = cmp.Or(o.port, defaultPorts[o.scheme])
	return o, nil
}

// parseAllowedOrigin parses a value of --allow-origin.
func parseAllowedOrigin(s string) (origin, error) { return parseOrigin(strings.TrimSuffix(s, "/")) }

// schemes matches the scheme of a URL (RFC 3986, section 3.1).
var schemes = lazyregexp.New(`^[A-Za-z][A-Za-z0-9+.-]*$`)

// CheckOrigin returns the Origin header of a request in the form to repeat it, "" if there is none,
// or an error if it is not allowed. The Host header must have been checked.
func (p *Policy) CheckOrigin(r *http.Request) (string, error) {
	values := r.Header.Values("Origin")
	switch len(values) {
	case 0:
		return "", nil
	case 1:
	default:
		return "", errors.New("the request has several Origin headers")
	}
	o, err := parseOrigin(values[0])
	if err != nil || !p.origins[o] && !p.isOurs(o, r) {
		return "", fmt.Errorf("the origin %s is not allowed; if it should be, start the server with --allow-origin and that origin", protocol.Shown(values[0]))
	}
	return values[0], nil
}

// FromHere reports whether a page of this server sent a request, according to its Origin: the
// public URL, or the host in the request. Use it for actions that are forbidden to pages of every
// other origin, including the origins of --allow-origin. The Host header must have been checked.
func (p *Policy) FromHere(r *http.Request) bool {
	values := r.Header.Values("Origin")
	here, err := parseOrigin(p.scheme(r) + "://" + r.Host)
	if err != nil || len(values) != 1 {
		return false
	}
	from, err := parseOrigin(values[0])
	return err == nil && (from == here || from == p.from)
}

// isOurs reports whether an origin is the server's: its scheme, one of its hosts, and the port that
// it listens on or that the client uses, which differ if a container publishes its port as another
// one.
func (p *Policy) isOurs(o origin, r *http.Request) bool {
	if o.scheme != p.scheme(r) || !p.hosted(authority{o.host, o.port}) {
		return false
	}
	host, err := p.host(r)
	return o.port == p.port || err == nil && o.port == host.port
}

const (
	methods = "GET, HEAD, POST, DELETE, OPTIONS"
	// Headers that clients of either era send, apart from those that every page may send.
	requestHeaders = "Accept, Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id"
	// Headers that a client must read: the session, the reason of a refusal, and how long to wait.
	responseHeaders = "MCP-Protocol-Version, Mcp-Session-Id, Retry-After, WWW-Authenticate"
	preflightAge    = "7200" // seconds; browsers keep no answer longer than two hours
)

// allow adds the headers with which a page of an allowed origin can read the answer. Credentials
// that the browser stores itself, such as cookies, are not allowed: a client sends its token
// explicitly.
func allow(h http.Header, from string) {
	h.Set("Access-Control-Allow-Origin", from)
	h.Set("Access-Control-Expose-Headers", responseHeaders)
}

// preflight answers a CORS preflight request and reports whether the request was one.
func preflight(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h := w.Header()
	h.Add("Vary", "Access-Control-Request-Method, Access-Control-Request-Headers")
	h.Set("Access-Control-Allow-Methods", methods)
	h.Set("Access-Control-Allow-Headers", requestHeaders)
	h.Set("Access-Control-Max-Age", preflightAge)
	w.WriteHeader(http.StatusNoContent)
	return true
}
