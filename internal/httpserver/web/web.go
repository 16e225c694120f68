// Package web serves projects over HTTP: the endpoints of MCP with what stands around them.
//
//	/mcp                                      the first project (package streamable)
//	/<name>/mcp                               each of several projects
//	/health                                   whether all have been read
//	/.well-known/oauth-protected-resource/…   where to get a token (package auth)
//
// A request passes, from the outside in: the gate, which knows hosts and origins; authentication,
// which knows callers and how often each may ask; the endpoint. /health is outside of all of them,
// since probes come with neither.
//
// The server is safe as it starts: beyond the loopback interface it wants authentication, or
// --no-auth.
package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/certificate"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/gate"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/metrics"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/serverlog"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/streamable"
)

const (
	headerTimeout = 10 * time.Second
	// readTimeout is how long a request may take that nobody reads, as one that is refused:
	// net/http reads its body all the same, before it sends the answer. It is shorter than
	// writeTimeout, which begins with it. Endpoints set their own.
	readTimeout    = 20 * time.Second
	idleTimeout    = 2 * time.Minute // of a connection between requests
	writeTimeout   = 30 * time.Second
	maxHeaderBytes = 64 << 10
	maxRequests    = ManyConnections // of HTTP/2 at a time
	// endTimeout is how long requests may take to finish when the server ends.
	endTimeout = 4 * time.Second
)

// A Site is a project that is served.
type Site struct {
	Name   string // of its path, see [SiteName]
	Server Server
	Ready  func() bool // it has been read once
	// Notified, if not nil, is called with the method of each notification that is sent.
	Notified func(method string)
}

// A Server answers the calls of a project, and ends its listens when the server ends.
type Server interface {
	streamable.Server
	EndListens()
}

// Options say how to serve. Pointers are nil where nothing was said, which is something else than
// an empty value.
type Options struct {
	Addr  string
	Sites []Site // at least one

	PublicURL      string
	AllowHosts     []string
	AllowOrigins   []string
	TrustedProxies []string

	NoAuth    bool
	TokenFile *string
	Token     *string
	Issuer    *string
	Audience  []string
	Scopes    []string

	CertFile, KeyFile string
	Rate              float64 // requests of a caller in a second; 0: as many as it likes
	MaxConnections    int     // at a time; 0: [DefaultConnections]
	Limits            streamable.Limits

	Version string // of the program
	Logger  *slog.Logger
	// Listening is called once, with the URL of each site's endpoint, the first with that of /mcp.
	Listening func(urls []string)
	// Metrics, if not nil, counts what the server does, and is shown at /metrics.
	Metrics *metrics.Metrics
	// More are handlers of further paths behind the gate, such as "/".
	More map[string]http.Handler
	// Observed, if not nil, is called with each call that an endpoint has answered, and the name of
	// its site.
	Observed func(*http.Request, string, streamable.Observation)
	// Page, if not nil, makes the handler of all paths that nothing else is at. It stands behind
	// the gate, and decides itself who comes in.
	Page func(*auth.Authenticator, *gate.Gate) http.Handler
}

// Serve serves until ctx ends, and then until the requests that it has are answered, but no longer
// than endTimeout.
func Serve(ctx context.Context, o Options) error {
	if err := checkNames(o.Sites); err != nil {
		return err
	}
	if err := checkAuth(o); err != nil {
		return err
	}
	var pair *certificate.Pair
	if o.CertFile != "" || o.KeyFile != "" {
		var err error
		if pair, err = certificate.Load(o.CertFile, o.KeyFile, o.Logger); err != nil {
			return err
		}
	}
	tcp, err := new(net.ListenConfig).Listen(ctx, "tcp", o.Addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", o.Addr, reason(err))
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
	work.Go(func() { s.shared.Run(ctx) })
	serve := func() error { return s.http.Serve(listener) }
	if pair != nil {
		s.http.TLSConfig = pair.Config()
		work.Go(func() { pair.Run(ctx) })
		serve = func() error { return s.http.ServeTLS(listener, "", "") }
	}
	if o.PublicURL != "" { // which does not say where the proxy finds the server
		o.Logger.Info("listening", "address", listener.Addr())
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

// reason is what a failed attempt to listen has to say beside its address.
func reason(err error) error {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Err
	}
	return err
}

// A server is what serves the sites of some options.
type server struct {
	options Options
	gate    *gate.Gate
	auth    *auth.Authenticator
	shared  *streamable.Shared
	http    *http.Server
}

func newServer(o Options, listens string) (*server, error) {
	s := &server{options: o, shared: streamable.NewShared(o.Limits)}
	allowed := o.gate()
	allowed.Listen = listens
	var err error
	if s.gate, err = gate.New(allowed); err != nil {
		return nil, err
	}
	var limiter *gate.Limiter
	if o.Rate > 0 {
		limiter = gate.NewLimiter(rate.Limit(o.Rate), max(1, int(2*o.Rate)))
	}
	s.auth, err = auth.New(auth.Options{
		TokenFile: o.TokenFile, Token: o.Token, Issuer: o.Issuer, Audience: o.Audience, Scopes: o.Scopes,
		Path: mcpPath, PublicURL: s.gate.PublicURL, ClientAddr: s.gate.ClientAddr, Limiter: limiter, Logger: o.Logger,
		Admitted: func(r *http.Request, c auth.Caller) { serverlog.SetCaller(r.Context(), c.Name) },
	})
	if err != nil {
		return nil, err
	}
	handler := s.handler()
	access := serverlog.Options{Logger: o.Logger, ClientAddr: s.gate.ClientAddr}
	if o.Metrics != nil {
		access.Responded = o.Metrics.Responded
		o.Metrics.Sessions(s.shared.Counts)
	}
	handler = serverlog.Handler(access, handler)
	s.http = &http.Server{
		Handler:           newMultiplexed(maxRequests, o.Logger).handler(handler),
		HTTP2:             settingsOfHTTP2,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		IdleTimeout:       idleTimeout,
		WriteTimeout:      writeTimeout, // streams and large answers set their own
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(o.Logger.Handler(), slog.LevelDebug), // connections that end, mostly
	}
	return s, nil
}

// end finishes what has begun.
func (s *server) end() error {
	for _, site := range s.options.Sites {
		site.Server.EndListens()
	}
	s.shared.EndStreams()
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	if err := s.http.Shutdown(ctx); err != nil {
		s.options.Logger.Warn("some requests were not finished")
		s.http.Close()
	}
	return nil
}
