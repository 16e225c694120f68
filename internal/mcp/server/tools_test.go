package server

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

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
	f := start(t, protocol.Handshake, files(), "[]")
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
		f := start(t, e, files("x/h/a.txt=1", "x/h/big.txt="+strings.Repeat("a", 1001)), "[]")
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
