package webclient

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// start starts a server, and a client that may send requests to it.
func start(t *testing.T, h http.HandlerFunc, change ...func(*Options)) (*Client, *url.URL) {
	t.Helper()
	return newClient(t, change...), must.Get(url.Parse(listen(t, h).URL))(t)
}

func listen(t *testing.T, h http.HandlerFunc) *httptest.Server {
	server := must.Serve(t, h)
	return server
}

func newClient(t *testing.T, change ...func(*Options)) *Client {
	t.Helper()
	o := Options{Version: "1.2.3", IgnoreRobots: true}
	for _, s := range []string{"127.0.0.1:*", "localhost:*"} {
		rule := must.Get(ParseRule(s))(t)
		o.Allow = append(o.Allow, rule)
	}
	for _, f := range change {
		f(&o)
	}
	return New(o)
}

func withRobots(o *Options) { o.IgnoreRobots = false }

func get(t *testing.T, c *Client, u *url.URL, path string) (*Response, error) {
	t.Helper()
	page := must.Get(u.Parse(path))(t)
	return c.Get(t.Context(), Request{URL: page})
}

func TestAPageIsFetched(t *testing.T) {
	c, u := start(t, func(w http.ResponseWriter, r *http.Request) {
		must.Equal(t, "mcp-docs-server/1.2.3 (+https://github.com/mcp-docs-server/mcp-docs-server)", r.Header.Get("User-Agent"), "User-Agent")
		must.Equal(t, "", r.Header.Get("Cookie"), "Cookie")
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "1"})
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Etag", `"v1"`)
		fmt.Fprint(w, "hello")
	})
	for range 2 {
		res := must.Get(get(t, c, u, "/a#fragment"))(t)
		if string(res.Body) != "hello" || res.ContentType != "text/plain" || res.Validators != (Validators{u.String() + "/a", `"v1"`, ""}) {
			t.Errorf("%+v", res)
		}
	}
}

func TestLoopbackIsRefused(t *testing.T) {
	asked := false
	_, u := start(t, func(http.ResponseWriter, *http.Request) { asked = true })
	for _, change := range []func(*Options){
		func(o *Options) { o.Allow = nil },
		func(o *Options) { o.Allow, o.AllowPrivate = nil, true },   // the port is not one of a web server
		func(o *Options) { o.Allow = []Rule{mustRule(t, "[::]")} }, // of no use for this address
	} {
		for _, host := range []string{"127.0.0.1", "localhost"} {
			page := *u
			page.Host = net.JoinHostPort(host, u.Port())
			for _, robots := range []bool{false, true} {
				c := newClient(t, change, func(o *Options) { o.IgnoreRobots = robots })
				if _, err := get(t, c, &page, "/"); !errors.Is(err, ErrRefused) {
					t.Errorf("%s: %v", page.Host, err)
				}
			}
		}
	}
	// A host name: only its address shows that it is not public.
	page := *u
	page.Host = "localhost:" + u.Port()
	c := newClient(t, func(o *Options) { o.Allow = []Rule{mustRule(t, "10.0.0.0/8:*")} })
	if _, err := get(t, c, &page, "/"); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "is not allowed") {
		t.Errorf("a name that leads to loopback: %v", err)
	}
	if asked {
		t.Error("the server was asked")
	}
}

func mustRule(t *testing.T, s string) Rule {
	t.Helper()
	return must.Get(ParseRule(s))(t)
}

func TestRedirects(t *testing.T) {
	var c *Client
	var u *url.URL
	var seen atomic.Value
	other := listen(t, func(w http.ResponseWriter, r *http.Request) {
		seen.Store(r.Header.Get("Authorization") + r.Header.Get("X-Secret"))
		if back := r.URL.Query().Get("back"); back != "" {
			http.Redirect(w, r, back, http.StatusFound)
		}
		fmt.Fprint(w, "other")
	})
	c, u = start(t, func(w http.ResponseWriter, r *http.Request) {
		switch to := r.URL.Query().Get("to"); {
		case r.URL.Path == "/loop":
			http.SetCookie(w, &http.Cookie{Name: "wall", Value: "1"})
			http.Redirect(w, r, "/loop", http.StatusFound)
		case r.URL.Path == "/nowhere":
			w.WriteHeader(http.StatusFound)
		case r.URL.Path == "/broken":
			w.Header().Set("Location", "http://[::1")
			w.WriteHeader(http.StatusFound)
		case to != "":
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusMovedPermanently)
		default:
			seen.Store(r.Header.Get("Authorization") + r.Header.Get("X-Secret"))
			fmt.Fprint(w, "here")
		}
	})
	for path, want := range map[string]string{
		"/loop":                                "more than 10 times",
		"/nowhere":                             "without saying where",
		"/broken":                              "invalid URL",
		"/?to=file:///etc/passwd":              "scheme",
		"/?to=http://169.254.169.254/latest":   "is not allowed",
		"/?to=http://8.8.8.8:22/":              "port 22",
		"/?to=http://me:secret@127.0.0.1/":     "user name",
		"/?to=//10.0.0.1:8080/":                "is not allowed",
		"/?to=/" + strings.Repeat("a", maxURL): "at most 4096",
	} {
		if _, err := get(t, c, u, path); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	header := http.Header{"Authorization": {"a"}, "x-secret": {"b"}}
	for to, want := range map[string]string{"/done": "ab", other.URL + "/done": "", other.URL + "/?back=" + url.QueryEscape(u.String()+"/done"): ""} {
		page, _ := u.Parse("/?to=" + url.QueryEscape(to))
		res := must.Get(c.Get(t.Context(), Request{URL: page, Header: header}))(t)
		if seen.Load() != want || !strings.HasSuffix(res.URL.String(), "/done") {
			t.Errorf("to %s: %q were sent, the answer is from %s", to, seen.Load(), res.URL)
		}
	}
}

func TestConditionalRequests(t *testing.T) {
	c, u := start(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/always":
			w.WriteHeader(http.StatusNotModified)
		case r.URL.Path == "/from":
			must.Equal(t, "", r.Header.Get("If-None-Match"), "a redirect was requested with the validator of another page")
			http.Redirect(w, r, "/page", http.StatusFound)
		case r.Header.Get("If-None-Match") == `"1"` && r.Header.Get("If-Modified-Since") == "yesterday":
			w.WriteHeader(http.StatusNotModified)
		default:
			w.Header().Set("Etag", `"1"`)
			w.Header().Set("Last-Modified", "yesterday")
		}
	})
	for _, path := range []string{"/page", "/from"} {
		page, _ := u.Parse(path)
		res, err := c.Get(t.Context(), Request{URL: page})
		if err != nil || res.NotModified {
			t.Fatal(res, err)
		}
		if res, err = c.Get(t.Context(), Request{URL: page, Known: res.Validators}); err != nil || !res.NotModified {
			t.Errorf("%s: %+v, %v", path, res, err)
		}
	}
	if res, err := get(t, c, u, "/always"); err == nil {
		t.Errorf("an answer 304 to a request without condition: %+v", res)
	}
}

func compressed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	must.Get(io.WriteString(w, text))(t)
	must.Do(t, w.Close())
	return b.Bytes()
}

func TestBodies(t *testing.T) {
	text := strings.Repeat("text ", 100)
	bomb := strings.Repeat("\x00", 1<<20)
	for name, c := range map[string]struct {
		codings string
		body    []byte
		want    string // "" for text, else a part of the error
	}{
		"plain":    {"", []byte(text), ""},
		"gzip":     {"gzip", compressed(t, text), ""},
		"twice":    {"gzip, gzip", compressed(t, string(compressed(t, text))), `"gzip, gzip"`},
		"brotli":   {"br", []byte("x"), `"br"`},
		"not gzip": {"gzip", []byte(text), "not gzip"},
		"cut":      {"gzip", compressed(t, text)[:20], "cannot be read"},
		"bomb":     {"gzip", compressed(t, bomb), "more than 100000 bytes"},
		"large":    {"", []byte(bomb), "more than 100000 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			client, u := start(t, func(w http.ResponseWriter, r *http.Request) {
				if c.codings != "" {
					w.Header().Set("Content-Encoding", c.codings)
				}
				w.Write(c.body)
			}, func(o *Options) { o.MaxBytes = 100_000 })
			res, err := get(t, client, u, "/")
			if c.want == "" && (err != nil || string(res.Body) != text) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%+v, %v", res, err)
			}
		})
	}
}

// raw starts a server that writes given bytes and closes the connection, unless end is nil.
func raw(t *testing.T, answer func(w io.Writer)) *url.URL {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_, _ = conn.Read(make([]byte, 4096))
				answer(conn)
			}()
		}
	}()
	return &url.URL{Scheme: "http", Host: l.Addr().String(), Path: "/"}
}

func TestServersThatDoNotKeepToHTTP(t *testing.T) {
	c := newClient(t, func(o *Options) { o.MaxBytes = 1 << 20 })
	for name, s := range map[string]struct {
		answer func(w io.Writer)
		want   string
	}{
		"less than Content-Length": {func(w io.Writer) { io.WriteString(w, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort") }, "unexpected EOF"},
		"endless": {func(w io.Writer) {
			io.WriteString(w, "HTTP/1.1 200 OK\r\n\r\n")
			for {
				if _, err := io.WriteString(w, strings.Repeat("x", 1<<16)); err != nil {
					return
				}
			}
		}, "more than 1048576 bytes"},
		"NUL in a header": {func(w io.Writer) { io.WriteString(w, "HTTP/1.1 200 OK\r\nX: a\x00b\r\n\r\n") }, "malformed"},
		"nothing":         {func(w io.Writer) {}, "closed the connection before it answered: EOF"},
		"not HTTP":        {func(w io.Writer) { io.WriteString(w, "SSH-2.0-OpenSSH_9.2\r\n") }, "malformed"},
	} {
		t.Run(name, func(t *testing.T) {
			u := raw(t, s.answer)
			if res, err := c.Get(t.Context(), Request{URL: u}); err == nil || !strings.Contains(err.Error(), s.want) {
				t.Errorf("%+v, %v", res, err)
			}
		})
	}
	u := raw(t, func(w io.Writer) { io.WriteString(w, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabcdef") })
	must.Equal(t, "ab", string(must.Get(c.Get(t.Context(), Request{URL: u}))(t).Body), "more than Content-Length")
}

func TestTheWholeTimeIsBounded(t *testing.T) {
	stop := make(chan struct{})
	c, u := start(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/body" {
			for {
				if _, err := io.WriteString(w, "a drop, "); err != nil {
					return
				}
				w.(http.Flusher).Flush()
				select {
				case <-stop:
					return
				case <-time.After(10 * time.Millisecond):
				}
			}
		}
		<-stop
	})
	defer close(stop)
	for _, path := range []string{"/silent", "/body"} {
		page, _ := u.Parse(path)
		_, err := c.Get(t.Context(), Request{URL: page, Timeout: 100 * time.Millisecond})
		if err == nil || !strings.Contains(err.Error(), "does not answer in full within 100ms") {
			t.Errorf("%s: %v", path, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := c.Get(ctx, Request{URL: u}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "x": 0, "-1": 0, "0": 1, "120": 2 * time.Minute, " 7 ": 7 * time.Second,
		"Fri, 02 Jan 2026 03:04:15 GMT": 10 * time.Second, "Fri, 02 Jan 2026 03:04:00 GMT": 1, "99999999999999": 0,
	} {
		must.Equal(t, want, RetryAfter(value, now), value)
	}
	var asked atomic.Int32
	c, u := start(t, func(w http.ResponseWriter, r *http.Request) {
		n := asked.Add(1)
		switch {
		case r.URL.Path == "/soon" && n < 3:
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
		case r.URL.Path == "/never":
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
		case r.URL.Path == "/late":
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusTooManyRequests)
		case r.URL.Path == "/gone":
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusGone)
		}
	})
	for path, want := range map[string]struct {
		status int
		asked  int32
	}{"/soon": {0, 3}, "/never": {503, 3}, "/gone": {410, 1}} {
		asked.Store(0)
		_, err := get(t, c, u, path)
		status, _ := errors.AsType[*StatusError](err)
		if want.status == 0 && err != nil || want.status != 0 && (status == nil || status.Status != want.status) || asked.Load() != want.asked {
			t.Errorf("%s: %v after %d requests, want %+v", path, err, asked.Load(), want)
		}
	}
	if _, err := get(t, c, u, "/late"); err == nil || !strings.Contains(err.Error(), "429 Too Many Requests and asks to come back in 1h0m0s") {
		t.Errorf("late: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	asked.Store(0)
	if _, err := c.Get(ctx, Request{URL: u}); !errors.Is(err, context.DeadlineExceeded) || asked.Load() != 0 {
		t.Errorf("the host was asked %d times before it wanted to be: %v", asked.Load(), err)
	}
}

// TestRetryAfterOfRedirects has a server whose redirects all have the longest Retry-After.
func TestRetryAfterOfRedirects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		c := newClient(t)
		c.transports.dial = func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			go func() {
				defer far.Close()
				r, err := http.ReadRequest(bufio.NewReader(far))
				if err != nil {
					t.Error(err)
					return
				}
				if asked++; asked%2 == 0 {
					fmt.Fprintf(far, "HTTP/1.1 302 Found\r\nLocation: %s/x\r\nContent-Length: 0\r\n\r\n", r.URL.Path)
				} else {
					fmt.Fprint(far, "HTTP/1.1 503 Busy\r\nRetry-After: 70\r\nContent-Length: 0\r\n\r\n")
				}
			}()
			return near, nil
		}
		start := time.Now()
		_, err := c.Get(t.Context(), Request{URL: &url.URL{Scheme: "http", Host: "127.0.0.1", Path: "/"}})
		status, ok := errors.AsType[*StatusError](err)
		if waited := time.Since(start); !ok || status.Status != http.StatusServiceUnavailable || waited > maxRetryAfter || asked != 3 {
			t.Errorf("%v after %d requests in %v", err, asked, waited)
		}
	})
}

func TestRobots(t *testing.T) {
	for name, c := range map[string]struct {
		status   int
		text     string
		allowed  []string
		excluded []string
	}{
		"rules": {200, "User-agent: *\nDisallow: /\n\nUser-agent: MCP-Docs-Server\nDisallow: /private\nAllow: /private/open\nDisallow: /*?print=\n",
			[]string{"/", "/private/open", "/page"}, []string{"/private", "/private/x", "/page?print=1"}},
		"everybody": {200, "User-agent: *\nDisallow: /\n", nil, []string{"/", "/a"}},
		"of others": {200, "User-agent: other\nDisallow: /\n", []string{"/"}, nil},
		"HTML":      {200, "<html><body>not found</body></html>", []string{"/"}, nil},
		"none":      {404, "", []string{"/"}, nil},
		"forbidden": {403, "", []string{"/"}, nil},
		"broken":    {500, "", nil, []string{"/"}},
		"too many":  {429, "", nil, []string{"/"}},
		"large":     {200, "User-agent: *\nDisallow: /a\n" + strings.Repeat("# comment\n", maxRobots/5), []string{"/"}, []string{"/a"}},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			client, u := start(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/robots.txt" {
					asked.Add(1)
					w.WriteHeader(c.status)
					fmt.Fprint(w, c.text)
				}
			}, withRobots)
			for _, path := range c.allowed {
				if _, err := get(t, client, u, path); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
			for _, path := range c.excluded {
				if _, err := get(t, client, u, path); !errors.Is(err, ErrRobots) {
					t.Errorf("%s: %v", path, err)
				}
			}
			must.Equal(t, int32(1), asked.Load(), "requests for robots.txt")
		})
	}
}

// A host that is down is reported as such: its robots.txt is not the reason.
func TestAHostThatIsDown(t *testing.T) {
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	u := &url.URL{Scheme: "http", Host: listener.Addr().String()}
	listener.Close()
	if _, err := get(t, newClient(t, withRobots), u, "/a"); err == nil || !strings.HasPrefix(err.Error(), u.String()+"/a: cannot connect: ") || strings.Contains(err.Error(), "robots") {
		t.Errorf("error %v", err)
	}
}

func TestRobotsOfTheTargetOfARedirect(t *testing.T) {
	closed := listen(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "User-agent: *\nDisallow: /\n")
	})
	c, u := start(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		http.Redirect(w, r, closed.URL, http.StatusFound)
	}, withRobots)
	if _, err := get(t, c, u, "/"); !errors.Is(err, ErrRobots) {
		t.Error(err)
	}
	if _, err := get(t, newClient(t), u, "/"); err != nil {
		t.Errorf("--ignore-robots: %v", err)
	}
}

// If a request is cancelled while it fetches robots.txt, the next request fetches it.
func TestRobotsThatNobodyWaitsFor(t *testing.T) {
	arrived, answer := make(chan struct{}), make(chan struct{})
	var asked atomic.Int32
	c, u := start(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" && asked.Add(1) == 1 {
			close(arrived)
			<-answer
		}
	}, withRobots)
	defer close(answer)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	if _, err := c.Get(ctx, Request{URL: u}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := get(t, c, u, "/"); err != nil || asked.Load() != 2 {
		t.Errorf("the next request: %v; robots.txt was fetched %d times", err, asked.Load())
	}
}

func TestARedirectThatIsNotFollowed(t *testing.T) {
	c, u := start(t, func(w http.ResponseWriter, r *http.Request) {
		must.Equal(t, "/a", r.URL.Path, r.URL)
		http.Redirect(w, r, "/b#part", http.StatusFound)
	})
	if r, err := c.Get(t.Context(), Request{URL: u.JoinPath("a"), Stay: true}); err != nil || r.Redirect.Path != "/b" || r.Redirect.Fragment != "" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestSitemapsOfRobots(t *testing.T) {
	c, u := start(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "User-agent: *\nDisallow: /x\nSitemap: https://a.example/one.xml\nSITEMAP: /two.xml\n"+strings.Repeat("Sitemap: /more.xml\n", 300))
	}, withRobots)
	list, err := c.Sitemaps(t.Context(), u)
	if err != nil || len(list) != maxSitemaps || list[0] != "https://a.example/one.xml" || list[1] != "/two.xml" {
		t.Errorf("%d %v, %v", len(list), list[:min(len(list), 3)], err)
	}
}
