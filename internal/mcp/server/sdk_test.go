package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/race"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// raw sends a request with these JSON params ("" for none) and returns the answer
// as JSON with sorted keys. For an error it returns the code and the data: the SDK words its own messages
// about wrong parameters.
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
		if rpc, ok := res.Error.(*jsonrpc.Error); ok {
			return fmt.Sprintf("error %d %s", rpc.Code, rpc.Data)
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

// overSDK returns a client at the ends of two pipes, and its server. The SDK reads all requests,
// checks them and decodes their parameters, before the server answers them; it answers initialize
// itself.
func (f *fixture) overSDK() (client mcp.Transport, serve func(context.Context) error) {
	var mu sync.Mutex
	subscribers := map[*mcp.ServerSession]*notify.Subscriber{}
	f.server.sdk.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if _, known := methods[method]; !known || method == protocol.MethodInitialize {
				return next(ctx, method, req)
			}
			params, err := json.Marshal(req.GetParams())
			if err != nil {
				return nil, err
			}
			session := req.GetSession().(*mcp.ServerSession)
			mu.Lock()
			if subscribers[session] == nil {
				subscribers[session] = f.server.Open("")
			}
			call := &protocol.Call{ID: []byte("1"), Method: method, Params: params, Session: subscribers[session]}
			mu.Unlock()
			if began := session.InitializeParams(); began != nil {
				call.Version = began.ProtocolVersion
			}
			if string(params) == "null" {
				call.Params = nil
			}
			return settle(f.server.Answer(ctx, call))
		}
	})
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	return &mcp.IOTransport{Reader: outR, Writer: inW}, func(ctx context.Context) error {
		return f.server.sdk.Run(ctx, &mcp.IOTransport{Reader: inR, Writer: outW})
	}
}

// settled is a result for the SDK, which adds the members of _meta itself.
type settled struct {
	mcp.ResultBase
	members map[string]any
}

func settle(res protocol.Result, err error) (mcp.Result, error) {
	if err != nil {
		return nil, err
	}
	defer res.Release()
	var b strings.Builder
	w := jsonwire.NewWriter(&b)
	if err := res.WriteJSON(w); err != nil {
		return nil, err
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	s := &settled{}
	if err := json.Unmarshal([]byte(b.String()), &s.members); err != nil {
		return nil, err
	}
	delete(s.members, "_meta")
	return s, nil
}

func (s *settled) MarshalJSON() ([]byte, error) {
	if s.Meta != nil {
		s.members["_meta"] = s.Meta
	}
	return json.Marshal(s.members)
}

// The server refuses what the SDK refuses, and answers the rest with the same results.
func TestAnswersLikeTheSDK(t *testing.T) {
	tree := files("x/h/a.md=1", "x/h/b\"\u2028<&>.bin=\x00\xff", "x/h/utf16.txt=\xff\xfeh\x00i\x00", "x/h/empty.txt", "x/folder/a=1", "x/folder/b=2", "x/h/big="+strings.Repeat("a", 1001), "docs/x/1.md=# One", "docs/x/2.md=# Two")
	meta := func(version string) string {
		return `"_meta":{"io.modelcontextprotocol/protocolVersion":` + version + `,"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	}
	name, document := `"review"`, `{"path":"docs/x"}`
	calls := map[string][]string{
		"resources/list":           {`"cursor":""`, `"cursor":"x"`, `"cursor":1`, `"cursor":null`, `"Cursor":"x"`},
		"resources/templates/list": {`"cursor":""`, `"cursor":"x"`, `"cursor":[]`},
		"tools/list":               {`"cursor":""`, `"cursor":"x"`, `"cursor":1`},
		"prompts/list":             {`"cursor":""`, `"cursor":"x"`, `"cursor":{}`},
		"resources/subscribe":      {`"uri":"x://h/a.md"`, `"uri":"x://none"`, `"uri":"x://h"`, `"uri":1`, `"uri":null`},
		"resources/unsubscribe":    {`"uri":"x://h/a.md"`, `"uri":"x://none"`, `"uri":1`},
		"tools/call": {`"name":"list_resources"`, `"name":"list_resources","arguments":{"limit":1}`, `"name":"list_resources","arguments":{"limit":"1"}`, `"name":"none"`, `"name":1`,
			`"name":"read_resource","arguments":{"uri":"x://h/a.md"}`, `"name":"read_resource","arguments":null`, `"name":"read_resource","arguments":[1]`, `"name":"read_resource","arguments":1`, `"arguments":` + document},
		"prompts/get": {`"name":` + name, `"name":` + name + `,"arguments":{"what":"this"}`, `"name":` + name + `,"arguments":{"what":1}`, `"name":` + name + `,"arguments":[]`, `"name":"none"`, `"name":[]`},
		"completion/complete": {`"ref":{"type":"ref/resource","uri":"docs://{+path}"},"argument":{"name":"path","value":""}`, `"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"what","value":""}`,
			`"ref":{"type":"ref/resource","uri":"none"},"argument":{"name":"path","value":""}`, `"ref":{"type":"ref/resource","uri":"docs://{+path}"}`, `"argument":{"name":"path","value":""}`,
			`"ref":{"type":"ref/other"},"argument":{"name":"path","value":""}`, `"ref":1`, `"ref":{"type":"ref/resource","uri":"docs://{+path}"},"argument":{"name":"path","value":1}`,
			`"ref":{"type":"ref/resource","uri":"api://{version}/{name}.json"},"argument":{"name":"name","value":""},"context":{"arguments":{"version":"v1"}}`},
		"server/discover": {``},
		// A granted listen does not end; the tests of the hub check its results.
		"subscriptions/listen": {``, `"notifications":1`, `"notifications":[]`, `"notifications":null`, `"notifications":{"resourceSubscriptions":"x://h/a.md"}`, `"notifications":{"toolsListChanged":1}`},
	}
	for _, uri := range []string{`"x://h/a.md"`, `"X://h/%61.md"`, `"x://h/b%22%E2%80%A8%3C&%3E.bin"`, `"x://h/b\"\u2028<&>.bin"`, `"x://h/utf16.txt"`, `"x://h/empty.txt"`,
		`"x://folder"`, `"x://folder/"`, `"x://h/big"`, `"x://h/none"`, `"\ud800"`, `""`, `1`, `null`, `["x://h/a.md"]`, `{}`, `true`} {
		calls["resources/read"] = append(calls["resources/read"], `"uri":`+uri)
	}
	calls["resources/read"] = append(calls["resources/read"], `"URI":"x://h/a.md"`, `"uri":"x://h/a.md","uri":"x://folder/a"`, `"uri":"x://h/a.md","URI":"x://folder/a"`, `"\u0075ri":"x://h/a.md"`,
		`"uri":"x://h/a.md","inputResponses":{}`, `"uri":"x://h/a.md","else":[1]`, `"uri":"x://h/a.md","x":1`)

	var metas []string
	for _, version := range []string{`"2025-06-18"`, `"2026-07-28"`, `"2026-07-29"`, `"9"`, `""`, `null`, `1`, `"\u0032026-07-28"`} {
		metas = append(metas, meta(version))
	}
	for _, m := range []string{`null`, `{}`, `[]`, `1`, `"x"`, `{"progressToken":1}`, `{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`,
		`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":1,"io.modelcontextprotocol/clientCapabilities":{}}`,
		`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`,
		`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":1},"io.modelcontextprotocol/clientCapabilities":{}}`,
		`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"sampling":1}}`,
		`{"io.modelcontextprotocol/clientCapabilities":1}`, `{"a":"b","c":true,"d":1.5e3,"e":null,"f":[[[]]]}`,
	} {
		metas = append(metas, `"_meta":`+m)
	}

	for _, begin := range []string{"2025-06-18", "2024-11-05", ""} {
		if race.Enabled && begin == "2024-11-05" {
			continue // same era as the first
		}
		t.Run(begin, func(t *testing.T) {
			short := startWith(t, protocol.Stateless, tree, apiTemplates, prepareForSDK(t))
			long := &fixture{t: t, server: short.server, current: short.current, era: protocol.Stateless}
			long.connect(long.overSDK())
			if begin != "" {
				for _, f := range []*fixture{short, long} {
					f.raw("initialize", `{"protocolVersion":"`+begin+`","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
					f.send(&jsonrpc.Request{Method: "notifications/initialized"})
				}
			}
			compare := func(method, params string) {
				t.Helper()
				if method == protocol.MethodListen && !protocol.NamesStateless([]byte(params)) {
					return // the SDK has this method in both eras
				}
				if begin == "" && !protocol.NamesStateless([]byte(params)) {
					return // in the SDK, any request of 2026-07-28 begins a session
				}
				got, want := short.raw(method, params), long.raw(method, params)
				if want == "error 0 " { // a plain error of the SDK, to which the transport adds a code
					want = got
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s %s (-SDK +server):\n%s", method, params, diff)
				}
			}
			for method, all := range calls {
				for _, params := range []string{``, `{}`, `null`, `[]`, `1`} {
					compare(method, params)
				}
				for _, params := range all {
					compare(method, `{`+params+`}`)
					for _, m := range metas {
						compare(method, "{"+strings.TrimPrefix(params+","+m, ",")+"}")
					}
				}
			}
			for _, m := range metas {
				for _, method := range []string{"ping", "initialize", "none"} {
					compare(method, `{`+m+`}`)
				}
			}
			var page struct{ NextCursor string }
			if err := json.Unmarshal([]byte(short.raw("resources/list", `{`+meta(`"2026-07-28"`)+`}`)), &page); err != nil || page.NextCursor == "" {
				t.Fatalf("no cursor: %v", err)
			}
			compare("resources/list", `{"cursor":"`+page.NextCursor+`",`+meta(`"2026-07-28"`)+`}`)
		})
	}
}

// prepareForSDK turns all tools on and gives the server a prompt.
func prepareForSDK(t *testing.T) func(*Server) {
	return func(s *Server) {
		tree := fstest.MapFS{"prompts/review.md": &fstest.MapFile{Data: []byte("---\nargs:\n  what:\n    type: string\n---\nReview {{what}}\n[it](x://h/a.md)\n")}}
		set, err := prompts.Scan(t.Context(), tree, prompts.Folder, nil, func(string) {}, func(string) bool { return false })
		if err != nil {
			t.Fatal(err)
		}
		s.SetPrompts(set)
		s.SetFeatures(Features{ResourceTools: true, Connector: true})
	}
}
