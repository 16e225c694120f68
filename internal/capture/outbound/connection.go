package outbound

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"time"
)

// A connection leads to the server of one origin. One request at a time is on it, and nothing reads
// from it while it is idle.
type connection struct {
	net.Conn          // TLS, or raw
	raw      net.Conn // what was dialed
	origin   string
	made     time.Time
	used     bool // it had a request before this one
	header   int  // how many bytes the header of the answer may still have
	reader   *bufio.Reader
	writer   *bufio.Writer
	closing  *time.Timer // while it is idle
}

// errStale reports that a server closed a kept connection before it began to answer. Servers do so
// when they want no more requests on it, which may cross the next one.
var errStale = errors.New("the server closed the connection before it answered")

var errHeader = errors.New("the header of the answer exceeded 256 KiB")

// longAgo is a deadline that is over.
var longAgo = time.Unix(1, 0)

// connect makes a connection for an origin.
func (c *Client) connect(ctx context.Context, origin, scheme, host string, port uint16) (*connection, error) {
	raw, err := c.connections.dial(ctx, "tcp", place(host, port))
	if err != nil {
		return nil, err
	}
	conn := &connection{Conn: raw, raw: raw, origin: origin, made: time.Now()}
	if scheme == "https" {
		if conn.Conn, err = c.handshake(ctx, raw, host); err != nil {
			raw.Close()
			return nil, err
		}
	}
	conn.reader, conn.writer = bufio.NewReader(headerBound{conn}), bufio.NewWriter(conn.Conn)
	return conn, nil
}

// handshake begins TLS. Only HTTP/1.1 is offered: see the package comment.
func (c *Client) handshake(ctx context.Context, raw net.Conn, host string) (net.Conn, error) {
	config := c.connections.tls.Clone() // nil: a new one
	if config == nil {
		config = new(tls.Config)
	}
	config.ServerName = cmp.Or(config.ServerName, host)
	config.NextProtos = []string{"http/1.1"}
	conn := tls.Client(raw, config)
	slow := fmt.Errorf("no TLS handshake within %v", dialTimeout)
	bounded, cancel := context.WithTimeoutCause(ctx, dialTimeout, slow)
	defer cancel()
	if err := conn.HandshakeContext(bounded); err != nil {
		if bounded.Err() != nil {
			return nil, context.Cause(bounded)
		}
		if record, ok := errors.AsType[tls.RecordHeaderError](err); ok && string(record.RecordHeader[:]) == "HTTP/" {
			return nil, errors.New("the server answers https without TLS: ask for http")
		}
		return nil, err
	}
	return conn, nil
}

// headerBound reads from a connection until the header of an answer has become too large.
type headerBound struct{ c *connection }

func (b headerBound) Read(p []byte) (int, error) {
	if b.c.header <= 0 {
		return 0, errHeader
	}
	n, err := b.c.Conn.Read(p[:min(len(p), b.c.header)])
	b.c.header -= n
	return n, err
}

// exchange sends a request, and reads the header of its answer. It calls sent when the request was
// sent, or may have been in part.
func (c *connection) exchange(req *http.Request, sent func()) (*http.Response, error) {
	c.header = maxHeaders
	c.writer.Reset(c.Conn)
	err := req.Write(c.writer)
	if err == nil {
		err = c.writer.Flush()
	}
	sent()
	if err == nil {
		_, err = c.reader.Peek(1)
	}
	if err != nil {
		if c.used && req.Context().Err() == nil {
			return nil, errStale
		}
		if err == io.EOF {
			err = fmt.Errorf("the server closed the connection before it answered: %w", err)
		}
		return nil, err
	}
	for {
		res, err := http.ReadResponse(c.reader, req)
		if err != nil && c.header <= 0 {
			err = errHeader // and not what its last line looks like
		}
		if err != nil {
			return nil, err
		}
		if early := res.StatusCode/100 == 1 && res.StatusCode != http.StatusSwitchingProtocols; !early {
			c.header = math.MaxInt
			return res, nil
		}
	}
}

// ended reports whether an answer was read to its end, so that another one may follow. What is left
// of it is read if it is here already.
func (c *connection) ended(res *http.Response, body *countedBody) bool {
	if res.Close || res.StatusCode < http.StatusOK || res.Proto != "HTTP/1.1" {
		return false
	}
	if left := res.ContentLength - body.count; !body.eof && res.ContentLength >= 0 && left <= int64(c.reader.Buffered()) {
		_, err := io.CopyN(io.Discard, res.Body, left)
		body.eof = err == nil
	}
	return body.eof && c.reader.Buffered() == 0
}

// quiet reports whether the server has sent nothing since its answer, and has not closed the
// connection.
func (c *connection) quiet() bool {
	_ = c.Conn.SetReadDeadline(longAgo)
	_, err := c.reader.Peek(1) // of what was read, and decrypted, already
	if c.Conn.SetReadDeadline(time.Time{}) != nil || !errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	return !arrived(c.raw)
}

// A countedBody knows how much of an answer was read.
type countedBody struct {
	io.Reader
	count int64
	eof   bool
}

func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.count += int64(n)
	b.eof = b.eof || err == io.EOF
	return n, err
}
