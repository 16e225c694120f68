package server

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
)

// use calls a tool and returns its content, and whether it reports a mistake of the caller.
func (f *fixture) use(name string, args any) ([]any, bool) {
	f.t.Helper()
	params := map[string]any{"name": name}
	if args != nil {
		params["arguments"] = args
	}
	res := f.must("tools/call", params)
	isError, _ := res["isError"].(bool)
	return res["content"].([]any), isError
}

// says returns the only text of a content.
func says(t *testing.T, content []any) string {
	t.Helper()
	item, ok := content[0].(map[string]any)
	if len(content) != 1 || !ok || item["type"] != "text" {
		t.Fatalf("content is %v", content)
	}
	return item["text"].(string)
}

func TestToolHints(t *testing.T) {
	f := start(t, protocol.Handshake, given.Resources(), "[]")
	f.eventually(func() bool { return f.server.hub.Counts().Streams == 1 })
	f.server.SetFeatures(Features{ResourceTools: true})
	f.hears(heard{Method: "notifications/tools/list_changed"})
	for _, item := range f.must("tools/list", nil)["tools"].([]any) {
		hints := item.(map[string]any)["annotations"].(map[string]any)
		if hints["readOnlyHint"] != true || hints["openWorldHint"] != false {
			t.Errorf("%v", item)
		}
	}
	f.fails(jsonrpc.CodeInvalidParams, "tools/list", map[string]any{"cursor": "x"})
}

// If a tool refuses a call or cannot read a resource, the result says so. A tool that does not
// exist is an error.
func TestToolMistakes(t *testing.T) {
	bothEras(t, func(t *testing.T, e protocol.Era) {
		f := start(t, e, given.Resources("x/h/a.txt=1", "x/h/big.txt="+strings.Repeat("a", 1001)), "[]")
		f.server.SetFeatures(Features{ResourceTools: true, Connector: true})
		for _, test := range []struct {
			tool, argument, value, want string
		}{
			{"read_resource", "uri", "x://h/a.tx", `resource not found: "x://h/a.tx"; did you mean x://h/a.txt?`},
			{"read_resource", "uri", "x://h/big.txt", `cannot read "x://h/big.txt": 1001 bytes are more than limits.maxReadBytes allows (1000)`},
			{"fetch", "id", "x://h/big.txt", `cannot read "x://h/big.txt": 1001 bytes are more than limits.maxReadBytes allows (1000)`},
			{"fetch", "uri", "x", `id is missing`},
			{"search", "qurey", "x", `query is missing; qurey was ignored: it is not an argument; did you mean query?`},
		} {
			content, isError := f.use(test.tool, map[string]any{test.argument: test.value})
			if got := says(t, content); got != test.want || !isError {
				t.Errorf("%s %s: %q, want %q", test.tool, test.value, got, test.want)
			}
		}
		content, _ := f.use("fetch", map[string]any{"id": strings.Repeat("x", 1<<20)})
		if got := says(t, content); len(got) > maxMistake {
			t.Errorf("a mistake of %d bytes", len(got))
		}
		content, _ = f.use("fetch", map[string]any{strings.Repeat("x", 1<<20): "x"})
		if got := says(t, content); len(got) > maxMistake {
			t.Errorf("a mistake of %d bytes", len(got))
		}
		if err := f.fails(jsonrpc.CodeInvalidParams, "tools/call", map[string]any{"name": "read_resorce"}); err.Message != `there is no tool "read_resorce"; did you mean read_resource?` {
			t.Error(err)
		}
	})
}

// The audit contains requested URLs without passwords.
func TestPasswordsAreNotAudited(t *testing.T) {
	for address, want := range map[string]string{
		"https://user:secret@example.com/a@b": "https://xxxxx@example.com/a@b", "https://example.com/a@b?c@d": "https://example.com/a@b?c@d",
		"user:secret@example.com": "xxxxx@example.com", "https://user:a@b@example.com": "https://xxxxx@example.com", "": "", "//": "//",
	} {
		if got := withoutPassword(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

// A tool of another package has its own hints, answers with all kinds of blocks, knows its caller
// and reports progress.
func TestToolsOfOthers(t *testing.T) {
	bothEras(t, func(t *testing.T, e protocol.Era) {
		var late func(done, total float64, message string)
		tool := tools.Tool{
			Name: "look", Title: "Look", Description: "Looks.", Schema: json.RawMessage(`{"type":"object"}`), Hints: tools.Hints{OpenWorld: true},
			Run: func(_ context.Context, c tools.Call) (*tools.Output, error) {
				c.Report(0, 2, "begins")
				c.Report(-1, 2, "goes back")
				c.Report(2, 2, "ends")
				late = c.Progress
				return tools.FailedAnswer(
					tools.Block{Text: "a"},
					tools.Block{Image: &tools.Image{MIME: "image/png", Data: []byte{1, 2, 3, 4}}},
					tools.Block{Resource: &tools.Resource{URI: "m://a", Name: "n", MIME: "text/markdown", Text: new("\"t\"")}},
					tools.Block{Resource: &tools.Resource{URI: "m://b", Blob: []byte{}}},
					tools.Block{Link: &tools.Link{URI: "m://c", Name: "c", Title: "C", MIME: "text/plain", Description: "d", Size: 3}},
				), nil
			},
		}
		f := startAs(t, e, given.Resources(), "[]", Options{Tools: []tools.Tool{tool}}, func(s *Server) { s.options.Prompts.Publish(nil) })
		listed, _ := json.Marshal(f.must("tools/list", nil)["tools"])
		if want := `"annotations":{"destructiveHint":false,"idempotentHint":false,"openWorldHint":true,"readOnlyHint":false}`; !strings.Contains(string(listed), want) {
			t.Errorf("%s", listed)
		}
		res := f.must("tools/call", map[string]any{"name": "look"})
		got, _ := json.Marshal(res["content"])
		if want := `[{"text":"a","type":"text"},{"data":"AQIDBA==","mimeType":"image/png","type":"image"},` +
			`{"resource":{"mimeType":"text/markdown","name":"n","text":"\"t\"","uri":"m://a"},"type":"resource"},{"resource":{"blob":"","uri":"m://b"},"type":"resource"},` +
			`{"description":"d","mimeType":"text/plain","name":"c","size":3,"title":"C","type":"resource_link","uri":"m://c"}]`; string(got) != want || res["isError"] != true {
			t.Errorf("%s", got)
		}
		if late != nil {
			t.Error("a call that did not ask for progress can report some")
		}
		params := map[string]any{"name": "look", "_meta": map[string]any{"progressToken": 7}}
		maps.Copy(params["_meta"].(map[string]any), metaOf(e))
		raw, _ := json.Marshal(params)
		id, _ := jsonrpc.MakeID("p")
		f.send(&jsonrpc.Request{ID: id, Method: "tools/call", Params: raw})
		var last string
		for {
			m := must.Get(f.conn.Read(t.Context()))(t)
			if req, ok := m.(*jsonrpc.Request); ok {
				last = req.Method + string(req.Params)
				continue
			}
			break
		}
		if want := `notifications/progress{"progressToken":7,"progress":2,"total":2,"message":"ends"}`; last != want {
			t.Errorf("the last before the answer is %s", last)
		}
		late(3, 3, "after the end")
		f.must("tools/list", nil)
	})
}
