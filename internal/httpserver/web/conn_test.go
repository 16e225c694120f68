package web

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// serveTogether serves bodies of the length that a path has, with a head of some length. Bodies are
// announced if join is set.
func serveTogether(t testing.TB, join bool) (addr string) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			length, _ := strconv.Atoi(r.URL.Path[1:])
			if n, _ := strconv.Atoi(r.URL.Query().Get("head")); n > 0 {
				w.Header().Set("X-Long", strings.Repeat("h", n))
			}
			w.Header().Set("Content-Length", strconv.Itoa(length))
			if join {
				together(r, length)
			}
			if r.URL.Query().Has("abort") {
				_, _ = w.Write(make([]byte, length/2))
				panic(http.ErrAbortHandler)
			}
			_, _ = w.Write(bytes.Repeat([]byte("b"), length))
		}),
		ConnContext: withConn,
	}
	go func() { _ = s.Serve(newListener(tcp, Options{Logger: slog.New(slog.DiscardHandler)})) }()
	t.Cleanup(func() { s.Close() })
	return tcp.Addr().String()
}

// Answers of all lengths are the same as without the joining, one after the other on one
// connection.
func TestTogether(t *testing.T) {
	addr := serveTogether(t, true)
	var dials atomic.Int32
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		dials.Add(1)
		return new(net.Dialer).DialContext(ctx, network, addr)
	}}}
	defer client.CloseIdleConnections()
	lengths := []int{0, 1, 100, 3900, 3990, 4000, 4090, 4095, 4096, 4097, 5000, 8000, 8191, 8192, 8193, 12_000, 64 << 10, 1 << 20}
	for n := 3800; n < 4096; n += 7 {
		lengths = append(lengths, n)
	}
	for _, head := range []int{0, 2000, 4000, 5000} {
		for _, length := range lengths {
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				request, err := http.NewRequestWithContext(t.Context(), method, "http://test/"+strconv.Itoa(length)+"?head="+strconv.Itoa(head), nil)
				if err != nil {
					t.Fatal(err)
				}
				response, err := client.Do(request)
				if err != nil {
					t.Fatalf("%s of %d, head of %d: %v", method, length, head, err)
				}
				body, err := io.ReadAll(response.Body)
				response.Body.Close()
				want := length
				if method == http.MethodHead {
					want = 0
				}
				if err != nil || len(body) != want || strings.Count(string(body), "b") != want || len(response.Header.Get("X-Long")) != head {
					t.Fatalf("%s of %d, head of %d: %d bytes, %v", method, length, head, len(body), err)
				}
			}
		}
	}
	if n := dials.Load(); n != 1 {
		t.Errorf("%d connections were used", n)
	}
}

// An answer that is aborted ends the connection, whatever waited.
func TestTogetherAborted(t *testing.T) {
	addr := serveTogether(t, true)
	for _, length := range []int{100, 5000, 9000, 100_000} {
		response, err := http.Get("http://" + addr + "/" + strconv.Itoa(length) + "?abort")
		if err != nil {
			continue
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err == nil {
			t.Errorf("an aborted answer of %d bytes ends well, with %d", length, len(body))
		}
	}
}

// More connections than there may be are refused, until one of them is closed.
func TestTooManyConnections(t *testing.T) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
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
		c, err := net.Dial("tcp", tcp.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: test\r\n\r\n")
		line, _ := bufio.NewReader(c).ReadString('\n') // a connection that is refused may be reset
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

// How long does an answer of 4.5 KB take that is sent in one piece, beside one that is sent as
// net/http does?
func BenchmarkTogether(b *testing.B) {
	for name, join := range map[string]bool{"joined": true, "plain": false} {
		b.Run(name, func(b *testing.B) {
			c, err := net.Dial("tcp", serveTogether(b, join))
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close()
			const length = 4500
			request := []byte("GET /" + strconv.Itoa(length) + " HTTP/1.1\r\nHost: test\r\n\r\n")
			buf := make([]byte, 64<<10)
			for b.Loop() {
				if _, err := c.Write(request); err != nil {
					b.Fatal(err)
				}
				for got, want := 0, 0; want == 0 || got < want; {
					n, err := c.Read(buf[got:])
					if err != nil {
						b.Fatal(err)
					}
					if got += n; want == 0 {
						want = bytes.Index(buf[:got], []byte("\r\n\r\n")) + 4 + length
					}
				}
			}
		})
	}
}
