package webclient

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// TestMain sets a proxy in the environment, which no request may use.
func TestMain(m *testing.M) {
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY"} {
		if err := os.Setenv(name, "http://127.0.0.1:1"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// A protocol is the version of HTTP that a test uses.
type protocol struct {
	name string
	tls  bool
	http int
}

var protocols = []protocol{{"HTTP/1", false, 1}, {"HTTP/1 over TLS", true, 1}, {"HTTP/2", true, 2}}

// startBy is like start, and checks the protocol of each request.
func startBy(t *testing.T, p protocol, h http.HandlerFunc, change ...func(*Options)) (*Client, *url.URL) {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		must.Equal(t, p.http, r.ProtoMajor, r.URL)
		h(w, r)
	}))
	t.Cleanup(server.Close)
	c := newClient(t, change...)
	if server.EnableHTTP2 = p.http == 2; p.tls {
		server.StartTLS()
		c.transports.tls = &tls.Config{RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
	} else {
		server.Start()
	}
	base := must.Get(url.Parse(server.URL))(t)
	return c, base
}

// often lets a client send requests without a pause.
func often(o *Options) { o.Every = time.Nanosecond }

// A visitors counts the connections on which requests came.
type visitors struct {
	mu   sync.Mutex // guards from
	from map[string]int
}

func (v *visitors) count(r *http.Request) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.from == nil {
		v.from = make(map[string]int)
	}
	v.from[r.RemoteAddr]++
}

func (v *visitors) connections() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.from)
}

func TestAConnectionIsKept(t *testing.T) {
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			var v visitors
			c, base := startBy(t, p, func(w http.ResponseWriter, r *http.Request) {
				v.count(r)
				switch r.URL.Path {
				case "/zip":
					w.Header().Set("Content-Encoding", "gzip")
					w.Write(compressed(t, strings.Repeat("text", 10_000)))
				case "/moved":
					http.Redirect(w, r, "/there", http.StatusFound)
				case "/missing":
					http.NotFound(w, r)
				case "/large":
					fmt.Fprint(w, strings.Repeat("large", 100_000))
				}
			})
			for _, path := range []string{"/", "/zip", "/large", "/moved", "/missing", "/"} {
				_, err := get(t, c, base, path)
				if _, ok := errors.AsType[*StatusError](err); err != nil && !ok {
					t.Errorf("%s: %v", path, err)
				}
				if n := v.connections(); n != 1 {
					t.Fatalf("%s: %d connections", path, n)
				}
			}
			// The unread rest of an answer does not become the beginning of another answer.
			if _, err := c.Get(t.Context(), Request{URL: base.JoinPath("large"), MaxBytes: 10}); err == nil {
				t.Error("a large page was read")
			}
			want := 3 - p.http // HTTP/2 keeps the connection
			if _, err := get(t, c, base, "/"); err != nil || v.connections() != want {
				t.Errorf("%d connections after an answer that was not read whole, want %d: %v", v.connections(), want, err)
			}
			// Another origin has its own connection, even on the same server.
			if other := *base; !p.tls {
				other.Host = "localhost:" + base.Port()
				if _, err := get(t, c, &other, "/"); err != nil || v.connections() != want+1 {
					t.Errorf("%d connections, want one for another host: %v", v.connections(), err)
				}
			}
		})
	}
}

// TestCredentialsHaveAConnectionOfTheirOwn sends requests with headers of callers and anonymous
// requests at the same time.
func TestCredentialsHaveAConnectionOfTheirOwn(t *testing.T) {
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			var anonymous, known visitors
			c, base := startBy(t, p, func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") == "" {
					anonymous.count(r)
				} else {
					known.count(r)
				}
				time.Sleep(time.Millisecond)
				fmt.Fprint(w, r.Header.Get("Authorization"))
			})
			must.Get(get(t, c, base, "/"))(t)
			const callers, each = 8, 5
			var all sync.WaitGroup
			for i := range callers {
				all.Go(func() {
					for n := range each {
						header := http.Header{"Authorization": {fmt.Sprint(i, n)}}
						if n == 0 {
							header = nil
						}
						res, err := c.Get(t.Context(), Request{URL: base, Header: header, Caller: fmt.Sprint("caller ", i)})
						if err != nil || string(res.Body) != header.Get("Authorization") {
							t.Errorf("%+v, %v", res, err)
						}
					}
				})
			}
			all.Wait()
			for address, n := range known.from {
				if n > 1 || anonymous.from[address] > 0 {
					t.Errorf("a connection had %d requests with credentials, and %d without", n, anonymous.from[address])
				}
			}
			must.Equal(t, callers*(each-1), known.connections(), "connections with credentials")
		})
	}
}

// TestBodiesThatNobodyReads has redirects and errors with endless bodies.
func TestBodiesThatNobodyReads(t *testing.T) {
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			c, base := startBy(t, p, func(w http.ResponseWriter, r *http.Request) {
				pace := time.Duration(0)
				switch r.URL.Path {
				case "/flood":
					w.Header().Set("Location", "/drip")
					w.WriteHeader(http.StatusFound)
				case "/drip":
					pace = 10 * time.Millisecond
					w.Header().Set("Location", "/silent")
					w.WriteHeader(http.StatusFound)
				case "/silent":
					pace = time.Hour
					w.Header().Set("Location", "/end")
					w.WriteHeader(http.StatusFound)
				case "/missing":
					pace = 10 * time.Millisecond
					w.WriteHeader(http.StatusNotFound)
				default:
					fmt.Fprint(w, "end")
					return
				}
				for r.Context().Err() == nil {
					io.WriteString(w, "a drop, ")
					w.(http.Flusher).Flush()
					select {
					case <-r.Context().Done():
					case <-time.After(pace):
					}
				}
			})
			begin := time.Now()
			must.Equal(t, "end", string(must.Get(get(t, c, base, "/flood"))(t).Body))
			if took := time.Since(begin); took > 10*time.Second {
				t.Errorf("the redirects took %v", took)
			}
			_, err := c.Get(t.Context(), Request{URL: base.JoinPath("missing"), Timeout: drainTime - 10*time.Millisecond})
			if status, ok := errors.AsType[*StatusError](err); !ok || status.Status != http.StatusNotFound {
				t.Errorf("a missing page whose body does not end: %v", err)
			}
		})
	}
}

// A server that sends more than its answer, with credentials and without, writes nothing to the
// standard logger.
func TestUnsolicitedBytesAreNotLogged(t *testing.T) {
	var logged must.Output
	before := log.Writer()
	t.Cleanup(func() { log.SetOutput(before) })
	log.SetOutput(&logged)
	c := newClient(t, often)
	closed := make(chan struct{}, 2)
	var p pipes
	c.transports.dial = p.dial(func(_ int32, conn net.Conn) {
		defer func() { closed <- struct{}{} }()
		defer conn.Close()
		if _, err := http.ReadRequest(bufio.NewReader(conn)); err != nil {
			t.Error(err)
		}
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngoodHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged")
		io.Copy(io.Discard, conn)
	})
	u := &url.URL{Scheme: "http", Host: "host.example", Path: "/"}
	for _, header := range []http.Header{nil, {"Authorization": {"x"}}} {
		must.Equal(t, "good", string(must.Get(c.Get(t.Context(), Request{URL: u, Header: header}))(t).Body))
		<-closed
	}
	log.Print("a line of this process")
	if text := logged.String(); strings.Contains(text, "forged") || strings.Count(text, "\n") != 1 || !strings.Contains(text, "a line of this process") {
		t.Errorf("logged: %q", text)
	}
}

// resolve makes answer the DNS server for the rest of a test.
func resolve(t *testing.T, answer func(name string) netip.Addr) {
	t.Helper()
	before := net.DefaultResolver
	t.Cleanup(func() { net.DefaultResolver = before })
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe() // the resolver uses the framing of TCP on it
		go func() {
			defer far.Close()
			for {
				var size [2]byte
				if _, err := io.ReadFull(far, size[:]); err != nil {
					return
				}
				packed := make([]byte, binary.BigEndian.Uint16(size[:]))
				var m dnsmessage.Message
				if _, err := io.ReadFull(far, packed); err != nil || m.Unpack(packed) != nil {
					t.Errorf("no question: %v", err)
					return
				}
				m.Header.Response = true
				m.Additionals = nil
				if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
					m.Answers = []dnsmessage.Resource{{
						Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
						Body:   &dnsmessage.AResource{A: answer(q.Name.String()).As4()},
					}}
				}
				packed, err := m.Pack()
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := far.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(packed))), packed...)); err != nil {
					return
				}
			}
		}()
		return near, nil
	}}
}

// TestDNSRebinding has a name that resolves to a public address when it is checked, and to this
// computer when the connection is made.
func TestDNSRebinding(t *testing.T) {
	var lookups atomic.Int32
	resolve(t, func(string) netip.Addr {
		if lookups.Add(1) == 1 {
			return netip.MustParseAddr("93.184.215.14")
		}
		return netip.MustParseAddr("127.0.0.1")
	})
	for _, p := range protocols {
		lookups.Store(0)
		c, base := startBy(t, p, func(http.ResponseWriter, *http.Request) { t.Error("this computer was asked") },
			func(o *Options) { o.Allow = []Rule{mustRule(t, "8.8.8.8:*")} }, often) // opens all ports
		base.Host = "example.com:" + base.Port()
		if p.http == 1 {
			if err := c.Vet(t.Context(), &url.URL{Scheme: "http", Host: "example.com"}); err != nil {
				t.Errorf("the name leads to a public address, but: %v", err)
			}
		}
		if _, err := get(t, c, base, "/"); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", p.name, err)
		}
	}
}

// TestAKeptConnectionStays has a name that later resolves to an address that is not allowed: the
// checked connection serves for a minute, and the next one is refused.
func TestAKeptConnectionStays(t *testing.T) {
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			var elsewhere atomic.Bool
			resolve(t, func(string) netip.Addr {
				if elsewhere.Load() {
					return netip.MustParseAddr("10.0.0.1")
				}
				return netip.MustParseAddr("127.0.0.1")
			})
			c, base := startBy(t, p, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Host) }, often)
			base.Host = "example.com:" + base.Port()
			for range 2 {
				must.Equal(t, base.Host, string(must.Get(get(t, c, base, "/"))(t).Body))
				elsewhere.Store(true)
			}
			c.transports.mu.Lock()
			c.transports.made = c.transports.made.Add(-maxAge)
			c.transports.mu.Unlock()
			if _, err := get(t, c, base, "/"); !errors.Is(err, ErrRefused) {
				t.Errorf("after a minute: %v", err)
			}
		})
	}
}

// A pipes counts the connections between a client and answer, in a bubble of synctest.
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
		c.transports.dial = p.dial(func(_ int32, conn net.Conn) { serve(conn, func(*http.Request) {}) })
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
		must.Equal(t, int32(0), p.open.Load(), "open connections after ", idleTime)
		if ask("a.example"); p.made.Load() != 2 {
			t.Errorf("%d connections", p.made.Load())
		}
		// A connection in constant use is replaced, so that the name is looked up again.
		begin := time.Now()
		for p.made.Load() == 2 {
			ask("a.example")
			time.Sleep(time.Second)
		}
		if age := time.Since(begin); age < maxAge/2 || age > maxAge {
			t.Errorf("requests began on a connection for %v", age)
		}
		time.Sleep(idleTime)
		synctest.Wait()
		must.Equal(t, int32(0), p.open.Load(), "open connections")
	})
}
