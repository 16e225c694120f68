// Package httpserver serves any projects that answer calls over HTTP. It combines the endpoints of MCP with access control,
// metrics and the log.
//
//		/mcp                                      the first project (package streamable)
//		/<name>/mcp                               each of several projects
//		/health, /ready                           whether all projects have been read
//		/.well-known/oauth-protected-resource/…   where to get a token (package auth)
//
//	 1. A request passes the host policy, which checks Host and Origin, then authentication, which identifies
//	    the caller and limits its rate, then the endpoint. Requests for /health and /ready pass none of them,
//	    because probes have neither a valid host nor a token.
//	 2. The defaults are safe: beyond the loopback interface, the server requires authentication or
//	    --no-auth.
package httpserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/metrics"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/serverlog"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/streamable"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

const (
	headerTimeout = 10 * time.Second
	// readTimeout limits a request whose body no handler reads, such as a refused one: net/http
	// reads the body before it sends the answer. It is shorter than writeTimeout, which begins at
	// the same time. Endpoints set their own.
	readTimeout    = 20 * time.Second
	idleTimeout    = 2 * time.Minute // for a connection between requests
	writeTimeout   = 30 * time.Second
	maxHeaderBytes = 64 << 10
	// endTimeout is how long requests may take to finish when the server ends.
	endTimeout = 4 * time.Second
)

// A Site is a project that is served.
type Site struct {
	Name   string // in its path, see [SiteName]
	Scope  string // what sessions are sealed for; "": Name
	Server Server
	Ready  func() bool // reports whether the project has been read
	// Notified, if not nil, is called with the method of each notification that is sent.
	Notified func(method string)
}

// A Server answers the calls of a project, and ends its listens when the server ends.
type Server interface {
	streamable.Server
	EndListens()
}

// A Store is what replicas share.
type Store interface {
	Err() error                  // why it cannot be reached, or nil
	Ready(context.Context) error // why it cannot be written, or nil
}

// Options say how to serve. A nil pointer means that the user gave no value, which differs from an
// empty value.
type Options struct {
	Addr  string
	Sites []Site // at least one

	Hosts  hosts.Options // without Listen and Logger
	Auth   auth.Options  // up to Scopes
	NoAuth bool

	CertFile, KeyFile string
	Rate              float64 // requests per second of a caller; 0: no limit
	MaxConnections    int     // at a time; 0: [DefaultConnections]
	Limits            streamable.Limits
	SessionKeys       *streamable.Keys  // seal the ids of sessions
	SessionStore      *streamable.Store // of all replicas; nil: they share only the keys
	Store             Store             // nil: there is none

	Version string
	Logger  *slog.Logger
	// Listening is called once with the URLs of the sites' endpoints. The first one ends in /mcp.
	Listening func(urls []string)
	// Metrics, if not nil, counts the server's work and is served at /metrics.
	Metrics *metrics.Metrics
	// Page, if not nil, returns the handler of all other paths, the web UI. It is behind the host policy
	// and authenticates requests itself.
	Page func(*auth.Authenticator, *hosts.Policy) http.Handler
}

// Serve serves until ctx ends. It then waits until open requests are answered, at most endTimeout.
func Serve(ctx context.Context, o Options) error {
	if err := checkNames(o.Sites); err != nil {
		return err
	}
	if err := checkAuth(o); err != nil {
		return err
	}
	var pair *certificate
	if o.CertFile != "" || o.KeyFile != "" {
		var err error
		if pair, err = loadCertificate(o.CertFile, o.KeyFile, o.Logger); err != nil {
			return err
		}
	}
	tcp, err := new(net.ListenConfig).Listen(ctx, "tcp", o.Addr)
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err // without the address
	}
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", o.Addr, err)
	}
	s, err := newServer(o, tcp.Addr().String())
	if err != nil {
		tcp.Close()
		return err
	}
	listener := newListener(tcp, o)
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	defer work.Wait()
	defer cancel()
	work.Go(func() { s.auth.Run(ctx) })
	// Sessions end after their calls.
	sessions, endSessions := context.WithCancel(context.WithoutCancel(ctx))
	defer endSessions()
	work.Go(func() { s.shared.Run(sessions) })
	serve := func() error { return s.http.Serve(listener) }
	if pair != nil {
		s.http.TLSConfig = pair.config()
		work.Go(func() { pair.run(ctx) })
		serve = func() error { return s.http.ServeTLS(listener, "", "") }
	}
	if o.Hosts.PublicURL != "" { // the log names the address for the proxy
		o.Logger.Info("listening", "address", listener.Addr().String())
	}
	if o.Listening != nil {
		o.Listening(s.urls(listener.Addr(), pair != nil))
	}
	failed := make(chan error, 1)
	go func() { failed <- serve() }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	return s.end()
}

// A server serves the sites of its options.
type server struct {
	options Options
	hosts   *hosts.Policy
	auth    *auth.Authenticator
	shared  *streamable.Shared
	http    *http.Server
}

func newServer(o Options, listens string) (*server, error) {
	s := &server{options: o, shared: streamable.NewShared(o.Limits, o.SessionKeys, o.SessionStore)}
	o.Hosts.Listen, o.Hosts.Logger = listens, o.Logger
	var err error
	if s.hosts, err = hosts.New(o.Hosts); err != nil {
		return nil, err
	}
	var limiter *hosts.Limiter
	if o.Rate > 0 {
		limiter = hosts.NewLimiter(rate.Limit(o.Rate), max(1, int(2*o.Rate)))
	}
	o.Auth.Path, o.Auth.PublicURL, o.Auth.ClientAddr, o.Auth.Limiter, o.Auth.Logger = mcpPath, s.hosts.PublicURL, s.hosts.ClientAddr, limiter, o.Logger
	o.Auth.Admitted = func(r *http.Request, c auth.Caller) { serverlog.SetCaller(r.Context(), c.Name) }
	if s.auth, err = auth.New(o.Auth); err != nil {
		return nil, err
	}
	handler := s.handler()
	access := serverlog.Options{Logger: o.Logger, ClientAddr: s.hosts.ClientAddr}
	if o.Metrics != nil {
		access.Responded = o.Metrics.Responded
		o.Metrics.Sessions(s.shared.Counts)
	}
	handler = serverlog.Handler(access, handler)
	var protocols http.Protocols
	protocols.SetHTTP1(true) // the limit of connections is then one of requests too
	s.http = &http.Server{
		Handler:           handler,
		Protocols:         &protocols,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		IdleTimeout:       idleTimeout,
		// streams and large answers set their own deadlines
		WriteTimeout:   writeTimeout,
		MaxHeaderBytes: maxHeaderBytes,
		// mostly connections that end
		ErrorLog: slog.NewLogLogger(o.Logger.Handler(), slog.LevelDebug),
	}
	return s, nil
}

// end waits for requests. The streams of sessions end last, so that their clients get what the calls change.
func (s *server) end() error {
	for _, site := range s.options.Sites {
		site.Server.EndListens()
	}
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout+time.Second)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- s.http.Shutdown(ctx) }()
	for end := time.Now().Add(endTimeout); s.shared.Busy() && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	s.shared.EndStreams()
	if err := <-ended; err != nil {
		s.options.Logger.Warn("some requests were cut off at the end of the server")
		s.http.Close()
	}
	return nil
}

// DefaultAddr is the address that a server listens on if no option names another.
const DefaultAddr = "127.0.0.1:3060"

// urls returns the URLs of the endpoints.
func (s *server) urls(addr net.Addr, secure bool) []string {
	host := addr.String()
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		// clients on other computers can use an allowed host
		host = append(s.options.Hosts.AllowHosts, "localhost")[0]
		if _, _, err := net.SplitHostPort(host); err != nil {
			host = net.JoinHostPort(strings.Trim(host, "[]"), strconv.Itoa(tcp.Port))
		}
	}
	base := "http://" + host
	if secure {
		base = "https://" + host
	}
	if s.options.Hosts.PublicURL != "" {
		base = strings.TrimSuffix(s.options.Hosts.PublicURL, "/")
	}
	urls := []string{base + mcpPath}
	if len(s.options.Sites) > 1 {
		for _, site := range s.options.Sites {
			urls = append(urls, base+"/"+site.Name+mcpPath)
		}
	}
	return urls
}

// checkAuth refuses to serve a network without authentication, unless the options say so
// explicitly.
func checkAuth(o Options) error {
	asked := o.Auth.TokenFile != nil || o.Auth.Token != nil || o.Auth.Issuer != nil
	if asked && o.NoAuth {
		return errors.New("--no-auth contradicts --token-file, --oauth-issuer and " + auth.TokenVariable + ": leave one side out")
	}
	if asked || o.NoAuth || isLoopback(o.Addr) {
		return nil
	}
	return fmt.Errorf("%s can be reached from other computers, and the server has no authentication: "+
		"give --token-file FILE or --oauth-issuer URL, or --no-auth if everybody may", o.Addr)
}

// isLoopback reports whether only this computer can reach a listening address.
func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	return err == nil && hosts.IsLocal(host)
}

// Private reports whether only programs of this computer can reach the server, so that it may show
// what is only for its author and operator. A proxy on this computer can make a loopback address
// public, so the options that a proxy needs count too.
func (o Options) Private() bool { return isLoopback(o.Addr) && !o.Hosts.ForeignNames() }

// reserved are names that are, or may become, paths of the server itself.
var reserved = []string{
	"mcp", "health", "metrics", "raw", "docs", "assets", "static", "api", "llms.txt", "llms-full.txt", "favicon.ico", "robots.txt",
	"register", "authorize", "token", "login", "logout", ".well-known", "sse",
}

var names = lazyregexp.New(`^[a-z0-9_-][a-z0-9._-]*$`)

// SiteName returns the name of a site for its npm package: without "@", and with "-" for "/".
func SiteName(pkg string) string {
	return strings.ReplaceAll(strings.TrimPrefix(pkg, "@"), "/", "-")
}

// checkNames returns an error if the names of sites are invalid or not unique.
func checkNames(sites []Site) error {
	if len(sites) < 2 {
		return nil
	}
	seen := make(map[string]bool)
	for _, site := range sites {
		switch {
		case !names().MatchString(site.Name):
			return fmt.Errorf("a project has the package name %q, which cannot be a path: "+
				`give it a "package" of lower-case letters, digits, "-", "_" and "." in mcp-docs-server.json`, site.Name)
		case slices.Contains(reserved, site.Name):
			return fmt.Errorf("a project has the package name %q, which is a path of the server itself: "+
				`give it another "package" in mcp-docs-server.json`, site.Name)
		case seen[site.Name]:
			return fmt.Errorf("two projects have the package name %q: "+
				`give one another "package" in mcp-docs-server.json`, site.Name)
		}
		seen[site.Name] = true
	}
	return nil
}
