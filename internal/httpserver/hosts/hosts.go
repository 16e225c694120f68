// Package hosts refuses HTTP requests that are not meant for this server or come from a forbidden
// origin. It runs before all other handlers but those of /health and /ready.
//
//  1. Host: a hostile site can make its own name resolve to the address of a server on the reader's
//     computer (DNS rebinding), and its pages can then call the server as their own. Only the Host
//     header shows this. Allowed are localhost and the loopback addresses, the address that the
//     server listens on, the host of its public URL, and hosts of --allow-host. Names are compared
//     without regard to case and to a final dot, addresses by value. An entry without a port allows
//     every port.
//  2. Origin: a browser names the site that a request comes from. Allowed are the origins of the
//     server itself (its scheme, an allowed host, its port), the origin of its public URL, and the
//     origins of --allow-origin. The origin "null" is never allowed, because any site can send it. A request
//     without the header passes: no browser sent it, or it is one that a browser lets every site
//     make.
//  3. Both are refused with 403 and a text that names the option. Answers to an allowed origin get
//     the headers of CORS (https://fetch.spec.whatwg.org/#http-cors-protocol). The policy answers
//     preflights itself, because a browser sends them without credentials.
//  4. Behind a reverse proxy, the client's address is in X-Forwarded-For, which a client can write
//     too. The policy reads it from the right while each address belongs to a trusted proxy.
package hosts

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"
)

// Options are the settings of the user.
type Options struct {
	// the address that the server listens on, as net.Listener reports it: "127.0.0.1:8080"
	Listen string
	// the URL of the server for clients: "https://docs.example.com"; "": unknown
	PublicURL string
	// "docs.example.com", "docs.example.com:8443", "192.0.2.7", "[2001:db8::7]:8080"
	AllowHosts     []string
	AllowOrigins   []string // "https://app.example.com", "vscode-webview://abc"
	TrustedProxies []string // "10.0.0.1", "10.0.0.0/8"
	Logger         *slog.Logger
}

// A Policy checks the Host and Origin of requests. It is safe for concurrent use.
type Policy struct {
	hosts   map[authority]bool // an entry with an empty port allows all ports
	origins map[origin]bool    // origins of other sites and of the public URL
	port    string             // the port that the server listens on
	public  *url.URL           // nil: unknown
	from    origin             // of the public URL
	proxies []netip.Prefix
	logger  *slog.Logger
	lines   rate.Sometimes // limits log lines about refusals
}

// New checks the options. The error joins all mistakes in them.
func New(o Options) (*Policy, error) {
	p := &Policy{
		hosts:   map[authority]bool{{host: "localhost"}: true},
		origins: map[origin]bool{},
		logger:  cmp.Or(o.Logger, slog.New(slog.DiscardHandler)),
		lines:   rate.Sometimes{First: 10, Interval: time.Second},
	}
	var problems []error
	problem := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }

	if a, err := parseAuthority(o.Listen); err == nil {
		p.hosts[authority{host: a.host}] = true
		p.port = a.port
	} else if rest, ok := strings.CutPrefix(o.Listen, ":"); ok {
		p.port = rest
	} else {
		problem("cannot listen on %q: %w", o.Listen, err)
	}
	if o.PublicURL != "" {
		u, ours, err := parsePublic(o.PublicURL)
		if err != nil {
			problem("--public-url %q: %w", o.PublicURL, err)
		}
		p.public, p.from = u, ours
		p.hosts[authority{host: ours.host}] = true
		p.origins[ours] = true
	}
	all("--allow-host", o.AllowHosts, parseAllowedHost, problem, func(a authority) { p.hosts[a] = true })
	all("--allow-origin", o.AllowOrigins, parseAllowedOrigin, problem, func(from origin) { p.origins[from] = true })
	all("--trusted-proxy", o.TrustedProxies, parseProxy, problem, func(prefix netip.Prefix) { p.proxies = append(p.proxies, prefix) })
	return p, errors.Join(problems...)
}

// all parses the values of an option, and adds them.
func all[T any](option string, values []string, parse func(string) (T, error), problem func(string, ...any), add func(T)) {
	for _, s := range values {
		if value, err := parse(s); err != nil {
			problem("%s %q: %w", option, s, err)
		} else {
			add(value)
		}
	}
}

// ForeignNames reports whether these options admit others than programs of the server's computer: a
// trusted proxy, a public URL, a host with a foreign name, or a site with a foreign origin, whose
// pages can read what the browser of this computer is shown. Origins with schemes other than http
// and https belong to programs of this computer. The address that the server listens on is not
// considered.
func (o Options) ForeignNames() bool {
	return o.PublicURL != "" || len(o.TrustedProxies) > 0 ||
		slices.ContainsFunc(o.AllowHosts, func(s string) bool {
			a, err := parseAllowedHost(s)
			return err != nil || !IsLocal(a.host)
		}) ||
		slices.ContainsFunc(o.AllowOrigins, func(s string) bool {
			from, err := parseAllowedOrigin(s)
			return err != nil || defaultPorts[from.scheme] != "" && !IsLocal(from.host)
		})
}

// Handler passes only allowed requests to next, and adds the headers of CORS to the answers.
func (p *Policy) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Vary", "Origin") // no handler before this one sets it
		if err := p.CheckHost(r); err != nil {
			p.refuse(w, r, err)
			return
		}
		from, err := p.CheckOrigin(r)
		if err != nil {
			p.refuse(w, r, err)
			return
		}
		if from != "" {
			allow(w.Header(), from)
			if preflight(w, r) {
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

func (p *Policy) refuse(w http.ResponseWriter, r *http.Request, err error) {
	p.lines.Do(func() { p.logger.Warn("request refused", "client", p.ClientAddr(r).String(), "reason", err) })
	Refuse(w, http.StatusForbidden, err.Error())
}

// PublicURL returns the URL of the server for the client of a request, without a slash at the end:
// the public URL, or what the request says. The Host header must have been checked.
func (p *Policy) PublicURL(r *http.Request) string {
	if p.public != nil {
		return p.public.Scheme + "://" + p.public.Host + p.public.EscapedPath()
	}
	return p.scheme(r) + "://" + strings.ToLower(r.Host)
}

// Root returns the path of the server as the browser of a client knows it, escaped and without a slash at the end: a proxy may remove it.
func (p *Policy) Root() string {
	if p.public == nil {
		return ""
	}
	return p.public.EscapedPath()
}

// parsePublic parses a public URL, and its origin. The URL has no slash at the end.
func parsePublic(s string) (*url.URL, origin, error) {
	u, err := ParseURL(s)
	if err != nil {
		return nil, origin{}, err
	}
	if u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return nil, origin{}, errors.New("it must begin with https:// or http:// and a host, as in https://docs.example.com")
	}
	u.Host = strings.ToLower(u.Host)
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
	from, err := parseOrigin(u.Scheme + "://" + u.Host)
	return u, from, err
}

// ParseURL parses the URL of a server.
func ParseURL(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return nil, errors.New("it is not a URL")
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.HasSuffix(s, "#"):
		return nil, errors.New("it must have no user, query or fragment")
	}
	return u, nil
}

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
