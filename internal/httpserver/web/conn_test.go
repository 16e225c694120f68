package web

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// Connections beyond the limit are refused until one is closed.
func TestTooManyConnections(t *testing.T) {
	tcp := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	log := make(lines, 10)
	l := newListener(tcp, Options{MaxConnections: 2, Logger: slog.New(slog.NewTextHandler(log, nil))})
	closed := make(chan struct{}, 10)
	s := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), ConnState: func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			closed <- struct{}{}
		}
	}}
	go func() { _ = s.Serve(l) }()
	defer s.Close()
	get := func() (net.Conn, string) {
		t.Helper()
		c := must.Get(net.Dial("tcp", tcp.Addr().String()))(t)
		_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: test\r\n\r\n")
		line, _ := bufio.NewReader(c).ReadString('\n') // a refused connection may be reset
		return c, strings.TrimSpace(line)
	}
	first, answer := get()
	if answer != "HTTP/1.1 200 OK" {
		t.Fatal(answer)
	}
	second, answer := get()
	if answer != "HTTP/1.1 200 OK" {
		t.Fatal(answer)
	}
	defer second.Close()
	for range 3 {
		c, answer := get()
		if answer != "" && answer != "HTTP/1.1 503 Service Unavailable" {
			t.Errorf("one connection too many gets %q", answer)
		}
		c.Close()
	}
	first.Close()
	<-closed
	third, answer := get()
	defer third.Close()
	if answer != "HTTP/1.1 200 OK" {
		t.Errorf("when there is room again, a connection gets %q", answer)
	}
	if n := len(log); n != 1 {
		t.Errorf("%d lines are logged", n)
	}
}

// An address with very many connections does not keep others out.
func TestConnectionsOfOneAddress(t *testing.T) {
	tcp := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	l := newListener(tcp, Options{MaxConnections: 20, Logger: slog.New(slog.DiscardHandler)})
	s := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	go func() { _ = s.Serve(l) }()
	defer s.Close()
	get := func(from string) string {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		c, err := d.Dial("tcp", tcp.Addr().String())
		if err != nil {
			t.Skip("the system has no further address: ", err)
		}
		t.Cleanup(func() { c.Close() })
		_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: test\r\n\r\n")
		line, _ := bufio.NewReader(c).ReadString('\n')
		return strings.TrimSpace(line)
	}
	for range 50 { // idle connections
		get("127.0.0.5")
	}
	for i := range 10 {
		if answer := get("127.0.0.6"); answer != "HTTP/1.1 200 OK" {
			t.Fatalf("connection %d of another address gets %q", i, answer)
		}
	}
	if answer := get("127.0.0.6"); answer == "HTTP/1.1 200 OK" {
		t.Error("an address gets more than its share")
	}
}
