package hosts

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func newGate(t *testing.T, o Options) *Policy {
	t.Helper()
	if o.Listen == "" {
		o.Listen = "127.0.0.1:8080"
	}
	return must.Get(New(o))(t)
}

// request returns a request from a client on the loopback interface, as a server gets it.
func request(method, host string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, "/mcp", nil)
	r.Host, r.RemoteAddr = host, "127.0.0.1:50000"
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

func TestHost(t *testing.T) {
	g := newGate(t, Options{
		Listen:     "192.0.2.7:8080",
		PublicURL:  "https://Docs.Example.com/sub/",
		AllowHosts: []string{"Wiki.example.", "port.example:8443", "[2001:DB8::0:7]:9000", "2001:db8::8", "plain.example:80"},
	})
	for host, want := range map[string]bool{
		"localhost":            true,
		"localhost:8080":       true,
		"LocalHost.:9999":      true,
		"127.0.0.1:8080":       true,
		"127.9.9.9":            true,
		"[::1]:8080":           true,
		"[::ffff:127.0.0.1]":   true,
		"[0:0:0:0:0:0:0:1]":    true,
		"192.0.2.7":            true,
		"192.0.2.7:8080":       true,
		"docs.example.com":     true,
		"docs.example.com.:81": true,
		"wiki.example:1":       true,
		"port.example:8443":    true,
		"port.example:08443":   true,
		"plain.example":        true,
		"[2001:db8::7]:9000":   true,
		"[2001:db8:0:0::8]:1":  true,

		"":                            false,
		"evil.example":                false,
		"evil.example:8080":           false,
		"localhost.evil.example":      false,
		"127.0.0.1.evil.example":      false,
		"evil.example#localhost":      false,
		"evil.example@localhost":      false,
		"localhost@evil.example":      false,
		"localhost:8080:8080":         false,
		"localhost:port":              false,
		"localhost:65536":             false,
		"localhost..":                 false,
		"local\x00host":               false,
		"lоcalhost":                   false, // a Cyrillic о
		"port.example":                false,
		"port.example:8444":           false,
		"plain.example:8080":          false,
		"[2001:db8::7]":               false,
		"[::1":                        false,
		"[::1]8080":                   false,
		"[::1%25lo]":                  false,
		"[127.0.0.1]":                 false,
		"::1":                         false,
		"0.0.0.0:8080":                false,
		"2130706433":                  false,
		"0x7f.1":                      false,
		"0127.0.0.1":                  false,
		"192.0.2.8":                   false,
		strings.Repeat("a", 5000):     false,
		"docs.example.com, localhost": false,
	} {
		if err := g.CheckHost(request("POST", host)); (err == nil) != want {
			t.Errorf("Host %.80q: %v, want allowed: %v", host, err, want)
		}
	}
}

func TestOrigin(t *testing.T) {
	options := Options{
		Listen:         "127.0.0.1:8080",
		PublicURL:      "https://docs.example.com",
		AllowOrigins:   []string{"https://App.example.com", "http://localhost:3000/", "https://[2001:db8::1]:444", "vscode-webview://1a2b"},
		AllowHosts:     []string{"wiki.example"},
		TrustedProxies: []string{"10.0.0.0/8"},
	}
	g := newGate(t, options)
	for _, test := range []struct {
		host, origin string
		want         bool
	}{
		{"localhost:8080", "http://localhost:8080", true},
		{"localhost:8080", "http://127.0.0.1:8080", true},
		{"localhost:8080", "http://[::1]:8080", true},
		{"localhost:9000", "http://localhost:9000", true}, // a published port of a container
		{"localhost:9000", "http://localhost:8080", true},
		{"wiki.example", "http://wiki.example", true},
		{"wiki.example:80", "http://wiki.example", true},
		{"docs.example.com", "https://docs.example.com", true},
		{"docs.example.com", "https://docs.example.com:443", true},
		{"localhost:8080", "https://app.example.com", true},
		{"localhost:8080", "HTTPS://APP.example.com", true},
		{"localhost:8080", "http://localhost:3000", true},
		{"localhost:8080", "https://[2001:db8:0::1]:444", true},
		{"localhost:8080", "vscode-webview://1a2b", true},

		{"localhost:8080", "null", false},
		{"localhost:8080", "", false},
		{"localhost:8080", "http://evil.example", false},
		{"localhost:8080", "http://evil.example:8080", false},
		{"localhost:8080", "http://localhost:3001", false},
		{"localhost:8080", "http://localhost", false},
		{"localhost:8080", "https://localhost:8080", false},
		{"localhost:8080", "http://app.example.com", false},
		{"localhost:8080", "https://app.example.com:444", false},
		{"localhost:8080", "https://app.example.com.evil.example", false},
		{"localhost:8080", "https://app.example.com/", false},
		{"localhost:8080", "https://evil.example@app.example.com", false},
		{"localhost:8080", "https://app.example.com https://evil.example", false},
		{"localhost:8080", "//localhost:8080", false},
		{"localhost:8080", "localhost:8080", false},
		{"localhost:8080", "vscode-webview://other", false},
		{"docs.example.com", "http://docs.example.com:81", false},
	} {
		_, err := g.CheckOrigin(request("POST", test.host, "Origin", test.origin))
		if (err == nil) != test.want {
			t.Errorf("Host %q, Origin %q: %v, want allowed: %v", test.host, test.origin, err, test.want)
		}
	}

	if _, err := g.CheckOrigin(request("POST", "localhost:8080")); err != nil {
		t.Errorf("no Origin: %v", err)
	}
	if _, err := g.CheckOrigin(request("POST", "localhost:8080", "Origin", "http://localhost:8080", "Origin", "http://localhost:8080")); err == nil {
		t.Error("two Origin headers are allowed")
	}

	https := request("POST", "localhost:8080", "Origin", "https://localhost:8080")
	https.TLS = &tls.ConnectionState{}
	if _, err := g.CheckOrigin(https); err != nil {
		t.Errorf("the server's origin over TLS: %v", err)
	}
	for peer, want := range map[string]bool{"10.1.2.3:5": true, "11.1.2.3:5": false} {
		r := request("POST", "wiki.example", "Origin", "https://wiki.example", "X-Forwarded-Proto", "http, https")
		r.RemoteAddr = peer
		if _, err := g.CheckOrigin(r); (err == nil) != want {
			t.Errorf("the server's origin, TLS at the proxy %s: %v, want allowed: %v", peer, err, want)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, test := range []struct {
		options Options
		want    string
	}{
		{Options{Listen: "nowhere:port"}, "cannot listen"},
		{Options{AllowHosts: []string{""}}, `--allow-host ""`},
		{Options{AllowHosts: []string{"*"}}, "every host cannot be allowed"},
		{Options{AllowHosts: []string{"https://a.example"}}, "not a URL"},
		{Options{AllowHosts: []string{"*.example"}}, `'*'`},
		{Options{AllowHosts: []string{"bücher.example"}}, "xn--"},
		{Options{AllowHosts: []string{"a.example/path"}}, `'/'`},
		{Options{AllowHosts: []string{"a:99999"}}, "65535"},
		{Options{AllowOrigins: []string{"null"}}, "any site can send it"},
		{Options{AllowOrigins: []string{"*"}}, "every origin cannot be allowed"},
		{Options{AllowOrigins: []string{""}}, "a scheme and a host"},
		{Options{AllowOrigins: []string{"a.example"}}, "a scheme and a host"},
		{Options{AllowOrigins: []string{"https://a.example/path"}}, "no user, path"},
		{Options{AllowOrigins: []string{"https://u@a.example"}}, "no user, path"},
		{Options{AllowOrigins: []string{"https://"}}, "a scheme and a host"},
		{Options{AllowOrigins: []string{"https://:80"}}, "no host"},
		{Options{PublicURL: "docs.example.com"}, "must begin with https://"},
		{Options{PublicURL: "ftp://docs.example.com"}, "must begin with https://"},
		{Options{PublicURL: "https://u:p@docs.example.com"}, "no user"},
		{Options{PublicURL: "https://docs.example.com?"}, "no user, query"},
		{Options{PublicURL: "https://docs.example.com#"}, "fragment"},
		{Options{TrustedProxies: []string{"proxy"}}, "--trusted-proxy"},
		{Options{TrustedProxies: []string{""}}, "--trusted-proxy"},
		{Options{TrustedProxies: []string{"10.0.0.0/33"}}, "--trusted-proxy"},
	} {
		if test.options.Listen == "" {
			test.options.Listen = "127.0.0.1:8080"
		}
		if _, err := New(test.options); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want an error with %q", test.options, err, test.want)
		}
	}
	_, err := New(Options{Listen: ":80", AllowHosts: []string{"*"}, AllowOrigins: []string{"null"}})
	if err == nil || len(strings.Split(err.Error(), "\n")) != 2 {
		t.Errorf("two problems: %v", err)
	}
}

func TestPublicURL(t *testing.T) {
	for _, test := range []struct{ public, host, want string }{
		{"", "LOCALHOST:8080", "http://localhost:8080"},
		{"", "[::1]:8080", "http://[::1]:8080"},
		{"https://Docs.example.com/", "localhost:8080", "https://docs.example.com"},
		{"https://docs.example.com/a%2Fb/", "localhost:8080", "https://docs.example.com/a%2Fb"},
	} {
		g := newGate(t, Options{PublicURL: test.public})
		if got := g.PublicURL(request("GET", test.host)); got != test.want {
			t.Errorf("public URL %q, Host %q: %q, want %q", test.public, test.host, got, test.want)
		}
	}
}

func TestForeignNames(t *testing.T) {
	for _, test := range []struct {
		options Options
		want    bool
	}{
		{Options{}, false},
		{Options{Listen: "192.0.2.7:80"}, false}, // ForeignNames does not consider it
		{Options{AllowHosts: []string{"localhost", "LOCALHOST.:8080", "127.8.8.8", "[::1]:80", "::1", "::ffff:127.0.0.1"}}, false},
		{Options{AllowOrigins: []string{"http://localhost:3000", "https://127.0.0.1", "http://[::1]:80/", "vscode-webview://abc"}}, false},
		{Options{PublicURL: "http://localhost"}, true}, // a proxy serves there
		{Options{TrustedProxies: []string{"127.0.0.1"}}, true},
		{Options{AllowHosts: []string{"localhost", "docs.example.com"}}, true},
		{Options{AllowHosts: []string{"localhost.example.com"}}, true},
		{Options{AllowHosts: []string{"192.0.2.7:80"}}, true},
		{Options{AllowHosts: []string{"0.0.0.0"}}, true},
		{Options{AllowHosts: []string{"not a host"}}, true},
		{Options{AllowOrigins: []string{"https://app.example.com"}}, true},
		{Options{AllowOrigins: []string{"HTTP://127.0.0.1.example.com"}}, true},
		{Options{AllowOrigins: []string{"null"}}, true},
	} {
		must.Equal(t, test.want, test.options.ForeignNames(), test.options)
	}
}

// The name of a hostile site resolves to the loopback interface; the browser sends the name as Host
// and as Origin.
func TestRebinding(t *testing.T) {
	var log bytes.Buffer
	var reached bool
	h := newGate(t, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}).Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	send := func(host, origin string) *http.Response {
		r := request("POST", cmp.Or(host, "127.0.0.1:8080"))
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Result()
	}
	for _, test := range []struct{ host, origin, option string }{
		{"evil.example", "", "--allow-host"},
		{"evil.example", "http://evil.example", "--allow-host"},
		{"", "http://evil.example", "--allow-origin"},
		{"", "null", "--allow-origin"},
	} {
		response := send(test.host, test.origin)
		var body struct {
			JSONRPC string
			ID      *any
			Error   struct {
				Code    int
				Message string
			}
		}
		must.Do(t, json.NewDecoder(response.Body).Decode(&body))
		if response.StatusCode != 403 || body.JSONRPC != "2.0" || body.ID != nil || body.Error.Code == 0 || !strings.Contains(body.Error.Message, test.option) {
			t.Errorf("%+v: %s, %+v", test, response.Status, body)
		}
		if h := response.Header; h.Get("Access-Control-Allow-Origin") != "" || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%+v: headers %v", test, h)
		}
	}
	if reached {
		t.Error("a refused request reached the server")
	}
	if !strings.Contains(log.String(), "evil.example") {
		t.Errorf("log: %s", &log)
	}
	if response := send("", ""); response.StatusCode != 200 || !reached {
		t.Errorf("a good request: %s", response.Status)
	}
}

func TestCORS(t *testing.T) {
	g := newGate(t, Options{AllowOrigins: []string{"https://app.example.com"}})
	reached := 0
	h := g.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { reached++; w.WriteHeader(401) }))
	do := func(r *http.Request) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}

	w := do(request("OPTIONS", "localhost:8080", "Origin", "https://app.example.com", "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,mcp-session-id"))
	if w.Code != 204 || reached != 0 || w.Header().Get("Access-Control-Allow-Origin") != "https://app.example.com" || w.Header().Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("preflight: %d %v", w.Code, w.Header())
	}
	for _, name := range []string{"Mcp-Session-Id", "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Last-Event-ID", "Authorization", "Content-Type", "Accept"} {
		if !listed(w.Header().Get("Access-Control-Allow-Headers"), name) {
			t.Errorf("preflight: %s is not allowed", name)
		}
	}
	for _, name := range []string{"GET", "POST", "DELETE"} {
		if !listed(w.Header().Get("Access-Control-Allow-Methods"), name) {
			t.Errorf("preflight: %s is not allowed", name)
		}
	}

	w = do(request("POST", "localhost:8080", "Origin", "https://app.example.com"))
	if w.Code != 401 || reached != 1 || w.Header().Get("Access-Control-Allow-Origin") != "https://app.example.com" || w.Header().Get("Vary") != "Origin" {
		t.Errorf("request: %d %v", w.Code, w.Header())
	}
	for _, name := range []string{"Mcp-Session-Id", "WWW-Authenticate", "Retry-After"} {
		if !listed(w.Header().Get("Access-Control-Expose-Headers"), name) {
			t.Errorf("request: %s is not exposed", name)
		}
	}

	if w = do(request("POST", "localhost:8080")); w.Header().Get("Access-Control-Allow-Origin") != "" || w.Header().Get("Vary") != "Origin" || reached != 2 {
		t.Errorf("no origin: %v", w.Header())
	}
	if w = do(request("OPTIONS", "localhost:8080", "Origin", "https://evil.example", "Access-Control-Request-Method", "POST")); w.Code != 403 || w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("preflight of another site: %d %v", w.Code, w.Header())
	}
	if do(request("OPTIONS", "localhost:8080", "Origin", "https://app.example.com")); reached != 3 {
		t.Error("OPTIONS that is not a preflight did not reach the server")
	}
}

func listed(list, name string) bool {
	for item := range strings.SplitSeq(list, ",") {
		if strings.EqualFold(strings.TrimSpace(item), name) {
			return true
		}
	}
	return false
}

func TestClientAddr(t *testing.T) {
	g := newGate(t, Options{TrustedProxies: []string{"10.0.0.0/8", "::1", "2001:db8::/32", "::ffff:192.0.2.1"}})
	for _, test := range []struct {
		peer      string
		forwarded []string
		want      string
	}{
		{"203.0.113.9:1000", nil, "203.0.113.9"},
		{"203.0.113.9:1000", []string{"198.51.100.1"}, "203.0.113.9"}, // anybody can write the header
		{"[::ffff:203.0.113.9]:1000", nil, "203.0.113.9"},
		{"[fe80::1%eth0]:1000", nil, "fe80::1"},
		{"@", nil, "invalid IP"},

		{"10.0.0.1:1000", nil, "10.0.0.1"},
		{"10.0.0.1:1000", []string{""}, "10.0.0.1"},
		{"10.0.0.1:1000", []string{"198.51.100.1"}, "198.51.100.1"},
		{"192.0.2.1:1000", []string{"198.51.100.1"}, "198.51.100.1"},
		{"[::1]:1000", []string{"198.51.100.1"}, "198.51.100.1"},
		{"10.0.0.1:1000", []string{"1.1.1.1, 198.51.100.1"}, "198.51.100.1"}, // the client wrote 1.1.1.1
		{"10.0.0.1:1000", []string{"1.1.1.1", "198.51.100.1"}, "198.51.100.1"},
		{"10.0.0.1:1000", []string{"1.1.1.1, 198.51.100.1, 10.9.9.9"}, "198.51.100.1"},
		{"10.0.0.1:1000", []string{"1.1.1.1, 198.51.100.1", " 10.9.9.9,10.8.8.8 "}, "198.51.100.1"},
		{"10.0.0.1:1000", []string{"198.51.100.1:5000"}, "198.51.100.1"},
		{"10.0.0.1:1000", []string{"[2001:db9::1]:5000"}, "2001:db9::1"},
		{"10.0.0.1:1000", []string{"2001:db9::1"}, "2001:db9::1"},
		{"10.0.0.1:1000", []string{"10.5.5.5, 10.6.6.6"}, "10.5.5.5"},
		{"10.0.0.1:1000", []string{"198.51.100.1, unknown"}, "10.0.0.1"},
		{"10.0.0.1:1000", []string{"198.51.100.1, , 10.7.7.7"}, "10.7.7.7"},
		{"10.0.0.1:1000", []string{"198.51.100.1, 'or 1=1, 10.7.7.7"}, "10.7.7.7"},
		{"10.0.0.1:1000", []string{"198.51.100.1" + strings.Repeat(",10.0.0.2", 100_000)}, "10.0.0.2"},
	} {
		r := request("GET", "localhost")
		r.RemoteAddr = test.peer
		for _, line := range test.forwarded {
			r.Header.Add("X-Forwarded-For", line)
		}
		if got := g.ClientAddr(r).String(); got != test.want {
			t.Errorf("from %s, forwarded for %.60q: %s, want %s", test.peer, test.forwarded, got, test.want)
		}
	}
}
