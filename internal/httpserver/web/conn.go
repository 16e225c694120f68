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

// A listener accepts connections, up to some number at a time. Others are answered 503 and closed, so
// that they leave the server files to open.
type listener struct {
	net.Listener
	most   int64
	secure bool // what is written has to be encrypted
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

// ManyConnections are enough for the streams that a server has, and for requests beside them.
const ManyConnections = 16_384

// DefaultConnections is how many connections a server has at most, unless an option says otherwise:
// 16,384, but no more than three quarters of the files that the process may open, so that the
// project can be read.
func DefaultConnections() int { return max(1, min(ManyConnections, openFiles()/4*3)) }

func (l *listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		tcp, ok := accepted.(*net.TCPConn)
		if err != nil || !ok {
			return accepted, err
		}
		if l.open.Add(1) <= l.most {
			return &conn{TCPConn: tcp, of: l}, nil
		}
		l.open.Add(-1)
		l.refuse(tcp)
	}
}

// refuse closes a connection. What it writes has room in the system's buffer.
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

// A conn is a connection that counts among those of its listener until it is closed.
type conn struct {
	*net.TCPConn
	of     *listener
	closed atomic.Bool
}

func (c *conn) Close() error {
	if !c.closed.Swap(true) {
		c.of.open.Add(-1)
	}
	return c.TCPConn.Close()
}
