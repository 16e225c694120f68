package streamable

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/auth"
	"github.com/mcp-docs-server/mcp-docs-server/internal/current"
	"github.com/mcp-docs-server/mcp-docs-server/internal/server"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A site is a handler behind a real listener, with a project in memory. The caller of a request is
// what its header Caller says.
type site struct {
	t       *testing.T
	server  *server.Server
	current *current.Value[loader.Catalog]
	shared  *Shared
	handler http.Handler
	url     string

	mu       sync.Mutex
	observed []Observation
}

func start(t *testing.T, limits Limits, tree fs.FS) *site {
	t.Helper()
	return startWith(t, limits, tree, server.Options{})
}

// startWith is start with options of the server, of which those that all tests have are filled in.
func startWith(t *testing.T, limits Limits, tree fs.FS, o server.Options) *site {
	t.Helper()
	s := &site{t: t, current: current.New[loader.Catalog](), shared: NewShared(limits)}
	o.Name, o.Version, o.Catalog, o.Logger = "Acme", "1.2.3", s.current, slog.New(slog.DiscardHandler)
	o.Limits = server.Limits{ReadBytes: 64 << 20, FrameBytes: 64 << 20, PageItems: 100}
	s.server = server.New(o)
	s.server.SetPrompts(nil)
	s.publish(tree)
	h := New(Options{Server: s.server, Shared: s.shared, Observe: func(_ *http.Request, o Observation) {
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
	c, err := loader.Scan(s.t.Context(), tree, loader.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	s.current.Publish(c)
}

// change publishes another tree and notifies of it.
func (s *site) change(tree fs.FS) {
	s.t.Helper()
	old, err := s.current.Load(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	s.publish(tree)
	c, err := s.current.Load(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	s.server.Changed(old, c, func(loader.Resource) bool { return true })
}

func files(lines ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for _, line := range lines {
		name, content, _ := strings.Cut(line, "=")
		m["resources/"+name] = &fstest.MapFile{Data: []byte(content), ModTime: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	}
	return m
}

// A header is "Name: value"; "Name:" takes a default away.
func (s *site) request(method, body string, headers ...string) *http.Response {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
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
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { res.Body.Close() })
	return res
}

// post sends a message and returns the status and the body.
func (s *site) post(body string, headers ...string) (int, string) {
	s.t.Helper()
	res := s.request(http.MethodPost, body, headers...)
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
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
	of := "Mcp-Session-Id: " + id
	if status, body := s.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, append(headers, of)...); status != 202 || body != "" {
		s.t.Fatalf("initialized: %d %s", status, body)
	}
	return of
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

func TestHandshakeEra(t *testing.T) {
	for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		s := start(t, DefaultLimits, files("x/h/a=1", "x/h/b=2"))
		of := s.session(version)
		status, body := s.post(call("resources/read", `"uri":"x://h/a"`), of, "MCP-Protocol-Version: "+version)
		if status != 200 || body != `{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"x://h/a","mimeType":"text/plain","text":"1"}]}}` {
			t.Errorf("%s: %d %s", version, status, body)
		}
		if status, body := s.post(call("ping", ""), of); status != 200 || body != `{"jsonrpc":"2.0","id":1,"result":{}}` {
			t.Errorf("%s: %d %s", version, status, body)
		}
		if status, body := s.post(call("resources/read", `"uri":"x://h/none"`), of); status != 200 || !strings.Contains(body, `"code":-32002`) {
			t.Errorf("%s: %d %s", version, status, body)
		}
		if res := s.request(http.MethodDelete, "", of); res.StatusCode != 204 {
			t.Errorf("DELETE: %d", res.StatusCode)
		}
		if status, _ := s.post(call("ping", ""), of); status != 404 {
			t.Errorf("a session that has ended: %d", status)
		}
	}
}

func TestOldVersionIsNotAgreedOn(t *testing.T) {
	s := start(t, DefaultLimits, files())
	if _, body := s.post(hello("2024-11-05")); !strings.Contains(body, `"protocolVersion":"2025-03-26"`) {
		t.Error(body)
	}
}

func TestStatelessEra(t *testing.T) {
	s := start(t, DefaultLimits, files("x/h/a=1", "x/h/é b=2"))
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

// What HTTP itself checks has the status that HTTP has for it, and a JSON-RPC error.
func TestRefusals(t *testing.T) {
	s := start(t, DefaultLimits, files("x/h/a=1"))
	of := s.session("2025-06-18")
	old := s.session("2025-03-26")
	for _, test := range []struct {
		name, method, body string
		headers            []string
		status             int
		contains           string
	}{
		{"media type", "POST", call("ping", ""), []string{of, "Content-Type: text/plain"}, 415, ""},
		{"no media type", "POST", call("ping", ""), []string{of, "Content-Type:"}, 415, ""},
		{"charset", "POST", call("ping", ""), []string{of, "Content-Type: application/json; charset=latin1"}, 415, ""},
		{"charset UTF-8", "POST", call("ping", ""), []string{of, "Content-Type: Application/JSON; charset=UTF-8"}, 200, ""},
		{"compressed", "POST", call("ping", ""), []string{of, "Content-Encoding: gzip"}, 415, ""},
		{"not compressed", "POST", call("ping", ""), []string{of, "Content-Encoding: identity"}, 200, ""},
		{"accept", "POST", call("ping", ""), []string{of, "Accept: text/plain"}, 406, ""},
		{"accept one", "POST", call("ping", ""), []string{of, "Accept: application/json"}, 406, ""},
		{"accept any", "POST", call("ping", ""), []string{of, "Accept: */*"}, 200, ""},
		{"no accept", "POST", call("ping", ""), []string{of, "Accept:"}, 200, ""},
		{"accept not", "POST", call("ping", ""), []string{of, "Accept: application/json;q=0, text/event-stream"}, 406, ""},
		{"bad JSON", "POST", `{"jsonrpc":`, []string{of}, 400, `"id":null,"error":{"code":-32700`},
		{"not UTF-8", "POST", "\"\xff\"", []string{of}, 400, `"code":-32700`},
		{"nothing", "POST", " ", []string{of}, 400, `"code":-32700`},
		{"no request", "POST", `{"id":3}`, []string{of}, 400, `"id":3,"error":{"code":-32600`},
		{"too large", "POST", `"` + strings.Repeat("a", maxBody) + `"`, []string{of}, 413, ""},
		{"version", "POST", call("ping", ""), []string{of, "MCP-Protocol-Version: 1999-01-01"}, 400, ""},
		{"version that is no date", "POST", call("ping", ""), []string{of, "MCP-Protocol-Version: 2025-06"}, 400, ""},
		{"no session", "POST", call("ping", ""), nil, 400, ""},
		{"unknown session", "POST", call("ping", ""), []string{"Mcp-Session-Id: x"}, 404, ""},
		{"foreign session", "POST", call("ping", ""), []string{of, "Caller: mallory"}, 404, ""},
		{"foreign stream", "GET", "", []string{of, "Caller: mallory"}, 404, ""},
		{"foreign end", "DELETE", "", []string{of, "Caller: mallory"}, 404, ""},
		{"second initialize", "POST", hello("2025-06-18"), []string{of}, 400, `"code":-32600`},
		{"GET without session", "GET", "", nil, 405, ""},
		{"GET of JSON", "GET", "", []string{of, "Accept: application/json"}, 406, ""},
		{"DELETE without session", "DELETE", "", nil, 400, ""},
		{"method", "PUT", call("ping", ""), []string{of}, 405, ""},
		{"batch", "POST", "[" + call("ping", "") + "]", []string{of}, 400, `"code":-32600`},
		{"empty batch", "POST", "[]", []string{old}, 400, `"code":-32600`},
		{"response", "POST", `{"jsonrpc":"2.0","id":1,"result":{}}`, []string{of}, 202, ""},
		{"notification", "POST", `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`, []string{of}, 202, ""},
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

// A proxy might go by another one of two headers than the server.
func TestHeadersAreThereOnce(t *testing.T) {
	s := start(t, DefaultLimits, files("x/h/a=1"))
	of := s.session("2025-11-25")
	send := func(method, body, name string, values ...string) int {
		req, err := http.NewRequestWithContext(t.Context(), method, s.url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		key, id, _ := strings.Cut(of, ": ")
		req.Header.Set(key, id)
		req.Header[name] = values
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res.StatusCode
	}
	id := strings.TrimPrefix(of, "Mcp-Session-Id: ")
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
	if got := send("POST", body, "Mcp-Method", "ping", "tools/call"); got != 400 {
		t.Errorf("Mcp-Method twice: %d", got)
	}
	if got := send("GET", "body", "Accept", "*/*"); got != 400 {
		t.Errorf("GET with a body: %d", got)
	}
}

func TestBatch(t *testing.T) {
	s := start(t, DefaultLimits, files("x/h/a=1"))
	of := s.session("2025-03-26")
	status, body := s.post(`[`+call("ping", "")+`,{"jsonrpc":"2.0","method":"x"},3,{"jsonrpc":"2.0","id":"2","method":"resources/read","params":{"uri":"x://h/a"}},`+hello("2025-03-26")+`]`, of)
	want := `[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: not an object"}},` +
		`{"jsonrpc":"2.0","id":"2","result":{"contents":[{"uri":"x://h/a","mimeType":"text/plain","text":"1"}]}},{"jsonrpc":"2.0","id":"init","error":{"code":-32600,"message":"invalid request: initialize in a batch"}}]`
	if diff := cmp.Diff(want, body); status != 200 || diff != "" {
		t.Errorf("%d (-want +got):\n%s", status, diff)
	}
	if status, body := s.post(`[{"jsonrpc":"2.0","method":"x"}]`, of); status != 202 || body != "" {
		t.Errorf("%d %s", status, body)
	}
}

// An event is one of a stream.
type event struct{ id, data string }

// events reads a stream.
func events(res *http.Response) func() event {
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<26)
	return func() (e event) {
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ":")
			switch value = strings.TrimPrefix(value, " "); {
			case name == "id":
				e.id = value
			case name == "data":
				e.data = value
			case lines.Text() == "" && (e.id != "" || e.data != ""):
				return e
			}
		}
		return event{data: "end"}
	}
}

func TestStreamOfASession(t *testing.T) {
	s := start(t, DefaultLimits, files("x/h/a=1"))
	of := s.session("2025-11-25")
	s.post(call("resources/subscribe", `"uri":"x://h/a"`), of)
	s.change(files("x/h/a=2", "x/h/b=1")) // while there is no stream
	first := s.request(http.MethodGet, "", of)
	if first.StatusCode != 200 || first.Header.Get("Content-Type") != "text/event-stream" || first.Header.Get("X-Accel-Buffering") != "no" {
		t.Fatalf("%d %v", first.StatusCode, first.Header)
	}
	next := events(first)
	changed := event{"1", `{"jsonrpc":"2.0","method":"notifications/resources/list_changed","params":{}}`}
	updated := event{"2", `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x://h/a"}}`}
	for _, want := range []event{{"0", ""}, changed, updated} {
		if got := next(); got != want {
			t.Errorf("%v, want %v", got, want)
		}
	}
	// A new stream replaces the old, and repeats what came after the event that its client had
	// last.
	second := events(s.request(http.MethodGet, "", of, "Last-Event-ID: 1"))
	if got := next(); got.data != "end" {
		t.Errorf("the old stream goes on: %v", got)
	}
	for _, want := range []event{{"1", ""}, updated} {
		if got := second(); got != want {
			t.Errorf("%v, want %v", got, want)
		}
	}
	third := events(s.request(http.MethodGet, "", "Mcp-Session-Id:", "Query: sessionId="+strings.TrimPrefix(of, "Mcp-Session-Id: ")))
	if got := third(); got != (event{"2", ""}) {
		t.Errorf("%v", got)
	}
	s.change(files("x/h/a=3", "x/h/b=1"))
	if got := third(); got.id != "3" || got.data != updated.data {
		t.Errorf("%v", got)
	}
	s.request(http.MethodDelete, "", of)
	if got := third(); got.data != "end" {
		t.Errorf("the stream of an ended session: %v", got)
	}
}

func TestListen(t *testing.T) {
	s := start(t, DefaultLimits, files("x/h/a=1"))
	body, headers := modern("subscriptions/listen", `"notifications":{"resourcesListChanged":true,"resourceSubscriptions":["x://h/a","no://"]}`, "")
	next := events(s.request(http.MethodPost, body, headers...))
	for _, want := range []string{
		`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7},"notifications":{"resourcesListChanged":true,"resourceSubscriptions":["x://h/a"]}}}`,
	} {
		if got := next(); got != (event{"", want}) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	s.change(files("x/h/a=2"))
	if got := next(); got.data != `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7},"uri":"x://h/a"}}` {
		t.Errorf("%v", got)
	}
	s.server.EndListens()
	var last struct {
		ID     int
		Result struct {
			ResultType string
			Meta       map[string]any `json:"_meta"`
		}
	}
	if err := json.Unmarshal([]byte(next().data), &last); err != nil || last.ID != 7 || last.Result.ResultType != "complete" || last.Result.Meta["io.modelcontextprotocol/subscriptionId"] != 7.0 {
		t.Errorf("%v %+v", err, last)
	}
	body, headers = modern("subscriptions/listen", "", "")
	if status, answer := s.post(body, headers...); status != 400 || !strings.Contains(answer, "-32602") {
		t.Errorf("%d %s", status, answer)
	}
	for s.shared.streams.count() > 0 {
		time.Sleep(time.Millisecond)
	}
}

// When a client goes away, so does its listen.
func TestListenEndsWithItsClient(t *testing.T) {
	s := start(t, DefaultLimits, files("x/h/a=1"))
	body, headers := modern("subscriptions/listen", `"notifications":{"resourceSubscriptions":["x://h/a"]}`, "")
	res := s.request(http.MethodPost, body, headers...)
	events(res)()
	if _, streams := s.shared.Counts(); streams != 1 {
		t.Errorf("%d streams", streams)
	}
	res.Body.Close()
	for s.shared.streams.count() > 0 {
		time.Sleep(time.Millisecond)
	}
}

func TestLimits(t *testing.T) {
	s := start(t, Limits{Idle: time.Hour, CallerTotal: 2, OverallTotal: 3}, files("x/h/a=1"))
	a, _ := s.session("2025-06-18", "Caller: a"), s.session("2025-06-18", "Caller: a")
	if res := s.request(http.MethodPost, hello("2025-06-18"), "Caller: a"); res.StatusCode != 503 || res.Header.Get("Retry-After") == "" {
		t.Errorf("a third session of a caller: %d", res.StatusCode)
	}
	s.session("2025-06-18", "Caller: b")
	if status, _ := s.post(hello("2025-06-18"), "Caller: c"); status != 503 {
		t.Errorf("a fourth session: %d", status)
	}
	s.request(http.MethodDelete, "", a, "Caller: a")
	s.session("2025-06-18", "Caller: c")
	listen, headers := modern("subscriptions/listen", `"notifications":{}`, "")
	for range 2 {
		events(s.request(http.MethodPost, listen, append(headers, "Caller: a")...))()
	}
	if status, _ := s.post(listen, append(headers, "Caller: a")...); status != 503 {
		t.Errorf("a third stream: %d", status)
	}
}

func TestIdleSessionsEnd(t *testing.T) {
	s := start(t, Limits{Idle: 20 * time.Millisecond, CallerTotal: 10, OverallTotal: 10}, files("x/h/a=1"))
	idle, streaming := s.session("2025-06-18"), s.session("2025-06-18")
	next := events(s.request(http.MethodGet, "", streaming))
	for s.shared.sessions.quota.count() > 1 {
		time.Sleep(time.Millisecond)
	}
	if status, _ := s.post(call("ping", ""), idle); status != 404 {
		t.Errorf("the idle session: %d", status)
	}
	s.change(files("x/h/b=1"))
	if got := next(); !strings.Contains(got.data, "list_changed") {
		t.Errorf("a session with a stream: %v", got)
	}
}

// Many large reads need no more memory than the budget allows, and each is answered with its bytes.
func TestLargeReadsAreStreamed(t *testing.T) {
	blob := bytes.Repeat([]byte("\x00\xff0123456789"), 12<<20/12)
	s := start(t, DefaultLimits, files("x/h/a.bin="+string(blob)))
	of := s.session("2025-06-18")
	want := base64.StdEncoding.EncodeToString(blob)
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			_, body := s.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/read","params":{"uri":"x://h/a.bin"}}`, i), of)
			if !strings.Contains(body, want) {
				t.Errorf("read %d has other bytes", i)
			}
		})
	}
	wait.Wait()
}

// A list is compressed for those who ask for it, and small answers have a length.
func TestEncodings(t *testing.T) {
	s := start(t, DefaultLimits, files("x/h/a=1"))
	of := s.session("2025-06-18")
	res := s.request(http.MethodPost, call("resources/list", ""), of, "Accept-Encoding: gzip")
	if res.Header.Get("Content-Encoding") != "gzip" || res.Header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("%v", res.Header)
	}
	res = s.request(http.MethodPost, call("resources/read", `"uri":"x://h/a"`), of, "Accept-Encoding: gzip")
	if res.Header.Get("Content-Encoding") != "" || res.ContentLength <= 0 {
		t.Errorf("%v", res.Header)
	}
}

// A client that sends its request slowly, or in chunks, is answered all the same.
func TestChunkedBody(t *testing.T) {
	s := start(t, DefaultLimits, files("x/h/a=1"))
	of := s.session("2025-06-18")
	r, w := io.Pipe()
	go func() {
		body := call("ping", `"pad":"`+strings.Repeat("x", 3*smallBody)+`"`)
		for len(body) > 0 {
			n := min(len(body), 10_000)
			_, _ = io.WriteString(w, body[:n])
			body = body[n:]
		}
		w.Close()
	}()
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url, r)
	req.Header.Set("Content-Type", "application/json")
	name, value, _ := strings.Cut(of, ": ")
	req.Header.Set(name, value)
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if data, _ := io.ReadAll(res.Body); res.StatusCode != 200 {
		t.Errorf("%d %s", res.StatusCode, data)
	}
}

func TestObservations(t *testing.T) {
	s := start(t, DefaultLimits, files("x/h/a=1"))
	s.server.SetFeatures(server.Features{ResourceTools: true})
	s.server.SetLibrary(nil)
	of := s.session("2025-06-18", "Caller: alice")
	s.post(call("resources/read", `"uri":"x://h/a"`), of, "Caller: alice")
	s.post(call("resources/read", `"uri":"x://h/none"`), of, "Caller: alice")
	s.post(call("tools/call", `"name":"read_resource","arguments":{"uri":"x://h/none"}`), of, "Caller: alice")
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

// An answer that cannot be completed ends the connection: no client takes a part for the whole.
func TestCutAnswerEndsTheConnection(t *testing.T) {
	tree := files("x/h/a=" + strings.Repeat("a", 11<<20))
	s := start(t, DefaultLimits, &changing{MapFS: tree})
	body, headers := modern("resources/read", `"uri":"x://h/a"`, "x://h/a")
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url, strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return // as it is to be
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err == nil {
		t.Error("the answer seems whole")
	}
}

// changing is a tree whose files are others each time they are opened.
type changing struct {
	fstest.MapFS
	mu    sync.Mutex
	times int
}

func (c *changing) Open(name string) (fs.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if name == "resources/x/h/a" {
		c.times++
		c.MapFS[name] = &fstest.MapFile{Data: bytes.Repeat([]byte{byte('a' + c.times)}, 11<<20), ModTime: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	}
	return c.MapFS.Open(name)
}

// A panic while an answer is written is the error of that call, and the connection is of use.
func TestPanicOfAResult(t *testing.T) {
	broken := false
	s := startWith(t, DefaultLimits, files("x/h/a=1"), server.Options{Live: func() server.Liveness {
		if broken {
			panic("the answer is being written")
		}
		return server.Liveness{}
	}})
	body, headers := modern("resources/list", "", "")
	for _, broken = range []bool{false, true, false} {
		want := `"result":{`
		if broken {
			want = `"error":{"code":-32603,"message":"internal error: see the log of the server"}`
		}
		for _, coding := range []string{"identity", "gzip"} {
			res := s.request(http.MethodPost, body, append(headers, "Accept-Encoding: "+coding)...)
			var from io.Reader = res.Body
			if res.Header.Get("Content-Encoding") == "gzip" {
				var err error
				if from, err = gzip.NewReader(res.Body); err != nil {
					t.Fatal(err)
				}
			}
			data, err := io.ReadAll(from)
			if err != nil || res.StatusCode != 200 || !strings.Contains(string(data), want) || !json.Valid(data) {
				t.Errorf("broken %v, %s: %v, %d %s", broken, coding, err, res.StatusCode, data)
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var outcomes []string
	for _, o := range s.observed {
		outcomes = append(outcomes, o.Outcome)
	}
	if diff := cmp.Diff([]string{"ok", "ok", "-32603", "-32603", "ok", "ok"}, outcomes); diff != "" {
		t.Error("outcomes (-want +got):\n", diff)
	}
}
