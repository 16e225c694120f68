package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
)

// A conn is a connection of HTTP/1.1 with a session. It does as little work as possible, since client
// and server share the processors.
type conn struct {
	addr, path string
	net.Conn
	in      *bufio.Reader
	body    []byte // of the last answer
	session string
}

func dial(addr, path string) (*conn, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &conn{addr: addr, path: path, Conn: c, in: bufio.NewReaderSize(c, 64<<10)}, nil
}

// request returns the bytes of a request of the session.
func (c *conn) request(body string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "POST %s HTTP/1.1\r\nHost: %s\r\nAccept: application/json, text/event-stream\r\n", c.path, c.addr)
	if c.session != "" {
		fmt.Fprintf(&b, "Mcp-Session-Id: %s\r\nMcp-Protocol-Version: %s\r\n", c.session, httpVersion)
	}
	fmt.Fprintf(&b, "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	return b.Bytes()
}

const httpVersion = "2025-11-25"

// begin starts a session.
func (c *conn) begin() error {
	_, err := c.Write(c.request(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + httpVersion +
		`","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`))
	if err != nil {
		return err
	}
	if _, err := c.receive(); err != nil {
		return err
	}
	_, err = c.ask(c.request(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	return err
}

// ask sends a request and returns the body of its answer, which is valid until the next call.
func (c *conn) ask(request []byte) ([]byte, error) {
	if _, err := c.Write(request); err != nil {
		return nil, err
	}
	return c.receive()
}

// head reads the head of an answer. length is its Content-Length, or -1.
func (c *conn) head() (length int, chunked bool, err error) {
	length = -1
	for first := true; ; first = false {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return 0, false, fmt.Errorf("the server has ended the connection: %w", err)
		}
		line = bytes.TrimRight(line, "\r\n")
		switch {
		case first:
			if len(line) < 12 || line[9] != '2' {
				return 0, false, fmt.Errorf("the server answers %q", line)
			}
			continue
		case len(line) == 0:
			return length, chunked, nil
		}
		// The server writes canonical names.
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(value)); err != nil {
				return 0, false, err
			}
		} else if value, ok := bytes.CutPrefix(line, []byte("Mcp-Session-Id: ")); ok && c.session == "" {
			c.session = string(value)
		} else if bytes.Equal(line, []byte("Transfer-Encoding: chunked")) {
			chunked = true
		}
	}
}

func (c *conn) receive() ([]byte, error) {
	length, chunked, err := c.head()
	if err != nil {
		return nil, err
	}
	c.body = c.body[:0]
	if !chunked {
		return c.body, c.read(max(0, length))
	}
	for {
		size, err := c.chunk()
		if err != nil || size == 0 {
			return c.body, err
		}
	}
}

// chunk appends a chunk to the body, and returns its size.
func (c *conn) chunk() (int, error) {
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	size, err := strconv.ParseUint(string(bytes.TrimRight(line, "\r\n")), 16, 32)
	if err != nil {
		return 0, err
	}
	if err := c.read(int(size)); err != nil {
		return 0, err
	}
	_, err = c.in.Discard(2)
	return int(size), err
}

// read appends n bytes to the body.
func (c *conn) read(n int) error {
	start := len(c.body)
	c.body = slices.Grow(c.body, n)[:start+n]
	_, err := io.ReadFull(c.in, c.body[start:])
	return err
}
