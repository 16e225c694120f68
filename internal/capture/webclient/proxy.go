package webclient

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/netutil"
)

// Bounds of a [Proxy].
const (
	proxyUser = product

	maxProxyClients  = 128 // at a time
	maxProxyHeader   = 256 << 10
	proxyHeaderTime  = 15 * time.Second
	proxyIdleTime    = 30 * time.Second
	maxProxyRefusals = 1000
	maxProxyBytes    = 100 << 20 // both directions together
	maxProxyDials    = 1000
)

// A Proxy is an HTTP proxy on loopback through which a browser loads one page. It forwards requests
// for http, and makes tunnels (CONNECT) for https and WebSockets. The rules of its client check each
// connection while it is made, with the address that the name has then. robots.txt and the pace
// concern the page only, see [Client.Admit].
//
// Other programs cannot use the port: each request needs a random password, which lives as long as
// the proxy.
type Proxy struct {
	client    *Client
	blocks    func(host string) bool
	listener  net.Listener
	server    *http.Server
	forward   *httputil.ReverseProxy
	transport *http.Transport
	password  string
	ctx       context.Context
	cancel    context.CancelCauseFunc

	bytes, dials atomic.Int64 // left

	mu       sync.Mutex       // guards all fields below
	refusals map[string]error // by host and port
	closed   bool
	tunnels  sync.WaitGroup
}

// NewProxy starts a proxy, which runs until [Proxy.Close]. blocks reports whether the user forbids to load anything from a
// host, which is in ASCII and lower case; nil: nothing is blocked.
func (c *Client) NewProxy(blocks func(host string) bool) (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("a proxy for the browser: %w", err)
	}
	p := &Proxy{client: c, blocks: blocks, listener: listener, password: rand.Text(), refusals: make(map[string]error)}
	p.ctx, p.cancel = context.WithCancelCause(context.Background())
	p.bytes.Store(maxProxyBytes)
	p.dials.Store(maxProxyDials)
	p.transport = &http.Transport{
		DialContext:            p.dial,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeaders,
		MaxIdleConnsPerHost:    6,
		IdleConnTimeout:        proxyIdleTime,
	}
	quiet := log.New(io.Discard, "", 0)
	p.forward = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.Host = r.In.URL.Host
			if _, ok := r.Out.Header["User-Agent"]; !ok {
				r.Out.Header.Set("User-Agent", "")
			}
		},
		Transport: p.transport,
		ModifyResponse: func(r *http.Response) error {
			// The browser would think that this proxy sent it.
			if r.StatusCode == http.StatusProxyAuthRequired {
				return errors.New("answers 407, which is for proxies")
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) { p.refuse(w, r.URL, err) },
		ErrorLog:     quiet,
	}
	p.server = &http.Server{
		Handler: p, ErrorLog: quiet, MaxHeaderBytes: maxProxyHeader, ReadHeaderTimeout: proxyHeaderTime, IdleTimeout: proxyIdleTime,
		BaseContext: func(net.Listener) context.Context { return p.ctx },
	}
	go p.server.Serve(netutil.LimitListener(listener, maxProxyClients))
	return p, nil
}

// Addr returns the address of the proxy, as HOST:PORT.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Credentials returns the user and password for Basic authentication (RFC 7617) at the proxy.
func (p *Proxy) Credentials() (user, password string) { return proxyUser, p.password }

// Close ends the proxy and all its connections.
func (p *Proxy) Close() error {
	p.cancel(net.ErrClosed)
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	err := p.server.Close()
	p.transport.CloseIdleConnections()
	p.tunnels.Wait()
	return err
}

// Err returns why the page may load nothing more, or why nothing was loaded from the host of a URL,
// or nil. If the address was refused, the error wraps [ErrRefused].
func (p *Proxy) Err(u *url.URL) error {
	if err := context.Cause(p.ctx); err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("%s: %w", show(u), err)
	}
	port, err := portOf(u)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.refusals[place(hostOf(u), port)]; err != nil {
		return dialed(u, err)
	}
	return nil
}

// ServeHTTP answers the browser.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user, password, ok := proxyAuth(r)
	if !ok || user != proxyUser || subtle.ConstantTimeCompare([]byte(password), []byte(p.password)) != 1 {
		w.Header().Set("Proxy-Authenticate", `Basic realm="`+product+`"`)
		w.WriteHeader(http.StatusProxyAuthRequired)
		return
	}
	switch {
	case r.Method == http.MethodConnect:
		p.tunnel(w, r)
	case r.URL.Scheme == "http" && r.URL.Host != "":
		if p.blocked(r.URL) {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		bare := *r.URL
		bare.User = nil // the browser also sends it in a header field
		if err := p.client.rules.url(&bare); err != nil {
			p.refuse(w, r.URL, err)
			return
		}
		p.forward.ServeHTTP(w, r)
	default:
		w.WriteHeader(http.StatusBadRequest)
	}
}

// proxyAuth returns the credentials in Proxy-Authorization.
func proxyAuth(r *http.Request) (user, password string, ok bool) {
	as := http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}
	return as.BasicAuth()
}

func (p *Proxy) blocked(u *url.URL) bool {
	return p.blocks != nil && p.blocks(hostOf(u))
}

// refuse answers a failed request, and remembers why it failed.
func (p *Proxy) refuse(w http.ResponseWriter, u *url.URL, err error) {
	port, _ := portOf(u)
	p.mu.Lock()
	if len(p.refusals) < maxProxyRefusals {
		p.refusals[place(hostOf(u), port)] = err
	}
	p.mu.Unlock()
	status := http.StatusBadGateway
	if errors.Is(err, ErrRefused) {
		status = http.StatusForbidden
	}
	w.WriteHeader(status)
}

// dial is [Client.dial] within the bounds of the page.
func (p *Proxy) dial(ctx context.Context, network, hostPort string) (net.Conn, error) {
	if p.dials.Add(-1) < 0 {
		return nil, p.exhaust("connects to servers more than %d times", maxProxyDials)
	}
	conn, err := p.client.dial(ctx, network, hostPort)
	if err != nil {
		return nil, err
	}
	return &meteredConn{Conn: conn, proxy: p}, nil
}

// exhaust ends all connections through the proxy.
func (p *Proxy) exhaust(format string, args ...any) error {
	err := fmt.Errorf("%w: %s", ErrExhausted, fmt.Sprintf(format, args...))
	p.cancel(err)
	return err
}

// A meteredConn counts the bytes of the page, and fails when there are too many.
type meteredConn struct {
	net.Conn
	proxy *Proxy
}

func (c *meteredConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	return c.count(n, err)
}

func (c *meteredConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	return c.count(n, err)
}

func (c *meteredConn) count(n int, err error) (int, error) {
	if c.proxy.bytes.Add(-int64(n)) < 0 {
		return 0, c.proxy.exhaust("has more than %d bytes with everything that it loads", maxProxyBytes)
	}
	return n, err
}

// tunnel connects the browser with a server, for https and WebSockets.
func (p *Proxy) tunnel(w http.ResponseWriter, r *http.Request) {
	u := &url.URL{Scheme: "https", Host: r.URL.Host}
	if p.blocked(u) {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	if err := p.client.rules.url(u); err != nil {
		p.refuse(w, u, err)
		return
	}
	port, _ := portOf(u) // the rules have checked it
	server, err := p.dial(r.Context(), "tcp", place(hostOf(u), port))
	if err != nil {
		p.refuse(w, u, err)
		return
	}
	defer server.Close()
	browser, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer browser.Close()
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return
	}
	p.tunnels.Add(1)
	p.mu.Unlock()
	defer p.tunnels.Done()
	stop := context.AfterFunc(p.ctx, func() {
		server.Close()
		browser.Close()
	})
	defer stop()
	if _, err := io.WriteString(browser, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		return
	}
	var both sync.WaitGroup
	both.Go(func() {
		io.Copy(server, buffered.Reader)
		server.Close()
	})
	both.Go(func() {
		io.Copy(browser, server)
		browser.Close()
	})
	both.Wait()
}
