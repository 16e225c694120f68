package web

import (
	"bytes"
	"context"
	"io"
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
	go func() { _ = s.Serve(listener{tcp}) }()
	t.Cleanup(func() { s.Close() })
	return tcp.Addr().String()
}

// Answers of all lengths are the same as without the joining, one after the other on one connection.
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
