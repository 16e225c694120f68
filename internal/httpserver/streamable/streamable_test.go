package streamable

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/serverlog"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/latest"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A site is a handler on a real listener, with a project in memory. The header Caller of a request
// names its caller.
type site struct {
	t       *testing.T
	server  *server.Server
	current *latest.Value[loader.Catalog]
	shared  *Shared
	handler http.Handler
	url     string

	mu       sync.Mutex
	observed []serverlog.Call
}

func start(t *testing.T, limits Limits, tree fs.FS) *site {
	t.Helper()
	return startWith(t, limits, tree, server.Options{})
}

// startWith is start with options of the server. It sets the options that all tests share.
func startWith(t *testing.T, limits Limits, tree fs.FS, o server.Options) *site {
	t.Helper()
	return startShared(t, NewShared(limits, NewKeys(time.Hour), nil), tree, o)
}

// startShared is startWith for sessions that replicas may share.
func startShared(t *testing.T, shared *Shared, tree fs.FS, o server.Options) *site {
	t.Helper()
	s := &site{t: t, current: latest.New[loader.Catalog](), shared: shared}
	o.Name, o.Version, o.Catalog, o.Logger = "Acme", "1.2.3", s.current, slog.New(slog.DiscardHandler)
	o.Limits = server.Limits{ReadBytes: 64 << 20, FrameBytes: 64 << 20, PageItems: 100}
	s.server = server.New(o)
	s.server.SetPrompts(nil)
	s.publish(tree)
	h := New(Options{Server: s.server, Shared: s.shared, Logger: o.Logger, Observe: func(_ *http.Request, o serverlog.Call) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.observed = append(s.observed, o)
	}})
	s.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.Header.Get("Caller")
		h.ServeHTTP(w, r.WithContext(auth.NewContext(r.Context(), auth.Caller{Key: "token:" + name, Name: name})))
	})
	listener := httptest.NewUnstartedServer(s.handler)
	listener.Config.WriteTimeout = writeTimeout
	listener.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	listener.Start()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.shared.Run(ctx)
	}()
	t.Cleanup(func() {
		listener.CloseClientConnections()
		listener.Close()
		cancel()
		<-ended
	})
	s.url = listener.URL + "/mcp"
	return s
}

func (s *site) publish(tree fs.FS) {
	s.t.Helper()
	c := must.Get(loader.Scan(s.t.Context(), tree, loader.Options{}))(s.t)
	s.current.Publish(c)
}

// change publishes another tree and sends notifications.
func (s *site) change(tree fs.FS) {
	s.t.Helper()
	old := must.Get(s.current.Load(s.t.Context()))(s.t)
	s.publish(tree)
	c := must.Get(s.current.Load(s.t.Context()))(s.t)
	s.server.Changed(old, c, func(loader.Resource) bool { return true })
}

// prepare returns a request. A header is "Name: value"; "Name:" removes a default.
func (s *site) prepare(method string, body io.Reader, headers ...string) *http.Request {
	s.t.Helper()
	req := must.Get(http.NewRequestWithContext(s.t.Context(), method, s.url, body))(s.t)
	req.Header.Set("Accept", "application/json, text/event-stream")
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ":")
		if name == "Query" {
			req.URL.RawQuery = strings.TrimSpace(value)
			continue
		}
		req.Header.Del(name)
		if value = strings.TrimSpace(value); value != "" {
			req.Header.Set(name, value)
		}
	}
	return req
}

// request sends a request, see prepare.
func (s *site) request(method, body string, headers ...string) *http.Response {
	s.t.Helper()
	res := must.Get(http.DefaultTransport.RoundTrip(s.prepare(method, strings.NewReader(body), headers...)))(s.t)
	s.t.Cleanup(func() { res.Body.Close() })
	return res
}

// post sends a message and returns the status and the body.
func (s *site) post(body string, headers ...string) (int, string) {
	s.t.Helper()
	res := s.request(http.MethodPost, body, headers...)
	defer res.Body.Close()
	data := must.Get(io.ReadAll(res.Body))(s.t)
	if len(data) > 0 && !json.Valid(data) {
		s.t.Errorf("%s is answered with %s", body, data)
	}
	return res.StatusCode, string(data)
}

func hello(version string) string {
	return `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
}

// session begins a session and returns the header of its requests.
func (s *site) session(version string, headers ...string) string {
	s.t.Helper()
	res := s.request(http.MethodPost, hello(version), headers...)
	defer res.Body.Close()
	data, _ := io.ReadAll(res.Body)
	id := res.Header.Get("Mcp-Session-Id")
	if res.StatusCode != 200 || id == "" || !strings.Contains(string(data), `"protocolVersion":"`+version+`"`) {
		s.t.Fatalf("initialize: %d %s", res.StatusCode, data)
	}
	session := "Mcp-Session-Id: " + id
	if status, body := s.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, append(headers, session)...); status != 202 || body != "" {
		s.t.Fatalf("initialized: %d %s", status, body)
	}
	return session
}

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// modern returns a message of 2026-07-28 and its headers.
func modern(method, params, name string) (string, []string) {
	if params != "" {
		params += ","
	}
	headers := []string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: " + method}
	if name != "" {
		headers = append(headers, "Mcp-Name: "+name)
	}
	return `{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":{` + params + meta + `}}`, headers
}

func call(method, params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `}}`
}

func TestStatelessEra(t *testing.T) {
	s := start(t, DefaultLimits, given.Resources("x/h/a=1", "x/h/é b=2"))
	status := func(want int, contains, body string, headers []string) {
		t.Helper()
		if got, text := s.post(body, headers...); got != want || !strings.Contains(text, contains) {
			t.Errorf("%s\n%d %s, want %d %s", body, got, text, want, contains)
		}
	}
	body, headers := modern("resources/read", `"uri":"x://h/a"`, "x://h/a")
	status(200, `"text":"1"`, body, headers)
	body, headers = modern("resources/read", `"uri":"x://h/é b"`, "=?base64?"+base64.StdEncoding.EncodeToString([]byte("x://h/é b"))+"?=")
	status(200, `"text":"2"`, body, headers)
	for _, name := range []string{"", "x://h/b", "=?base64?!?=", "X://h/a"} {
		body, headers = modern("resources/read", `"uri":"x://h/a"`, name)
		status(400, `"code":-32020`, body, headers)
	}
	body, headers = modern("server/discover", "", "")
	status(200, `"supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26"]`, body, headers)
	status(400, `"code":-32020`, body, []string{"MCP-Protocol-Version: 2026-07-28"})
	status(400, `"code":-32020`, body, []string{"Mcp-Method: server/discover"})
	status(400, `"code":-32020`, body, []string{"MCP-Protocol-Version: 2026-07-29", "Mcp-Method: server/discover"})
	later := strings.ReplaceAll(body, "2026-07-28", "2099-01-01")
	status(400, `"code":-32022`, later, []string{"MCP-Protocol-Version: 2099-01-01", "Mcp-Method: server/discover"})
	status(400, `"code":-32602`, call("tools/list", ""), []string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/list"})
	body, headers = modern("nonsense", "", "")
	status(404, `"code":-32601`, body, headers)
	body, headers = modern("initialize", "", "")
	status(404, `"code":-32601`, body, headers)
	body, headers = modern("resources/read", `"uri":"x://h/none"`, "x://h/none")
	status(400, `"code":-32602`, body, headers)
	status(400, `"code":-32600`, "["+body+"]", headers)
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		if res := s.request(method, "", "MCP-Protocol-Version: 2026-07-28"); res.StatusCode != 405 || res.Header.Get("Allow") != "POST" {
			t.Errorf("%s: %d", method, res.StatusCode)
		}
	}
	if s.shared.sessions.quota.count() != 0 {
		t.Error("a request of 2026-07-28 began a session")
	}
}

// Violations of HTTP have the status of HTTP and a JSON-RPC error.
func TestRefusals(t *testing.T) {
	s := start(t, DefaultLimits, given.Resources("x/h/a=1"))
	session := s.session("2025-06-18")
	old := s.session("2025-03-26")
	for _, test := range []struct {
		name, method, body string
		headers            []string
		status             int
		contains           string
	}{
		{"media type", "POST", call("ping", ""), []string{session, "Content-Type: text/plain"}, 415, ""},
		{"no media type", "POST", call("ping", ""), []string{session, "Content-Type:"}, 415, ""},
		{"charset", "POST", call("ping", ""), []string{session, "Content-Type: application/json; charset=latin1"}, 415, ""},
		{"charset UTF-8", "POST", call("ping", ""), []string{session, "Content-Type: Application/JSON; charset=UTF-8"}, 200, ""},
		{"compressed", "POST", call("ping", ""), []string{session, "Content-Encoding: gzip"}, 415, ""},
		{"not compressed", "POST", call("ping", ""), []string{session, "Content-Encoding: identity"}, 200, ""},
		{"accept", "POST", call("ping", ""), []string{session, "Accept: text/plain"}, 406, ""},
		{"accept one", "POST", call("ping", ""), []string{session, "Accept: application/json"}, 200, `"result":{}`},
		{"accept only streams", "POST", call("ping", ""), []string{session, "Accept: text/event-stream"}, 406, ""},
		{"accept any", "POST", call("ping", ""), []string{session, "Accept: */*"}, 200, ""},
		{"accept no JSON", "POST", call("ping", ""), []string{session, "Accept: application/json;q=0, text/event-stream"}, 406, ""},
		{"no accept", "POST", call("ping", ""), []string{session, "Accept:"}, 200, ""},
		{"bad JSON", "POST", `{"jsonrpc":`, []string{session}, 400, `"id":null,"error":{"code":-32700`},
		{"not UTF-8", "POST", "\"\xff\"", []string{session}, 400, `"code":-32700`},
		{"nothing", "POST", " ", []string{session}, 400, `"code":-32700`},
		{"no request", "POST", `{"id":3}`, []string{session}, 400, `"id":3,"error":{"code":-32600`},
		{"too large", "POST", `"` + strings.Repeat("a", maxBody) + `"`, []string{session}, 413, ""},
		{"version", "POST", call("ping", ""), []string{session, "MCP-Protocol-Version: 1999-01-01"}, 400, ""},
		{"version that is not a date", "POST", call("ping", ""), []string{session, "MCP-Protocol-Version: 2025-06"}, 400, ""},
		{"no session", "POST", call("ping", ""), nil, 400, ""},
		{"unknown session", "POST", call("ping", ""), []string{"Mcp-Session-Id: x"}, 404, ""},
		{"foreign session", "POST", call("ping", ""), []string{session, "Caller: mallory"}, 404, ""},
		{"foreign stream", "GET", "", []string{session, "Caller: mallory"}, 404, ""},
		{"foreign end", "DELETE", "", []string{session, "Caller: mallory"}, 404, ""},
		{"second initialize", "POST", hello("2025-06-18"), []string{session}, 400, `"code":-32600`},
		{"GET without session", "GET", "", nil, 405, ""},
		{"GET of JSON", "GET", "", []string{session, "Accept: application/json"}, 406, ""},
		{"DELETE without session", "DELETE", "", nil, 400, ""},
		{"method", "PUT", call("ping", ""), []string{session}, 405, ""},
		{"batch", "POST", "[" + call("ping", "") + "]", []string{session}, 400, `"code":-32600`},
		{"empty batch", "POST", "[]", []string{old}, 400, `"code":-32600`},
		{"response", "POST", `{"jsonrpc":"2.0","id":1,"result":{}}`, []string{session}, 202, ""},
		{"notification", "POST", `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`, []string{session}, 202, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			res := s.request(test.method, test.body, test.headers...)
			data, _ := io.ReadAll(res.Body)
			if res.StatusCode != test.status || !strings.Contains(string(data), test.contains) || len(data) > 0 && !json.Valid(data) {
				t.Errorf("%d %s, want %d %s", res.StatusCode, data, test.status, test.contains)
			}
		})
	}
}

// A proxy might use another one of two headers than the server.
func TestRepeatedHeadersAreRefused(t *testing.T) {
	s := start(t, DefaultLimits, given.Resources("x/h/a=1"))
	session := s.session("2025-11-25")
	send := func(method, body, name string, values ...string) int {
		req := s.prepare(method, strings.NewReader(body), session)
		req.Header[name] = values
		res := must.Get(http.DefaultTransport.RoundTrip(req))(t)
		res.Body.Close()
		return res.StatusCode
	}
	id := strings.TrimPrefix(session, "Mcp-Session-Id: ")
	for name, value := range map[string]string{
		"Mcp-Session-Id": id, "Mcp-Protocol-Version": "2025-11-25", "Content-Type": "application/json", "Last-Event-Id": "0",
	} {
		if got := send("POST", call("ping", ""), name, value); got != 200 {
			t.Errorf("%s once: %d", name, got)
		}
		if got := send("POST", call("ping", ""), name, value, value); got != 400 {
			t.Errorf("%s twice: %d", name, got)
		}
	}
	body, _ := modern("ping", "", "")
	must.Equal(t, 400, send("POST", body, "Mcp-Method", "ping", "tools/call"), "Mcp-Method twice")
	must.Equal(t, 400, send("GET", "body", "Accept", "*/*"), "GET with a body")
}

func TestBatch(t *testing.T) {
	s := start(t, DefaultLimits, given.Resources("x/h/a=1"))
	session := s.session("2025-03-26")
	status, body := s.post(`[`+call("ping", "")+`,{"jsonrpc":"2.0","method":"x"},3,{"jsonrpc":"2.0","id":"2","method":"resources/read","params":{"uri":"x://h/a"}},`+hello("2025-03-26")+`]`, session)
	want := `[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: not an object"}},` +
		`{"jsonrpc":"2.0","id":"2","result":{"contents":[{"uri":"x://h/a","mimeType":"text/plain","text":"1"}]}},{"jsonrpc":"2.0","id":"init","error":{"code":-32600,"message":"invalid request: initialize in a batch"}}]`
	if diff := cmp.Diff(want, body); status != 200 || diff != "" {
		t.Errorf("%d (-want +got):\n%s", status, diff)
	}
	if status, body := s.post(`[{"jsonrpc":"2.0","method":"x"}]`, session); status != 202 || body != "" {
		t.Errorf("%d %s", status, body)
	}
}

// Sessions with streams make no room for others.
func TestLimits(t *testing.T) {
	s := start(t, Limits{Idle: time.Hour, CallerTotal: 2, OverallTotal: 3}, given.Resources("x/h/a=1"))
	busy := func(caller string) (session string) {
		session = s.session("2025-11-25", caller)
		events(s.request(http.MethodGet, "", session, caller))()
		return session
	}
	first, _ := busy("Caller: a"), busy("Caller: a")
	if res := s.request(http.MethodPost, hello("2025-06-18"), "Caller: a"); res.StatusCode != 503 || res.Header.Get("Retry-After") == "" {
		t.Errorf("a third session of a caller: %d", res.StatusCode)
	}
	busy("Caller: b")
	if status, _ := s.post(hello("2025-06-18"), "Caller: c"); status != 503 {
		t.Errorf("a fourth session: %d", status)
	}
	listen, headers := modern("subscriptions/listen", `"notifications":{}`, "")
	if status, _ := s.post(listen, append(headers, "Caller: a")...); status != 503 {
		t.Errorf("a third stream: %d", status)
	}
	s.request(http.MethodDelete, "", first, "Caller: a")
	s.session("2025-06-18", "Caller: c")
}

func TestIdleSessionsEnd(t *testing.T) {
	s := start(t, Limits{Idle: time.Second, CallerTotal: 10, OverallTotal: 10}, given.Resources("x/h/a=1"))
	idle, streaming := s.session("2025-06-18"), s.session("2025-06-18")
	next := events(s.request(http.MethodGet, "", streaming))
	for s.shared.sessions.quota.count() > 1 {
		time.Sleep(time.Millisecond)
	}
	if status, _ := s.post(call("ping", ""), idle); status != 200 {
		t.Errorf("the idle session begins again: %d", status)
	}
	s.change(given.Resources("x/h/b=1"))
	if got := next(); !strings.Contains(got.data, "list_changed") {
		t.Errorf("a session with a stream: %v", got)
	}
}

func TestObservations(t *testing.T) {
	s := start(t, DefaultLimits, given.Resources("x/h/a=1"))
	s.server.SetFeatures(server.Features{ResourceTools: true})
	s.server.SetLibrary(nil)
	session := s.session("2025-06-18", "Caller: alice")
	s.post(call("resources/read", `"uri":"x://h/a"`), session, "Caller: alice")
	s.post(call("resources/read", `"uri":"x://h/none"`), session, "Caller: alice")
	s.post(call("tools/call", `"name":"read_resource","arguments":{"uri":"x://h/none"}`), session, "Caller: alice")
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.observed) != 4 {
		t.Fatalf("%+v", s.observed)
	}
	read, none, tool := s.observed[1], s.observed[2], s.observed[3]
	if read.Method != "resources/read" || read.Subject != "x://h/a" || read.Caller != "alice" || read.Outcome != "ok" || read.Bytes == 0 || none.Outcome != "-32002" {
		t.Errorf("%+v\n%+v", read, none)
	}
	if tool.Outcome != "tool_error" || tool.Subject != "read_resource" || tool.Bytes == 0 {
		t.Errorf("%+v", tool)
	}
}

func TestHandshakeEra(t *testing.T) {
	for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		s := start(t, DefaultLimits, given.Resources("x/h/a=1", "x/h/b=2"))
		session := s.session(version)
		status, body := s.post(call("resources/read", `"uri":"x://h/a"`), session, "MCP-Protocol-Version: "+version)
		if status != 200 || body != `{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"x://h/a","mimeType":"text/plain","text":"1"}]}}` {
			t.Errorf("%s: %d %s", version, status, body)
		}
		if status, body := s.post(call("ping", ""), session); status != 200 || body != `{"jsonrpc":"2.0","id":1,"result":{}}` {
			t.Errorf("%s: %d %s", version, status, body)
		}
		if status, body := s.post(call("resources/read", `"uri":"x://h/none"`), session); status != 200 || !strings.Contains(body, `"code":-32002`) {
			t.Errorf("%s: %d %s", version, status, body)
		}
		if res := s.request(http.MethodDelete, "", session); res.StatusCode != 204 {
			t.Errorf("DELETE: %d", res.StatusCode)
		}
		if status, _ := s.post(call("ping", ""), session); status != 404 {
			t.Errorf("a session that has ended: %d", status)
		}
	}
}

func TestOldVersionIsNotAgreedOn(t *testing.T) {
	s := start(t, DefaultLimits, given.Resources())
	if _, body := s.post(hello("2024-11-05")); !strings.Contains(body, `"protocolVersion":"2025-03-26"`) {
		t.Error(body)
	}
}
