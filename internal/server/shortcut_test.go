package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/stdio"
)

// raw sends a request whose params are JSON as they are ("" for none) and returns what came back, as JSON without order.
func (f *fixture) raw(method, params string) string {
	f.t.Helper()
	f.id++
	id, err := jsonrpc.MakeID(f.id)
	if err != nil {
		f.t.Fatal(err)
	}
	f.send(&jsonrpc.Request{ID: id, Method: method, Params: json.RawMessage(params)})
	for {
		m, err := f.conn.Read(f.t.Context())
		if err != nil {
			f.t.Fatal(err)
		}
		res, ok := m.(*jsonrpc.Response)
		if !ok || res.ID != id {
			continue
		}
		if res.Error != nil {
			return fmt.Sprintf("error %#v", res.Error)
		}
		var result any
		if err := json.Unmarshal(res.Result, &result); err != nil {
			f.t.Fatal(err)
		}
		sorted, err := json.Marshal(result)
		if err != nil {
			f.t.Fatal(err)
		}
		return string(sorted)
	}
}

// overSDK returns a client and a server at the ends of two pipes that the SDK reads all requests from.
func overSDK() (ours, theirs mcp.Transport) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	return &mcp.IOTransport{Reader: outR, Writer: inW}, sdkOnly{&stdio.Transport{In: inR, Out: outW}}
}

type sdkOnly struct{ mcp.Transport }

// The shortcut takes what the SDK would answer, and the answer is the same.
func TestShortcutAnswersLikeTheSDK(t *testing.T) {
	tree := files("x/h/a.md=1", "x/h/b\"\u2028<&>.bin=\x00\xff", "x/h/utf16.txt=\xff\xfeh\x00i\x00", "x/h/empty.txt", "x/folder/a=1", "x/folder/b=2", "x/h/big="+strings.Repeat("a", 1001), "docs/x/1.md=# One", "docs/x/2.md=# Two")
	meta := func(version string) string {
		return `"_meta":{"io.modelcontextprotocol/protocolVersion":` + version + `,"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	}
	var params []string
	for _, uri := range []string{`"x://h/a.md"`, `"X://h/%61.md"`, `"x://h/b%22%E2%80%A8%3C&%3E.bin"`, `"x://h/b\"\u2028<&>.bin"`, `"x://h/utf16.txt"`, `"x://h/empty.txt"`,
		`"x://folder"`, `"x://folder/"`, `"x://h/big"`, `"x://h/none"`, `"\ud800"`, `""`, `1`, `null`, `["x://h/a.md"]`, `{}`, `true`} {
		params = append(params, `{"uri":`+uri+`}`, `{"uri":`+uri+`,`+meta(`"2026-07-28"`)+`}`)
	}
	for _, version := range []string{`"2025-06-18"`, `"2026-07-28"`, `"2026-07-29"`, `"9"`, `""`, `null`, `1`, `"\u0032026-07-28"`} {
		params = append(params, `{"uri":"x://h/a.md",`+meta(version)+`}`, `{`+meta(version)+`,"cursor":""}`)
	}
	for _, m := range []string{`null`, `{}`, `[]`, `1`, `"x"`, `{"progressToken":1}`, `{"progressToken":{}}`, `{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`,
		`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":1,"io.modelcontextprotocol/clientCapabilities":{}}`,
		`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":null,"io.modelcontextprotocol/clientCapabilities":{}}`,
		`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":1},"io.modelcontextprotocol/clientCapabilities":{}}`,
		`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"sampling":1}}`,
		`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":null}`,
		`{"io.modelcontextprotocol/clientCapabilities":1}`, `{"io.modelcontextprotocol/clientInfo":1}`,
		`{"a":1e999}`, `{"a":[[[]]]}`, `{"a":"b","c":true,"d":1.5e3,"e":null}`, `{"io.modelcontextprotocol/logLevel":"debug"}`, `{"io.modelcontextprotocol/logLevel":1}`,
	} {
		params = append(params, `{"uri":"x://h/a.md","_meta":`+m+`}`)
	}
	params = append(params, ``, `{}`, `{"cursor":"x"}`, `{"cursor":1}`, `{"cursor":null}`, `{"URI":"x://h/a.md"}`, `{"uri":"x://h/a.md","uri":"x://folder/a"}`,
		`{"uri":"x://h/a.md","URI":"x://folder/a"}`, `{"\u0075ri":"x://h/a.md"}`, `{"uri":"x://h/a.md","inputResponses":{}}`, `{"uri":"x://h/a.md","inputResponses":1}`,
		`{"uri":"x://h/a.md","requestState":1}`, `{"uri":"x://h/a.md","else":[1]}`, `{"Cursor":"x"}`, `{"uri":"x://h/a.md","x":1}`,
		`{"uri":"x://h/a.md",`+meta(`"2026-07-28"`)+`,"_meta":{"progressToken":1}}`)

	for _, begin := range []string{"2025-06-18", "2024-11-05", ""} {
		t.Run(begin, func(t *testing.T) {
			short := start(t, stateless, tree, apiTemplates)
			long := &fixture{t: t, server: short.server, current: short.current, era: stateless}
			long.connect(overSDK())
			if begin != "" {
				for _, f := range []*fixture{short, long} {
					f.raw("initialize", `{"protocolVersion":"`+begin+`","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
					f.send(&jsonrpc.Request{Method: "notifications/initialized"})
				}
			}
			for _, p := range params {
				for _, method := range []string{"resources/read", "resources/list"} {
					if diff := cmp.Diff(long.raw(method, p), short.raw(method, p)); diff != "" {
						t.Errorf("%s %s (-SDK +shortcut):\n%s", method, p, diff)
					}
				}
			}
			var page struct{ NextCursor string }
			if err := json.Unmarshal([]byte(short.raw("resources/list", `{`+meta(`"2026-07-28"`)+`}`)), &page); err != nil || page.NextCursor == "" {
				t.Fatalf("no cursor: %v", err)
			}
			next := `{"cursor":"` + page.NextCursor + `",` + meta(`"2026-07-28"`) + `}`
			if diff := cmp.Diff(long.raw("resources/list", next), short.raw("resources/list", next)); diff != "" {
				t.Errorf("second page (-SDK +shortcut):\n%s", diff)
			}
		})
	}
}

// The SDK sees nothing of what takes the shortcut, but the request that a stateless session begins with.
func TestShortcutIsTaken(t *testing.T) {
	bothEras(t, func(t *testing.T, e era) {
		f := start(t, e, files("x/h/a=1"), "[]")
		var seen atomic.Int32
		f.server.mcp.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
			return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
				if strings.HasPrefix(method, "resources/") {
					seen.Add(1)
				}
				return next(ctx, method, req)
			}
		})
		for range 3 {
			f.must("resources/read", map[string]any{"uri": "x://h/a"})
			f.must("resources/list", nil)
		}
		want := int32(0)
		if e == stateless {
			want = 1
		}
		if n := seen.Load(); n != want {
			t.Errorf("the SDK saw %d requests, want %d", n, want)
		}
	})
}
