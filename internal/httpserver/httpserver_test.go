package httpserver

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/streamable"
	answers "github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/latest"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A running server.
type running struct {
	urls  []string
	stop  context.CancelFunc
	ended chan error
}

func serve(t *testing.T, o Options) *running {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	r := &running{stop: stop, ended: make(chan error, 1)}
	listening := make(chan []string, 1)
	o.Listening = func(urls []string) { listening <- urls }
	over := make(chan struct{})
	go func() {
		defer close(over)
		r.ended <- Serve(ctx, o)
	}()
	t.Cleanup(func() {
		stop()
		<-over
	})
	select {
	case r.urls = <-listening:
	case err := <-r.ended:
		t.Fatal(err)
	}
	return r
}

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// read reads the file of a project.
func read(t *testing.T, c *http.Client, url string, headers ...string) (status int, body string) {
	t.Helper()
	res := send(t, c, "POST", url, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"x://h/name",`+meta+`}}`,
		append(headers, "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: resources/read", "Mcp-Name: x://h/name")...)
	return res.StatusCode, text(t, res)
}

// listen opens a stream of 2026-07-28 and reads its first event.
func listen(t *testing.T, c *http.Client, url string, headers ...string) *bufio.Reader {
	t.Helper()
	res := send(t, c, "POST", url, `{"jsonrpc":"2.0","id":9,"method":"subscriptions/listen","params":{"notifications":{"resourcesListChanged":true},`+meta+`}}`,
		append(headers, "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: subscriptions/listen")...)
	events := bufio.NewReader(res.Body)
	for {
		line, err := events.ReadString('\n')
		if err != nil {
			t.Fatalf("%s: %v", res.Status, err)
		}
		if strings.Contains(line, "acknowledged") {
			return events
		}
	}
}

func TestSeveralSites(t *testing.T) {
	r := serve(t, options(site(t, "one"), site(t, "two")))
	if len(r.urls) != 3 || !strings.HasSuffix(r.urls[1], "/one/mcp") || !strings.HasSuffix(r.urls[2], "/two/mcp") {
		t.Fatal(r.urls)
	}
	for i, want := range []string{"one", "one", "two"} {
		if status, body := read(t, http.DefaultClient, r.urls[i]); status != 200 || !strings.Contains(body, `"text":"`+want+`"`) {
			t.Errorf("%s: %d %s", r.urls[i], status, body)
		}
	}
	// A session belongs to one project.
	session := "Mcp-Session-Id: " + send(t, http.DefaultClient, "POST", r.urls[1], hello).Header.Get("Mcp-Session-Id")
	for i, want := range []int{404, 200, 404} { // the endpoint /mcp has sessions of its own
		if res := send(t, http.DefaultClient, "POST", r.urls[i], `{"jsonrpc":"2.0","id":1,"method":"ping"}`, session); res.StatusCode != want {
			t.Errorf("%s: %d", r.urls[i], res.StatusCode)
		}
	}
	base := strings.TrimSuffix(r.urls[0], "/mcp")
	for _, path := range []string{"/three/mcp", "/one", "/three/mcp/", "/", "/mcp//", "/one%2fmcp"} {
		if res := send(t, http.DefaultClient, "GET", base+path, ""); res.StatusCode != 404 {
			t.Errorf("%s: %d", path, res.StatusCode)
		}
	}
}

func TestNames(t *testing.T) {
	for pkg, want := range map[string]string{"@me/docs": "me-docs", "docs2": "docs2"} {
		must.Equal(t, want, SiteName(pkg), pkg)
	}
	for _, test := range []struct {
		names []string
		wrong string
	}{
		{[]string{"mcp"}, ""}, // a single site has no path of its own
		{[]string{"a", "b"}, ""},
		{[]string{"a", "a"}, "two projects"},
		{[]string{"a", "mcp"}, "path of the server"},
		{[]string{"health", "a"}, "path of the server"},
		{[]string{"a", ".well-known"}, "cannot be a path"},
		{[]string{"a", ".."}, "cannot be a path"},
		{[]string{"a", "b/c"}, "cannot be a path"},
		{[]string{"a", "{b}"}, "cannot be a path"},
		{[]string{"a", "B"}, "cannot be a path"},
		{[]string{"a", ""}, "cannot be a path"},
	} {
		var sites []Site
		for _, name := range test.names {
			sites = append(sites, Site{Name: name})
		}
		if err := checkNames(sites); (err == nil) != (test.wrong == "") || err != nil && !strings.Contains(err.Error(), test.wrong) {
			t.Errorf("%q: %v", test.names, err)
		}
	}
}

func TestHealth(t *testing.T) {
	var ready atomic.Bool
	slow := site(t, "two")
	slow.Ready = ready.Load
	r := serve(t, options(site(t, "one"), slow))
	base := strings.TrimSuffix(r.urls[0], "/mcp")
	get := func() (int, string) {
		res := send(t, http.DefaultClient, "GET", base+"/health", "", "Host: probe.example", "Origin: https://probe.example")
		var report struct{ Status, Version, Transport, Timestamp string }
		must.Do(t, json.Unmarshal([]byte(text(t, res)), &report))
		if _, err := time.Parse(time.RFC3339, report.Timestamp); err != nil || report.Version != "1.2.3" || report.Transport != "http-streaming" {
			t.Errorf("%+v", report)
		}
		return res.StatusCode, report.Status
	}
	if code, status := get(); code != 503 || status != "starting" {
		t.Errorf("while a project is read: %d %s", code, status)
	}
	ready.Store(true)
	if code, status := get(); code != 200 || status != "healthy" {
		t.Errorf("then: %d %s", code, status)
	}
	if res := send(t, http.DefaultClient, "HEAD", base+"/health", ""); res.StatusCode != 200 {
		t.Errorf("HEAD: %d", res.StatusCode)
	}
	if res := send(t, http.DefaultClient, "POST", base+"/health", ""); res.StatusCode != 405 || res.Header.Get("Allow") == "" {
		t.Errorf("POST: %d", res.StatusCode)
	}
}

// A store is unreachable, or a standby, or somebody must do something about it.
type store struct{ atomic.Value }

func (s *store) Err() error {
	if s.Load() == "misfit" {
		return fmt.Errorf("secret: %w", database.Misfit("it has no tables"))
	}
	return s.fails("unreachable")
}
func (s *store) Ready(context.Context) error { return s.fails("standby") }

func (s *store) fails(state string) error {
	if s.Load() == state {
		return errors.New("secret")
	}
	return nil
}

// A store that cannot be reached makes only /ready?store fail.
func TestHealthOfStore(t *testing.T) {
	var state store
	o := options(site(t, "one"))
	o.Store = &state
	with, without := serve(t, o), serve(t, options(site(t, "one")))
	for _, test := range []struct {
		run    *running
		state  string
		path   string
		status int
		store  string
	}{
		{without, "", "/health", 200, ""},
		{without, "", "/ready?store", 200, ""},
		{with, "", "/health", 200, "ok"},
		{with, "", "/ready?store", 200, "ok"},
		{with, "unreachable", "/health", 200, "unreachable"},
		{with, "unreachable", "/health?store", 200, "unreachable"},
		{with, "unreachable", "/ready", 200, "unreachable"},
		{with, "unreachable", "/ready?store", 503, "unreachable"},
		{with, "misfit", "/ready", 200, "unreachable"},
		{with, "misfit", "/ready?store", 503, "unreachable"},
		{with, "standby", "/ready", 200, "ok"},
		{with, "standby", "/ready?store", 503, "not writable"},
	} {
		state.Store(test.state)
		res := send(t, http.DefaultClient, "GET", strings.TrimSuffix(test.run.urls[0], "/mcp")+test.path, "")
		var report map[string]string
		body := text(t, res)
		must.Do(t, json.Unmarshal([]byte(body), &report))
		if res.StatusCode != test.status || report["store"] != test.store || strings.Contains(body, "secret") || (report["reason"] == "it has no tables") != (test.state == "misfit") {
			t.Errorf("%s: %d %s", test.path, res.StatusCode, body)
		}
	}
}

// Beyond the loopback interface, a server needs authentication or --no-auth.
func TestAuthenticationIsRequired(t *testing.T) {
	text, empty := "0123456789abcdef", ""
	for _, test := range []struct {
		o     Options
		wrong string
	}{
		{Options{Addr: "127.0.0.1:0"}, ""},
		{Options{Addr: "127.9.9.9:0"}, ""},
		{Options{Addr: "[::1]:0"}, ""},
		{Options{Addr: "localhost:0"}, ""},
		{Options{Addr: "[::ffff:127.0.0.1]:0"}, ""},
		{Options{Addr: ":0"}, "--no-auth"},
		{Options{Addr: "0.0.0.0:0"}, "--no-auth"},
		{Options{Addr: "[::]:0"}, "--no-auth"},
		{Options{Addr: "192.0.2.1:0"}, "--no-auth"},
		{Options{Addr: "localhost.example:0"}, "--no-auth"},
		{Options{Addr: ":0", NoAuth: true}, ""},
		{Options{Addr: ":0", Auth: auth.Options{Token: &text}}, ""},
		{Options{Addr: ":0", Auth: auth.Options{TokenFile: &empty}}, ""}, // package auth refuses it
		{Options{Addr: ":0", Auth: auth.Options{Issuer: &text}}, ""},
		{Options{Addr: ":0", Auth: auth.Options{Token: &text}, NoAuth: true}, "contradicts"},
	} {
		if err := checkAuth(test.o); (err == nil) != (test.wrong == "") || err != nil && !strings.Contains(err.Error(), test.wrong) {
			t.Errorf("%+v: %v", test.o, err)
		}
	}
	o := options(site(t, "one"))
	o.Auth.TokenFile = &empty
	if err := Serve(t.Context(), o); err == nil || !strings.Contains(err.Error(), "--token-file") {
		t.Error(err)
	}
}

// A listen gets its result when the server ends, and the server ends at once.
func TestEndWithStreams(t *testing.T) {
	r := serve(t, options(site(t, "one")))
	events := listen(t, http.DefaultClient, r.urls[0])
	session := "Mcp-Session-Id: " + send(t, http.DefaultClient, "POST", r.urls[0], hello).Header.Get("Mcp-Session-Id")
	stream := send(t, http.DefaultClient, "GET", r.urls[0], "", session)
	r.stop()
	var rest bytes.Buffer
	if _, err := rest.ReadFrom(events); err != nil || !strings.Contains(rest.String(), `"id":9,"result":{`) {
		t.Errorf("the listen ended with %q, %v", rest.String(), err)
	}
	text(t, stream) // ends without an error
	if err := <-r.ended; err != nil {
		t.Error(err)
	}
	r.ended <- nil
	if _, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(r.urls[0], "http://"), "/mcp")); err == nil {
		t.Error("the server listens still")
	}
}

// When a token is removed from the file, the streams of its caller end, and no others.
func TestTokenIsRemovedWhileStreamsAreOpen(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	const alice, bob = "alice-0123456789abcdef", "bob-0123456789abcdef"
	write := func(lines string) {
		t.Helper()
		must.Write(t, file+"~", lines)
		must.Do(t, os.Rename(file+"~", file))
	}
	write("alice " + alice + "\nbob " + bob + "\n")
	// More than the buffers of a connection hold.
	o := options(site(t, "one"), siteOf(t, "large", strings.Repeat("a", 32<<20)))
	o.Auth.TokenFile = &file
	r := serve(t, o)
	urlOfLarge := r.urls[2]
	as := func(token string) string { return "Authorization: Bearer " + token }
	if status, body := read(t, http.DefaultClient, r.urls[0]); status != 401 {
		t.Errorf("without a token: %d %s", status, body)
	}
	session := "Mcp-Session-Id: " + send(t, http.DefaultClient, "POST", r.urls[0], hello, as(alice)).Header.Get("Mcp-Session-Id")
	if res := send(t, http.DefaultClient, "GET", r.urls[0], "", session, as(bob)); res.StatusCode != 404 {
		t.Errorf("the session of another one: %d", res.StatusCode)
	}
	stream := send(t, http.DefaultClient, "GET", r.urls[0], "", session, as(alice))
	listens := listen(t, http.DefaultClient, r.urls[0], as(alice))
	others := listen(t, http.DefaultClient, r.urls[0], as(bob))
	large := send(t, http.DefaultClient, "POST", urlOfLarge, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"x://h/name",`+meta+`}}`,
		"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: resources/read", "Mcp-Name: x://h/name", as(alice))
	write("bob " + bob + "\n")
	var rest bytes.Buffer
	_, _ = rest.ReadFrom(listens) // until it ends
	_, _ = rest.ReadFrom(stream.Body)
	if data, err := io.ReadAll(large.Body); err == nil || len(data) > 16<<20 {
		t.Errorf("an answer that was being sent ended after %d bytes, %v", len(data), err)
	}
	if status, _ := read(t, http.DefaultClient, r.urls[0], as(alice)); status != 401 {
		t.Errorf("with a token that was removed: %d", status)
	}
	if status, _ := read(t, http.DefaultClient, r.urls[0], as(bob)); status != 200 {
		t.Errorf("with the other one: %d", status)
	}
	r.stop()
	rest.Reset()
	if _, err := rest.ReadFrom(others); err != nil || !strings.Contains(rest.String(), `"result"`) {
		t.Errorf("the other listen ended with %q, %v", rest.String(), err)
	}
}

// HTTPS follows its files: new connections get the new certificate, old ones continue.
func TestCertificateIsReplaced(t *testing.T) {
	dir := t.TempDir()
	o := options(site(t, "one"))
	o.CertFile, o.KeyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	issueCertificate(t, o.CertFile, o.KeyFile, "first", time.Now().Add(time.Hour/2))
	log := make(lines, 10)
	o.Logger = slog.New(slog.NewTextHandler(log, nil))
	r := serve(t, o)
	if !strings.HasPrefix(r.urls[0], "https://") {
		t.Fatal(r.urls)
	}
	client := func() *http.Client {
		transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}
		t.Cleanup(transport.CloseIdleConnections)
		return &http.Client{Transport: transport}
	}
	old := client()
	res := send(t, old, "POST", r.urls[0], hello)
	text(t, res)
	if name := res.TLS.PeerCertificates[0].Subject.CommonName; name != "first" || res.ProtoMajor != 1 {
		t.Errorf("%s over %s", name, res.Proto)
	}
	next := t.TempDir()
	issueCertificate(t, filepath.Join(next, "cert.pem"), filepath.Join(next, "key.pem"), "second", time.Now().Add(time.Hour/2))
	for _, name := range []string{"key.pem", "cert.pem"} {
		must.Do(t, os.Rename(filepath.Join(next, name), filepath.Join(dir, name)))
	}
	for line := range log {
		if strings.Contains(line, "the TLS certificate was read again") {
			break
		}
	}
	res = send(t, client(), "POST", r.urls[0], hello)
	must.Equal(t, "second", res.TLS.PeerCertificates[0].Subject.CommonName, "a new connection sees")
	if status, _ := read(t, old, r.urls[0]); status != 200 {
		t.Errorf("an old connection: %d", status)
	}
	if _, err := http.Get("http" + strings.TrimPrefix(r.urls[0], "https")); err != nil {
		t.Errorf("HTTP where HTTPS is served: %v", err) // net/http answers 400
	}
}

// lines receives what is logged.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

// A path that is not canonical is answered like an unknown path: no request, with a token or without, is
// redirected.
func TestPathsAreNotCorrected(t *testing.T) {
	o := options(site(t, "one"))
	token := "0123456789abcdef"
	o.Auth.Token = &token
	s, err := newServer(o, "127.0.0.1:3060")
	must.Do(t, err)
	for path, want := range map[string]int{
		"/mcp": 401, "//mcp": 404, "/./mcp": 404, "/x/../mcp": 404, "/mcp//": 404, "/mcp/..": 404, "/mcp/": 401, "//": 404, "/%2e%2e/mcp": 404,
		"/.well-known/oauth-protected-resource//mcp": 404,
	} {
		for _, host := range []string{"127.0.0.1:3060", "evil.example"} {
			w := httptest.NewRecorder()
			r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:3060/", strings.NewReader("{}"))
			r.Host, r.RequestURI = host, path
			if r.URL, err = url.ParseRequestURI(path); err != nil {
				t.Fatal(err)
			}
			if s.http.Handler.ServeHTTP(w, r); host == "evil.example" {
				if w.Code != http.StatusForbidden {
					t.Errorf("%s for another host: %d", path, w.Code)
				}
			} else if w.Code != want {
				t.Errorf("%s: %d, not %d", path, w.Code, want)
			}
		}
	}
}

// A slowServer answers lists of tools when it may.
type slowServer struct {
	Server
	asked, answer chan struct{}
}

func (s slowServer) Answer(ctx context.Context, c *protocol.Call) (protocol.Result, error) {
	if c.Method == "tools/list" {
		close(s.asked)
		select {
		case <-s.answer:
		case <-ctx.Done():
		}
	}
	return s.Server.Answer(ctx, c)
}

// A call of a session is answered although the server ends, and the stream of the session ends after it.
func TestEndWithACall(t *testing.T) {
	one := site(t, "one")
	slow := slowServer{one.Server, make(chan struct{}), make(chan struct{})}
	one.Server = slow
	r := serve(t, options(one))
	session := "Mcp-Session-Id: " + send(t, http.DefaultClient, "POST", r.urls[0], hello).Header.Get("Mcp-Session-Id")
	stream := send(t, http.DefaultClient, "GET", r.urls[0], "", session)
	start := make([]byte, 11)
	if _, err := io.ReadFull(stream.Body, start); string(start) != "retry: 5000" {
		t.Errorf("a stream begins with %q, %v", start, err)
	}
	answered, ended := make(chan string, 1), make(chan bool, 1)
	go func() {
		answered <- text(t, send(t, http.DefaultClient, "POST", r.urls[0], `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, session))
	}()
	<-slow.asked
	go func() { _, _ = io.Copy(io.Discard, stream.Body); ended <- true }()
	r.stop()
	for { // until the server ends
		if _, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(r.urls[0], "http://"), "/mcp")); err != nil {
			break
		}
	}
	select {
	case <-ended:
		t.Error("the stream ended before the call")
	case <-answered:
		t.Error("the call was answered early")
	case <-time.After(50 * time.Millisecond):
	}
	close(slow.answer)
	if got := <-answered; !strings.Contains(got, `"tools":[`) {
		t.Errorf("answered %s", got)
	}
	<-ended
}

// site returns a project with a single file, x://h/name, whose text is its name.
func site(t *testing.T, name string) Site {
	t.Helper()
	return siteOf(t, name, name)
}

// siteOf returns a project whose file has this text.
func siteOf(t *testing.T, name, text string) Site {
	t.Helper()
	catalog := latest.New[loader.Catalog]()
	srv := answers.New(answers.Options{
		Name: name, Version: "1.2.3", Catalog: catalog, Logger: slog.New(slog.DiscardHandler),
		Limits: answers.Limits{ReadBytes: 64 << 20, FrameBytes: 64 << 20, PageItems: 100},
	})
	srv.SetPrompts(nil)
	c := must.Get(loader.Scan(t.Context(), fstest.MapFS{"resources/x/h/name": {Data: []byte(text)}}, loader.Options{}))(t)
	catalog.Publish(c)
	return Site{Name: name, Server: srv, Ready: func() bool { return true }}
}

func options(sites ...Site) Options {
	return Options{
		Addr: "127.0.0.1:0", Sites: sites, Limits: streamable.DefaultLimits, SessionKeys: streamable.NewKeys(time.Hour), Version: "1.2.3", Logger: slog.New(slog.DiscardHandler),
	}
}

// A memory is a listener without a network, so that time can be simulated.
type memory struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func listenInMemory() *memory {
	return &memory{conns: make(chan net.Conn), closed: make(chan struct{})}
}

func (m *memory) Accept() (net.Conn, error) {
	select {
	case c := <-m.conns:
		return c, nil
	case <-m.closed:
		return nil, net.ErrClosed
	}
}

func (m *memory) Close() error {
	m.once.Do(func() { close(m.closed) })
	return nil
}

func (m *memory) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 3060} }

func (m *memory) dial() net.Conn {
	client, server := net.Pipe()
	m.conns <- server
	return client
}

// serveInMemory serves until the test ends. A leaked goroutine would keep a bubble of synctest from ending.
func serveInMemory(t *testing.T, o Options) (*server, *memory) {
	t.Helper()
	s := must.Get(newServer(o, "127.0.0.1:3060"))(t)
	m := listenInMemory()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.http.Serve(m)
	}()
	t.Cleanup(func() {
		s.http.Close()
		<-ended
	})
	return s, m
}

// A client finds the metadata that a refusal names, also if the public URL has a path.
func TestMetadata(t *testing.T) {
	issuer := "http://127.0.0.1:9"
	for _, public := range []string{"", "https://docs.example.com", "https://docs.example.com/", "https://docs.example.com/team/docs", "https://docs.example.com/two", "https://docs.example.com/a%20b{c"} {
		o := options(site(t, "one"), site(t, "two"))
		o.Hosts.PublicURL, o.Auth.Issuer, o.Auth.Audience = public, &issuer, []string{"a"}
		s := must.Get(newServer(o, "127.0.0.1:3060"))(t)
		base := strings.TrimSuffix(public, "/")
		if base == "" {
			base = "http://127.0.0.1:3060"
		}
		get := func(path string) *http.Response {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Host = "127.0.0.1:3060"
			w := httptest.NewRecorder()
			s.http.Handler.ServeHTTP(w, r)
			return w.Result()
		}
		for _, path := range []string{"/mcp", "/one/mcp", "/two/mcp"} {
			challenge := get(path).Header.Get("WWW-Authenticate")
			_, rest, _ := strings.Cut(challenge, `resource_metadata="`)
			place, _, found := strings.Cut(rest, `"`)
			_, where, _ := strings.Cut(place, "://")
			slash := strings.IndexByte(where, '/')
			if !found || slash < 0 {
				t.Fatalf("%s%s: WWW-Authenticate is %s", public, path, challenge)
			}
			response := get(where[slash:])
			var metadata struct{ Resource string }
			err := json.NewDecoder(response.Body).Decode(&metadata)
			if err != nil || response.StatusCode != http.StatusOK || metadata.Resource != strings.ReplaceAll(base, "{", "%7B")+path {
				t.Errorf("%s: status %d, the resource is %q, want %s%s", place, response.StatusCode, metadata.Resource, base, path)
			}
		}
		for _, path := range []string{"/.well-known/oauth-protected-resource/three/mcp", "/.well-known/oauth-protected-resource/", "/three/mcp"} {
			if response := get(path); response.StatusCode != http.StatusNotFound {
				t.Errorf("%s%s: status %d", public, path, response.StatusCode)
			}
		}
	}
}
