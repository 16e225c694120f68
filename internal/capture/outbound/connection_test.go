package outbound

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// listen starts a listener, with TLS or without, and returns the roots that know it.
func listen(t *testing.T, secure bool) (net.Listener, *x509.CertPool) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	if !secure {
		return l, nil
	}
	known := httptest.NewUnstartedServer(nil)
	known.StartTLS()
	defer known.Close()
	return tls.NewListener(l, &tls.Config{Certificates: known.TLS.Certificates}), rootsOf(known)
}

func rootsOf(server *httptest.Server) *x509.CertPool {
	return server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
}

func TestAConnectionIsKept(t *testing.T) {
	for _, secure := range []bool{false, true} {
		t.Run(fmt.Sprint("TLS ", secure), func(t *testing.T) {
			var mu sync.Mutex
			var from []string // the address of the client, of each request
			handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				from = append(from, r.RemoteAddr)
				mu.Unlock()
				if closing := r.Header.Get("Connection") == "close"; r.ProtoMajor != 1 || closing != (r.Header.Get("Authorization") != "") {
					t.Errorf("%s %s: Connection: %q", r.Proto, r.URL, r.Header["Connection"])
				}
				switch r.URL.Path {
				case "/chunks":
					io.WriteString(w, "one")
					w.(http.Flusher).Flush()
					io.WriteString(w, "two")
				case "/zip":
					w.Header().Set("Content-Encoding", "deflate")
					w.Write(compressed(t, "flate", strings.Repeat("text", 10_000)))
				case "/moved":
					http.Redirect(w, r, "/there", http.StatusFound)
				case "/missing":
					http.NotFound(w, r)
				case "/large":
					fmt.Fprint(w, strings.Repeat("large", 100_000))
				case "/same":
					w.WriteHeader(http.StatusNotModified)
				}
			})
			server := httptest.NewUnstartedServer(handler)
			c := newClient(t)
			if secure {
				server.EnableHTTP2 = true // which is not offered
				server.StartTLS()
				c.connections.tls = &tls.Config{RootCAs: rootsOf(server)}
			} else {
				server.Start()
			}
			defer server.Close()
			at, err := url.Parse(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			connections := func() int {
				mu.Lock()
				defer mu.Unlock()
				seen := slices.Clone(from)
				slices.Sort(seen)
				return len(slices.Compact(seen))
			}
			for _, path := range []string{"/", "/chunks", "/zip", "/large", "/moved", "/missing", "/same", "/"} {
				_, err := get(t, c, at, path)
				if _, ok := errors.AsType[*StatusError](err); err != nil && !ok {
					t.Errorf("%s: %v", path, err)
				}
				if n := connections(); n != 1 {
					t.Fatalf("%s: %d connections", path, n)
				}
			}
			// Requests with headers of a caller have their own, and leave the one that is there.
			for range 2 {
				if _, err := c.Get(t.Context(), Request{URL: at, Header: http.Header{"Authorization": {"Negotiate x"}}}); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := get(t, c, at, "/"); err != nil || connections() != 3 {
				t.Errorf("%d connections, want one for each request with headers: %v", connections(), err)
			}
			// What was not read to its end is no beginning of another answer.
			if _, err := c.Get(t.Context(), Request{URL: at.JoinPath("large"), MaxBytes: 10}); err == nil {
				t.Error("a large page was read")
			}
			if _, err := get(t, c, at, "/"); err != nil || connections() != 4 {
				t.Errorf("%d connections after an answer that was not read whole: %v", connections(), err)
			}
			// Another origin, be it of the same server, has its own.
			if other := *at; !secure {
				other.Host = "localhost:" + at.Port()
				if _, err := get(t, c, &other, "/"); err != nil || connections() != 5 {
					t.Errorf("%d connections, want one for another host: %v", connections(), err)
				}
			}
		})
	}
}

// TestNothingBehindAnAnswer has servers that go on after an answer, with what looks like the next one.
func TestNothingBehindAnAnswer(t *testing.T) {
	const forged = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"
	for name, s := range map[string]struct {
		answer, later string
	}{
		"a length":                  {"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood" + forged, ""},
		"later":                     {"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood", forged},
		"one byte":                  {"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood", "\n"},
		"chunks":                    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ngood\r\n0\r\n\r\n" + forged, ""},
		"two framings":              {"HTTP/1.1 200 OK\r\nContent-Length: 60\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ngood\r\n0\r\n\r\n" + forged, ""},
		"more than a buffer":        {"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood" + strings.Repeat(forged, 500), ""},
		"no body":                   {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" + forged, ""},
		"a status without body":     {"HTTP/1.1 304 Not Modified\r\nContent-Length: 49\r\n\r\n" + forged, ""},
		"a status that is not read": {"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngood" + forged, ""},
		"an earlier one":            {"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood" + forged, ""},
	} {
		for _, secure := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", TLS ", secure), func(t *testing.T) {
				c := newClient(t)
				listener, roots := listen(t, secure)
				c.connections.tls = &tls.Config{RootCAs: roots}
				wrote, later := make(chan struct{}), make(chan struct{})
				go func() {
					for first := true; ; first = false {
						conn, err := listener.Accept()
						if err != nil {
							return
						}
						r := bufio.NewReader(conn)
						if _, err := http.ReadRequest(r); err != nil {
							t.Error(err)
						}
						if first {
							defer conn.Close()
							io.WriteString(conn, s.answer)
							<-later
							io.WriteString(conn, s.later)
							close(wrote)
							continue
						}
						io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext")
						conn.Close()
					}
				}()
				at := &url.URL{Scheme: "http", Host: listener.Addr().String(), Path: "/"}
				if secure {
					at.Scheme = "https"
				}
				if res, err := get(t, c, at, "/"); err == nil && strings.Contains(string(res.Body), "forged") {
					t.Errorf("the page is %q", res.Body)
				}
				close(later)
				<-wrote
				if res, err := get(t, c, at, "/next"); err != nil || string(res.Body) != "next" {
					t.Errorf("the next page is %v, %v", res, err)
				}
			})
		}
	}
}

// A pipes counts the connections of a client that talks to answer. It is for a bubble of synctest.
type pipes struct{ made, open, most atomic.Int32 }

func (p *pipes) dial(answer func(number int32, conn net.Conn)) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		number := p.made.Add(1)
		p.most.Store(max(p.most.Load(), p.open.Add(1)))
		go answer(number, far)
		return &countedPipe{near, sync.OnceFunc(func() { p.open.Add(-1) })}, nil
	}
}

type countedPipe struct {
	net.Conn
	closed func()
}

func (c *countedPipe) Close() error {
	c.closed()
	return c.Conn.Close()
}

// serve answers requests until the connection ends.
func serve(conn net.Conn, each func(*http.Request)) {
	defer conn.Close()
	for r := bufio.NewReader(conn); ; {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		each(req)
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood")
	}
}

func TestIdleConnectionsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, func(o *Options) { o.Connections = 5 })
		var p pipes
		c.connections.dial = p.dial(func(_ int32, conn net.Conn) { serve(conn, func(*http.Request) {}) })
		ask := func(host string) {
			t.Helper()
			if _, err := c.Get(t.Context(), Request{URL: &url.URL{Scheme: "http", Host: host, Path: "/"}}); err != nil {
				t.Error(err)
			}
		}
		ask("a.example")
		time.Sleep(idleTime - time.Millisecond)
		if ask("a.example"); p.made.Load() != 1 {
			t.Errorf("%d connections", p.made.Load())
		}
		time.Sleep(idleTime)
		synctest.Wait()
		if p.open.Load() != 0 || c.connections.open != 0 {
			t.Errorf("%d are open after %v", p.open.Load(), idleTime)
		}
		if ask("a.example"); p.made.Load() != 2 {
			t.Errorf("%d connections", p.made.Load())
		}
		// One that is always in use is made again, so that a name may lead elsewhere.
		begin := time.Now()
		for p.made.Load() == 2 {
			ask("a.example")
			time.Sleep(time.Second)
		}
		if age := time.Since(begin); age < maxAge || age > maxAge+2*time.Second {
			t.Errorf("requests began on a connection for %v", age)
		}
		// All hosts share them.
		var wg sync.WaitGroup
		for i := range 40 {
			wg.Go(func() {
				for range 3 {
					ask(fmt.Sprintf("host%d.example", i))
				}
			})
		}
		wg.Wait()
		if p.most.Load() > 5 {
			t.Errorf("%d connections at a time", p.most.Load())
		}
		time.Sleep(idleTime)
		synctest.Wait()
		if p.open.Load() != 0 || c.connections.open != 0 || len(c.connections.idle) != 0 {
			t.Errorf("%d are open", p.open.Load())
		}
	})
}

// TestARepeatedRequestWaits has a host that closes a kept connection when it has the next request:
// it sees that one twice, but not at once.
func TestARepeatedRequestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, func(o *Options) { o.Every = 2 * time.Second; o.Allow = nil })
		var seen []time.Time
		var paths []string
		c.connections.dial = new(pipes).dial(func(number int32, conn net.Conn) {
			serve(conn, func(r *http.Request) {
				seen, paths = append(seen, time.Now()), append(paths, r.URL.Path)
				if number == 1 && r.URL.Path == "/2" || r.URL.Path == "/4" {
					conn.Close()
				}
			})
		})
		for i := range 4 {
			_, err := c.Get(t.Context(), Request{URL: &url.URL{Scheme: "http", Host: "host.example", Path: fmt.Sprint("/", i+1)}})
			if (err != nil) != (i == 3) {
				t.Errorf("request %d: %v", i+1, err)
			}
		}
		if want := "[/1 /2 /2 /3 /4 /4]"; fmt.Sprint(paths) != want {
			t.Errorf("the host saw %v, want %s", paths, want)
		}
		for i := 1; i < len(seen); i++ {
			if gap := seen[i].Sub(seen[i-1]); gap < 2*time.Second {
				t.Errorf("the host saw %v between the requests %d and %d", gap, i, i+1)
			}
		}
	})
}
