package webclient

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// startProxy starts a proxy, and returns a transport that uses it as a browser does.
func startProxy(t *testing.T, c *Client, blocks func(string) bool) (*Proxy, *http.Transport) {
	t.Helper()
	p := must.Get(c.NewProxy(blocks))(t)
	t.Cleanup(func() { p.Close() })
	user, password := p.Credentials()
	address := &url.URL{Scheme: "http", Host: p.Addr(), User: url.UserPassword(user, password)}
	transport := &http.Transport{Proxy: http.ProxyURL(address)}
	t.Cleanup(transport.CloseIdleConnections)
	return p, transport
}

func through(t *testing.T, transport *http.Transport, page string, change ...func(*http.Request)) (int, string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	must.Do(t, err)
	for _, f := range change {
		f(req)
	}
	res, err := transport.RoundTrip(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return res.StatusCode, string(body), err
}

func TestTheProxyPassesAllowedRequests(t *testing.T) {
	hello := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name := range r.Header {
			if strings.HasPrefix(name, "Proxy-") || strings.HasPrefix(name, "X-Forwarded") {
				t.Errorf("the server gets %s", name)
			}
		}
		fmt.Fprintf(w, "%s %s", r.Host, r.URL)
	})
	plain, secure := httptest.NewServer(hello), httptest.NewTLSServer(hello)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	p, transport := startProxy(t, newClient(t), nil)
	transport.TLSClientConfig = secure.Client().Transport.(*http.Transport).TLSClientConfig
	for _, server := range []*httptest.Server{plain, secure} {
		u, _ := url.Parse(server.URL)
		status, body, err := through(t, transport, server.URL+"/a?b=c")
		if err != nil || status != 200 || body != u.Host+" /a?b=c" {
			t.Errorf("%d %q %v", status, body, err)
		}
		must.Do(t, p.Err(u))
	}
	// The URL decides about the host, not the header.
	if _, body, err := through(t, transport, plain.URL, func(r *http.Request) { r.Host = "other.example" }); err != nil || strings.Contains(body, "other") {
		t.Errorf("%q %v", body, err)
	}
}

func TestTheProxyHasTheRulesOfTheClient(t *testing.T) {
	asked := func(w http.ResponseWriter, r *http.Request) { t.Errorf("the server was asked for %s", r.URL) }
	server := must.Serve(t, http.HandlerFunc(asked))
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	for _, change := range []func(*Options){
		func(o *Options) { o.Allow = nil },
		func(o *Options) { o.Allow, o.AllowPrivate = nil, true }, // the port
		func(o *Options) { o.Allow = []Rule{mustRule(t, "10.0.0.0/8:*")} },
	} {
		p, transport := startProxy(t, newClient(t, change), nil)
		for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "2130706433"} {
			for _, scheme := range []string{"http", "https"} {
				u := &url.URL{Scheme: scheme, Host: host + ":" + port}
				status, _, err := through(t, transport, u.String())
				if err == nil && status != http.StatusForbidden && status != http.StatusBadGateway {
					t.Errorf("%s: %d", u, status)
				}
				if err := p.Err(u); err == nil {
					t.Errorf("%s: the proxy does not say why", u)
				}
			}
		}
	}
	p, transport := startProxy(t, newClient(t, func(o *Options) { o.Allow = nil }), nil)
	for _, page := range []string{"http://169.254.169.254/latest/meta-data/", "http://127.0.0.1/", "http://[::1]:8080/"} {
		u, _ := url.Parse(page)
		if status, _, err := through(t, transport, page); err != nil || status != http.StatusForbidden || !errors.Is(p.Err(u), ErrRefused) {
			t.Errorf("%s: %d, %v, %v", page, status, err, p.Err(u))
		}
	}
}

func TestTheProxyWantsItsPassword(t *testing.T) {
	server := listen(t, func(http.ResponseWriter, *http.Request) { t.Error("the server was asked") })
	p, _ := startProxy(t, newClient(t), nil)
	user, _ := p.Credentials()
	for _, as := range []*url.Userinfo{nil, url.UserPassword(user, ""), url.UserPassword(user, "guess"), url.UserPassword("", "")} {
		transport := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: p.Addr(), User: as})}
		defer transport.CloseIdleConnections()
		for _, page := range []string{server.URL, "http://example.invalid/"} {
			if status, _, err := through(t, transport, page); err != nil || status != http.StatusProxyAuthRequired {
				t.Errorf("%v, %s: %d %v", as, page, status, err)
			}
		}
		if _, _, err := through(t, transport, strings.Replace(server.URL, "http", "https", 1)); err == nil {
			t.Errorf("%v: has a tunnel", as)
		}
	}
	// A page that sends a request to the proxy as to a server gets nothing.
	if status, body, err := through(t, &http.Transport{DisableKeepAlives: true}, "http://"+p.Addr()+"/"); err != nil || status != http.StatusProxyAuthRequired || body != "" {
		t.Errorf("%d %q %v", status, body, err)
	}
}

func TestTheProxyBoundsAPage(t *testing.T) {
	server := listen(t, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, strings.Repeat("x", 1<<10)); err != nil {
				return
			}
		}
	})
	u, _ := url.Parse(server.URL)
	p, transport := startProxy(t, newClient(t), nil)
	p.bytes.Store(100 << 10)
	if _, body, err := through(t, transport, server.URL); err == nil || len(body) > 100<<10 {
		t.Errorf("%d bytes, %v", len(body), err)
	}
	if err := p.Err(u); !errors.Is(err, ErrExhausted) {
		t.Error(err)
	}
	if status, _, err := through(t, transport, server.URL); err == nil && status == 200 {
		t.Error("an exhausted proxy passes more")
	}
	p, transport = startProxy(t, newClient(t), nil)
	p.dials.Store(1)
	p.bytes.Store(1 << 10)
	through(t, transport, server.URL)
	if status, _, err := through(t, transport, server.URL); err == nil && status == 200 || !errors.Is(p.Err(u), ErrExhausted) {
		t.Errorf("%d, %v, %v", status, err, p.Err(u))
	}
}

func TestTheProxyRefusesBlockedHosts(t *testing.T) {
	server := listen(t, func(http.ResponseWriter, *http.Request) { t.Error("the server was asked") })
	p, transport := startProxy(t, newClient(t), func(host string) bool { return host == "localhost" })
	page := strings.Replace(server.URL, "127.0.0.1", "LOCALHOST", 1)
	u, _ := url.Parse(page)
	if status, _, err := through(t, transport, page); err != nil || status != http.StatusForbidden || p.Err(u) != nil {
		t.Errorf("%d, %v, %v", status, err, p.Err(u))
	}
	if _, _, err := through(t, transport, strings.Replace(page, "http", "https", 1)); err == nil {
		t.Error("a blocked host has a tunnel")
	}
}

func TestTheProxyEndsItsTunnels(t *testing.T) {
	ended := make(chan error, 1)
	server := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { server.Close() })
	go func() {
		conn, err := server.Accept()
		if err != nil {
			ended <- err
			return
		}
		io.WriteString(conn, "hello\n") // the server writes first, and then waits
		_, err = io.ReadAll(conn)
		ended <- err
	}()
	p, _ := startProxy(t, newClient(t), nil)
	conn := must.Get(net.Dial("tcp", p.Addr()))(t)
	defer conn.Close()
	user, password := p.Credentials()
	r := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: server.Addr().String()}, Host: server.Addr().String(), Header: make(http.Header)}
	as := http.Request{Header: make(http.Header)}
	as.SetBasicAuth(user, password)
	r.Header.Set("Proxy-Authorization", as.Header.Get("Authorization"))
	must.Do(t, r.Write(conn))
	in := bufio.NewReader(conn)
	must.Equal(t, 200, must.Get(http.ReadResponse(in, r))(t).StatusCode)
	must.Equal(t, "hello\n", must.Get(in.ReadString('\n'))(t))
	p.Close()
	if _, err := in.ReadByte(); err == nil {
		t.Error("the tunnel is open")
	}
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Error("the server still waits")
	}
}

func TestARequestIsAdmittedAndItsAnswerJudged(t *testing.T) {
	c, u := start(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "User-agent: *\nDisallow: /private\n")
	}, withRobots)
	for path, want := range map[string]error{"/": nil, "/private/a": ErrRobots} {
		page, _ := u.Parse(path)
		done, err := c.Admit(t.Context(), page, "")
		if !errors.Is(err, want) {
			t.Errorf("%s: %v", path, err)
		}
		if err == nil {
			done()
		}
	}
	if _, err := c.Admit(t.Context(), &url.URL{Scheme: "file", Path: "/etc/passwd"}, ""); !errors.Is(err, ErrRefused) {
		t.Error(err)
	}
	must.Do(t, c.Answered(u, 200, nil))
	err := c.Answered(u, 429, http.Header{"Retry-After": {"60"}})
	if status, ok := errors.AsType[*StatusError](err); !ok || status.Status != 429 || status.RetryAfter != time.Minute {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := c.Admit(ctx, u, ""); err == nil {
		t.Error("the host is asked before the time that it named")
	}
}

// If a server answered 407, the browser would send it the password of the proxy.
func TestTheProxyAloneAsksForPasswords(t *testing.T) {
	server := listen(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Proxy-Authenticate", `Basic realm="mine"`)
		w.WriteHeader(http.StatusProxyAuthRequired)
	})
	_, transport := startProxy(t, newClient(t), nil)
	if status, _, err := through(t, transport, server.URL); err != nil || status != http.StatusBadGateway {
		t.Errorf("%d, %v", status, err)
	}
}
