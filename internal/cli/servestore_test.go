package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/postgres"
)

// body returns the body of an answer.
func body(t *testing.T, url string) string {
	t.Helper()
	res := must.Get(http.Get(url))(t)
	defer res.Body.Close()
	return string(must.Get(io.ReadAll(res.Body))(t))
}

// The start says what replicas do not share. Nothing that the server prints has the URL of the store.
func TestServeWithStore(t *testing.T) {
	withoutVariables(t)
	dir := given.Folder(t, goodConfig, "docs/a.md=# A")
	t.Setenv("MCP_DOCS_SESSION_KEY", "0123456789abcdef0123456789abcdef")
	for store, test := range map[string]struct {
		args         []string
		says, health string
	}{
		"": {nil, "resources/subscribe is not offered", ""},
		strings.Replace(postgres.URL(t), "postgres@", "postgres:secret@", 1): {[]string{"--capture"}, "", `"store":"ok"`},
		"postgres://docs:secret@127.0.0.1:1/docs":                            {[]string{"--capture"}, "calls that need it fail until it can", `"store":"unreachable"`},
	} {
		t.Run(test.says, func(t *testing.T) {
			if store != "" {
				t.Setenv("MCP_DOCS_STORE", store)
			}
			base, printed := startHTTP(t, append(test.args, "--http=127.0.0.1:0", dir)...)
			must.Until(t, "health", func() bool { return strings.Contains(body(t, base+"/health"), `"healthy"`) })
			if health := body(t, base+"/health"); !strings.Contains(health, test.health) || test.health == "" && strings.Contains(health, "store") {
				t.Errorf("%s", health)
			}
			if metrics := body(t, base+"/metrics"); !strings.Contains(metrics, `mcp_docs_sessions{instance="`) || strings.Contains(metrics, "secret") {
				t.Errorf("%s", metrics)
			}
			out := printed.String()
			if !strings.Contains(out, test.says) || test.says == "" && strings.Contains(out, "sessions") || strings.Contains(out, "secret") || strings.Contains(out, "sslmode") || strings.Contains(out, "postgres:") {
				t.Errorf("%s", out)
			}
			if tools := answerOf(t, base, "tools/list", map[string]any{}); strings.Contains(tools, `"scrape"`) != (len(test.args) > 0) {
				t.Errorf("%s", tools)
			}
		})
	}
}

// answerOf returns the answer to a request of 2026-07-28 over HTTP, with more headers: their names, each with its value.
func answerOf(t *testing.T, base, method string, params map[string]any, headers ...string) string {
	t.Helper()
	params["_meta"] = map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": map[string]string{"name": "t", "version": "1"}, "io.modelcontextprotocol/clientCapabilities": map[string]any{}}
	data := must.Get(json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))(t)
	req := must.Get(http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/mcp", bytes.NewReader(data)))(t)
	for key, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method} {
		req.Header.Set(key, value)
	}
	for pair := range slices.Chunk(headers, 2) {
		req.Header.Set(pair[0], pair[1])
	}
	for _, key := range []string{"name", "uri"} {
		if named, ok := params[key].(string); ok {
			req.Header.Set("Mcp-Name", named)
		}
	}
	res := must.Get(http.DefaultClient.Do(req))(t)
	defer res.Body.Close()
	return string(must.Get(io.ReadAll(res.Body))(t))
}

// A database that accepts connections and does not answer delays the start by 5 seconds. Over standard input and output, the server
// does not connect to it.
func TestStoreThatDoesNotAnswer(t *testing.T) {
	withoutVariables(t)
	dir := given.Folder(t, goodConfig, "docs/a.md=# A")
	silent := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	connected := make(chan struct{}, 100)
	go func() {
		for {
			conn, err := silent.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { conn.Close() })
			connected <- struct{}{}
		}
	}()
	defer silent.Close()
	t.Setenv("MCP_DOCS_STORE", "postgres://docs:secret@"+silent.Addr().String()+"/docs")
	if code, _, errors := run(t, strings.NewReader(""), "serve", dir); code != 0 || len(connected) > 0 {
		t.Errorf("over standard input: code %d, %d connections, %s", code, len(connected), errors)
	}
	began := time.Now()
	base, printed := startHTTP(t, "--http=127.0.0.1:0", dir)
	if health, took := body(t, base+"/health"), time.Since(began); !strings.Contains(health, `"store":"unreachable"`) || took > 20*time.Second {
		t.Errorf("after %v: %s", took, health)
	}
	if out := printed.String(); !strings.Contains(out, "the store cannot be reached: it does not answer") || strings.Contains(out, "secret") || len(connected) == 0 {
		t.Error(out)
	}
}
