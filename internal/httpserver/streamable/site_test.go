package streamable

import (
	"context"
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

// A header is "Name: value"; "Name:" removes a default.
func (s *site) request(method, body string, headers ...string) *http.Response {
	s.t.Helper()
	req := must.Get(http.NewRequestWithContext(s.t.Context(), method, s.url, strings.NewReader(body)))(s.t)
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
	res := must.Get(http.DefaultTransport.RoundTrip(req))(s.t)
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
