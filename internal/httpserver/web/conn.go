package web

import (
	"cmp"
	"io"
	"log/slog"
	"net"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// A listener accepts a limited number of connections at a time. It answers others with 503 and
// closes them, so that the server can still open files.
type listener struct {
	net.Listener
	most   int64
	secure bool // TLS: a refusal cannot be written in plain text
	logger *slog.Logger

	open  atomic.Int64
	lines rate.Sometimes
}

func newListener(l net.Listener, o Options) *listener {
	return &listener{
		Listener: l, most: int64(cmp.Or(o.MaxConnections, DefaultConnections())), secure: o.CertFile != "", logger: o.Logger,
		lines: rate.Sometimes{Interval: time.Minute},
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
		if l.open.Add(1) <= l.most {
			return &conn{TCPConn: tcp, listener: l}, nil
		}
		l.open.Add(-1)
		l.refuse(tcp)
	}
}

// refuse closes a connection. The system's buffer holds the answer, so writing it does not wait.
func (l *listener) refuse(c *net.TCPConn) {
	l.lines.Do(func() {
		l.logger.Warn("there are too many connections; more are refused", "most", l.most)
	})
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
	closed   atomic.Bool
}

func (c *conn) Close() error {
	if !c.closed.Swap(true) {
		c.listener.open.Add(-1)
	}
	return c.TCPConn.Close()
}
