package hosts

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

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
	if o.port == "" {
		o.port = defaultPorts[o.scheme]
	}
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
