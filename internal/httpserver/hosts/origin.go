package hosts

import (
	"cmp"
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
