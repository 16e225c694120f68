package server

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
)

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
					tools.Block{Resource: &tools.Resource{URI: "m://a", Name: "n", MIME: "text/markdown", Text: "\"t\""}},
					tools.Block{Resource: &tools.Resource{URI: "m://b", Blob: []byte{}}},
					tools.Block{Link: &tools.Link{URI: "m://c", Name: "c", Title: "C", MIME: "text/plain", Description: "d", Size: 3}},
				), nil
			},
		}
		f := startAs(t, e, files(), "[]", Options{Tools: []tools.Tool{tool}}, func(s *Server) { s.prompts.Publish(nil) })
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
		if e == protocol.Stateless {
			for k, v := range statelessMeta() {
				params["_meta"].(map[string]any)[k] = v
			}
		}
		raw, _ := json.Marshal(params)
		id, _ := jsonrpc.MakeID("p")
		f.send(&jsonrpc.Request{ID: id, Method: "tools/call", Params: raw})
		var last string
		for {
			m, err := f.conn.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
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

func statelessMeta() map[string]any {
	return map[string]any{
		"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
		"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "t", "version": "1"},
		"io.modelcontextprotocol/clientCapabilities": map[string]any{},
	}
}
