package httpserver

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
)

// A listener accepts a limited number of connections at a time, so that the server can still open files. Beyond the limit, a
// connection takes the place of one of the address that has most. If it is of that address itself, it is answered with 503 and closed.
type listener struct {
	net.Listener
	most   int
	secure bool // TLS: a refusal cannot be written in plain text
	logger *slog.Logger
	lines  rate.Sometimes

	mu    sync.Mutex                    // guards the fields below
	count int                           // of connections
	open  map[string]map[*conn]struct{} // by address, see [hosts.AddrKey]
}

func newListener(l net.Listener, o Options) *listener {
	return &listener{
		Listener: l, most: cmp.Or(o.MaxConnections, DefaultConnections()), secure: o.CertFile != "", logger: o.Logger,
		lines: rate.Sometimes{Interval: time.Minute}, open: make(map[string]map[*conn]struct{}),
	}
}

// ManyConnections is enough for the streams that a server has, and for other requests.
const ManyConnections = 16_384

// DefaultConnections returns the maximum number of connections if no option sets it: 16,384, but at
// most three quarters of the files that the process may open, so that the project can be read.
func DefaultConnections() int { return max(1, min(ManyConnections, openFiles()/4*3)) }

func (l *listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		tcp, ok := accepted.(*net.TCPConn)
		if err != nil || !ok {
			return accepted, err
		}
		c := &conn{TCPConn: tcp, listener: l, from: hosts.AddrKey(tcp.RemoteAddr().(*net.TCPAddr).AddrPort().Addr().Unmap())}
		ended, ok := l.add(c)
		if ended != nil {
			ended.TCPConn.Close()
		}
		if ok {
			return c, nil
		}
		l.refuse(tcp)
	}
}

// add counts a connection, unless there are too many. ended is the connection whose place it takes, if any.
func (l *listener) add(c *conn) (ended *conn, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.count >= l.most {
		heaviest := c.from
		for from, of := range l.open {
			if len(of) > len(l.open[heaviest]) {
				heaviest = from
			}
		}
		if len(l.open[heaviest]) <= len(l.open[c.from])+1 {
			return nil, false
		}
		for ended = range l.open[heaviest] {
			break
		}
		l.remove(ended)
	}
	if l.open[c.from] == nil {
		l.open[c.from] = make(map[*conn]struct{})
	}
	l.open[c.from][c] = struct{}{}
	l.count++
	return ended, true
}

// remove forgets a connection. l.mu is held.
func (l *listener) remove(c *conn) {
	if _, ok := l.open[c.from][c]; !ok {
		return
	}
	delete(l.open[c.from], c)
	l.count--
	if len(l.open[c.from]) == 0 {
		delete(l.open, c.from)
	}
}

// refuse closes a connection. The system's buffer holds the answer, so writing it does not wait.
func (l *listener) refuse(c *net.TCPConn) {
	l.lines.Do(func() { l.logger.Warn("there are too many connections; more are refused", "most", l.most) })
	if !l.secure {
		_ = c.SetWriteDeadline(time.Now().Add(time.Second))
		_, _ = io.WriteString(c, "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 10\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
		_ = c.CloseWrite()
	}
	c.Close()
}

// A conn is a connection that its listener counts until it is closed.
type conn struct {
	*net.TCPConn
	listener *listener
	from     string
}

func (c *conn) Close() error {
	c.listener.mu.Lock()
	c.listener.remove(c)
	c.listener.mu.Unlock()
	return c.TCPConn.Close()
}

// A certificate is the certificate of a server with TLS and its key, in two files.
//
// The files are read again when one of them changes. A pair that cannot be read, does not match
// or has expired is refused: at the start with an error, later with a line in the log, and the old
// pair stays in use. Open connections keep their certificate.
type certificate struct {
	certFile, keyFile string
	files             *auth.FileGroup
	log               *slog.Logger
	current           atomic.Pointer[tls.Certificate]
}

// loadCertificate reads the two PEM files. Both names are required.
func loadCertificate(certFile, keyFile string, log *slog.Logger) (*certificate, error) {
	if certFile == "" || keyFile == "" {
		return nil, fmt.Errorf("TLS needs a certificate and its key: give --tls-cert and --tls-key together, each with a file")
	}
	c := &certificate{certFile: certFile, keyFile: keyFile, files: auth.FollowFile(certFile, keyFile), log: log}
	pair, err := c.read()
	if err != nil {
		return nil, err
	}
	c.current.Store(pair)
	return c, nil
}

// config returns settings for a server that uses the pair, with TLS 1.2 or later.
func (c *certificate) config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current.Load(), nil }}
}

// run follows the files until ctx ends.
func (c *certificate) run(ctx context.Context) {
	c.files.Run(ctx, func() {
		pair, err := c.read()
		if err != nil {
			c.log.Error("the changed TLS certificate is refused; the old one stays in use", "error", err)
			return
		}
		c.current.Store(pair)
		c.log.Info("the TLS certificate was read again", "file", c.certFile, "expires", pair.Leaf.NotAfter.UTC().Format(time.RFC3339))
	})
}

func (c *certificate) read() (*tls.Certificate, error) {
	// everybody may read a certificate
	cert, err := auth.ReadFile(c.certFile, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, fmt.Errorf("TLS certificate %w", err)
	}
	key, err := auth.ReadFile(c.keyFile, c.log)
	if err != nil {
		return nil, fmt.Errorf("TLS key %w", err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("TLS certificate %q with key %q: they must be a certificate and its key in the form PEM: %s", c.certFile, c.keyFile, strings.TrimPrefix(err.Error(), "tls: "))
	}
	if end := pair.Leaf.NotAfter; time.Now().After(end) {
		return nil, fmt.Errorf("TLS certificate %q expired on %s", c.certFile, end.UTC().Format(time.RFC3339))
	}
	return &pair, nil
}
