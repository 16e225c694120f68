package browser

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// A secret is a set of TCP and UDP servers on loopback that no page may reach.
type secret struct {
	tcp, udp, tcp6 string // ports

	mu   sync.Mutex // guards hits
	hits []string
}

func newSecret(t *testing.T) *secret {
	t.Helper()
	s := &secret{tcp6: "9"}
	hit := func(label string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.hits = append(s.hits, label)
	}
	listen := func(address string) string {
		l, err := net.Listen("tcp", address)
		if err != nil {
			return "9"
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				b := make([]byte, 500)
				conn.SetReadDeadline(time.Now().Add(time.Second))
				n, _ := conn.Read(b)
				hit(address + " " + string(b[:n]))
				conn.Close()
			}
		}()
		_, port, _ := net.SplitHostPort(l.Addr().String())
		return port
	}
	s.tcp, s.tcp6 = listen("127.0.0.1:0"), listen("[::1]:0")
	udp := must.Get(net.ListenPacket("udp4", "127.0.0.1:0"))(t)
	t.Cleanup(func() { udp.Close() })
	go func() {
		b := make([]byte, 500)
		for {
			n, _, err := udp.ReadFrom(b)
			if err != nil {
				return
			}
			hit(fmt.Sprintf("udp, %d bytes", n))
		}
	}()
	_, s.udp, _ = net.SplitHostPort(udp.LocalAddr().String())
	return s
}

func (s *secret) check(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, hit := range s.hits {
		t.Errorf("the page reached %s", hit)
	}
}

// strict returns a browser whose pages may load from one server only, and the URL of that server.
func strict(t *testing.T, h http.HandlerFunc) (*Browser, *url.URL) {
	t.Helper()
	needsBrowser(t)
	u := handle(t, h)
	o := testOptions(u.Host)
	o.limits.appear = time.Minute // until all attempts have failed
	b := New(o)
	t.Cleanup(func() { b.Close() })
	return b, u
}

func TestAPageReachesOnlyAllowedServers(t *testing.T) {
	s := newSecret(t)
	// attack.html tries to reach the secret servers with elements and scripts. TCP, TCP6, UDP and PROXY stand for ports.
	attacks := must.Get(os.ReadFile("testdata/attack.html"))(t)
	page := strings.NewReplacer("TCP6", s.tcp6, "TCP", s.tcp, "UDP", s.udp).Replace(string(attacks))
	b, u := strict(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, page)
		case "/to-secret":
			http.Redirect(w, r, "http://127.0.0.1:"+s.tcp+"/redirected", http.StatusFound)
		case "/worker.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprintf(w, "self.skipWaiting(); fetch('http://127.0.0.1:%s/service', {mode: 'no-cors'})", s.tcp)
		case "/metadata":
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
		case "/to-file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/script":
			fmt.Fprintf(w, "<script>location = 'http://127.0.0.1:%s/'</script>", s.tcp)
		case "/refresh":
			fmt.Fprintf(w, "<meta http-equiv=refresh content='0; url=http://[::1]:%s/'>", s.tcp6)
		case "/form":
			fmt.Fprintf(w, "<form method=post action='http://127.0.0.1:%s/'></form><script>document.forms[0].submit()</script>", s.tcp)
		case "/loop":
			http.Redirect(w, r, "/loop?"+fmt.Sprint(time.Now().UnixNano()), http.StatusFound)
		case "/scriptloop":
			fmt.Fprint(w, "<script>location = '/scriptloop?' + Math.random()</script>")
		default:
			http.NotFound(w, r)
		}
	})
	must.Get(renderBy(t, b, u, func(r *fetch.Request) { r.Actions = []fetch.Action{{Type: "scrape", Selector: "#tried"}} }))(t)
	// Navigation of the main page.
	for path, want := range map[string]error{
		"/to-secret": webclient.ErrRefused, "/metadata": webclient.ErrRefused, "/script": webclient.ErrRefused, "/refresh": webclient.ErrRefused,
		"/form": webclient.ErrRefused, "/to-file": nil, "/loop": nil, "/scriptloop": nil,
	} {
		a, err := renderBy(t, b, urlAt(u, path), func(r *fetch.Request) {
			r.Actions = []fetch.Action{{Type: "scrape", Selector: "#none"}} // it waits until the page navigates
			r.Timeout = 20 * time.Second
		})
		if err == nil {
			t.Errorf("%s: has an answer:\n%.300s", path, a.Body)
		} else if want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, text := range []string{"file:///etc/passwd", "chrome://version/", "data:text/html,a", "http://127.0.0.1:" + s.tcp + "/", "https://localhost:" + s.tcp + "/", "http://user:password@example.com/"} {
		v := must.Get(url.Parse(text))(t)
		if _, err := renderBy(t, b, v); !errors.Is(err, webclient.ErrRefused) {
			t.Errorf("%s: %v", text, err)
		}
	}
	s.check(t)
}

func TestHeadersGoToTheOriginOnly(t *testing.T) {
	var mu sync.Mutex
	got := make(map[string]string)
	note := func(where string, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		got[where+r.URL.Path] = r.Header.Get("Authorization") + "|" + r.Header.Get("User-Agent")
	}
	var origin *url.URL
	other := must.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		note("other", r)
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/hop":
			http.Redirect(w, r, origin.String()+"came", http.StatusFound)
		case "/back":
			http.Redirect(w, r, origin.String()+"returned", http.StatusFound)
		case "/frame":
			fmt.Fprintf(w, "<img src=%sfromframe>", origin)
		}
	}))
	origin = handle(t, func(w http.ResponseWriter, r *http.Request) {
		note("origin", r)
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, other.URL+"/back", http.StatusFound)
		case "/":
			fmt.Fprintf(w, "<img src=/image><img src=%[1]s/image><iframe src=%[1]s/frame></iframe><script>Promise.allSettled([fetch('/data'), fetch('%[1]s/data'), fetch('/moved'), fetch('/there')]).then(() => { document.body.id = 'done' })</script>", other.URL)
		case "/there":
			http.Redirect(w, r, other.URL+"/hop", http.StatusFound)
		case "/moved":
			http.Redirect(w, r, other.URL+"/moved", http.StatusFound)
		}
	})
	headers := func(r *fetch.Request) {
		r.Header = http.Header{"Authorization": {"Bearer secret"}, "User-Agent": {"another"}}
	}
	mustRender(t, origin, headers, func(r *fetch.Request) { r.Actions = []fetch.Action{{Type: "scrape", Selector: "#done"}} })
	mustRender(t, urlAt(origin, "/away"), headers)
	mu.Lock()
	defer mu.Unlock()
	for where, want := range map[string]bool{
		"origin/": true, "origin/image": true, "origin/data": true, "origin/moved": true, "origin/away": true, "origin/fromframe": false,
		"origin/there": true, "origin/came": false, "other/hop": false,
		"origin/returned": false, "other/image": false, "other/data": false, "other/frame": false, "other/moved": false, "other/back": false,
	} {
		v, asked := got[where]
		if !asked {
			t.Errorf("%s was not requested", where)
		} else if has := strings.Contains(v, "secret"); has != want {
			t.Errorf("%s: %q", where, v)
		}
		if strings.Contains(v, "another") || strings.Contains(where, "/") && !strings.Contains(v, "Mozilla") {
			t.Errorf("%s: %q", where, v)
		}
	}
	must.Contain(t, got["origin/"], "mcp-docs-server/1.2.3")
	// The browser refuses these, and the page waits until its time is over.
	for _, name := range []string{"host", "Content-Length", "Transfer-Encoding"} {
		if _, err := render(t, origin, func(r *fetch.Request) { r.Header, r.Timeout = http.Header{name: {"1"}}, 3*time.Second }); err == nil {
			t.Errorf("%s was sent", name)
		}
	}
}

func TestRobotsApplyToThePageOnly(t *testing.T) {
	needsBrowser(t)
	var mu sync.Mutex
	asked := make(map[string]bool)
	u := handle(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.URL.Path] = true
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/robots.txt":
			fmt.Fprint(w, "User-agent: *\nDisallow: /no\n")
		case "/":
			fmt.Fprintf(w, "<p>text<img src=/no/image><iframe src=/no/frame></iframe><p>%s", r.Header.Get("Cookie"))
		case "/leads":
			http.Redirect(w, r, "/no/page", http.StatusFound)
		case "/busy":
			w.Header().Set("Retry-After", "50")
			w.WriteHeader(http.StatusTooManyRequests)
		}
	})
	rule, err := webclient.ParseRule(u.Host)
	must.Do(t, err)
	o := shared().options
	o.Client = webclient.New(webclient.Options{Allow: []webclient.Rule{rule}})
	b := New(o)
	defer b.Close()
	a, err := renderBy(t, b, u, func(r *fetch.Request) { r.Header = http.Header{"Cookie": {"name=value"}} })
	if err != nil || !strings.Contains(string(a.Body), "name=value") {
		t.Fatalf("%v", err)
	}
	for _, path := range []string{"/no/page", "/leads"} {
		if _, err := renderBy(t, b, urlAt(u, path)); !errors.Is(err, webclient.ErrRobots) {
			t.Errorf("%s: %v", path, err)
		}
	}
	_, err = renderBy(t, b, urlAt(u, "/busy"))
	if status, ok := errors.AsType[*webclient.StatusError](err); !ok || status.RetryAfter != 50*time.Second {
		t.Error(err)
	}
	if _, err = renderBy(t, b, u, func(r *fetch.Request) { r.Timeout = 100 * time.Millisecond }); err == nil {
		t.Error("the host was requested before Retry-After")
	}
	mu.Lock()
	defer mu.Unlock()
	if !asked["/no/image"] || !asked["/no/frame"] || asked["/no/page"] {
		t.Errorf("asked for %v", asked)
	}
}
