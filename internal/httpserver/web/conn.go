package web

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// A listener accepts connections, up to some number at a time, that can join the pieces of an
// answer. Others are answered 503 and closed, so that they leave the server files to open.
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

// A conn is a connection that sends the head and the body of an answer in one system call.
//
// net/http has a buffer of 4 KB: of an answer that is longer, it writes what fits, and the rest
// when the handler has returned. This takes twice the time of the system, of the server and of a
// client, which is woken up for each part. Where a handler knows how long the body is, and writes
// it whole, the first part waits for the rest.
type conn struct {
	*net.TCPConn
	of     *listener
	closed atomic.Bool

	// One goroutine at a time writes to a connection of HTTP/1.
	body  int     // that the next head is of; 0: what comes is sent as it comes
	first *[]byte // the part that waits, or nil
}

// firstBytes is how long a first part may be: it is what fits net/http's buffer.
const firstBytes = 4 << 10

// firsts are for first parts, and have room for as much behind them.
var firsts = sync.Pool{New: func() any { b := make([]byte, 0, 2*firstBytes); return &b }}

// connKey is the key of a *conn in the context of its requests.
type connKey struct{}

// withConn is [http.Server.ConnContext].
func withConn(ctx context.Context, c net.Conn) context.Context {
	if c, ok := c.(*conn); ok {
		return context.WithValue(ctx, connKey{}, c)
	}
	return ctx // TLS has records of its own
}

// together announces that the body of the answer to a request has so many bytes, which the header
// Content-Length says too, and that the handler writes them at once and returns.
func together(r *http.Request, body int) {
	if c, ok := r.Context().Value(connKey{}).(*conn); ok && r.Method != http.MethodHead {
		c.body = body
	}
}

func (c *conn) Close() error {
	if !c.closed.Swap(true) {
		c.of.open.Add(-1)
	}
	return c.TCPConn.Close()
}

func (c *conn) Write(p []byte) (int, error) {
	if c.first != nil {
		return c.rest(p)
	}
	if body := c.body; body > 0 {
		c.body = 0
		head := bytes.Index(p, []byte("\r\n\r\n")) + 4
		if head >= 4 && len(p) < head+body && len(p) <= firstBytes { // the rest comes when the handler returns
			c.first = firsts.Get().(*[]byte)
			*c.first = append((*c.first)[:0], p...)
			return len(p), nil
		}
	}
	return c.TCPConn.Write(p)
}

// rest sends what waits, and p behind it.
func (c *conn) rest(p []byte) (int, error) {
	first := c.first
	c.first = nil
	defer firsts.Put(first)
	before := len(*first)
	if before+len(p) <= cap(*first) {
		n, err := c.TCPConn.Write(append(*first, p...))
		return max(0, n-before), err
	}
	n, err := (&net.Buffers{*first, p}).WriteTo(c.TCPConn)
	return max(0, int(n)-before), err
}
