package stdio

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

const meta2026 = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":{}}`

const removed = `invalid request: JSON-RPC batches were removed in protocol version 2025-06-18`

type step struct {
	in   string
	want []string // in the order of their text
}

func transcript(t *testing.T, version string, limit int, steps []step) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := start(t, limit)
		if version != "" {
			s.initialize(version)
		}
		for _, step := range steps {
			s.expect(step.in, step.want...)
		}
		// The session continues in each case.
		s.expect(`{"jsonrpc":"2.0","id":"alive","method":"nonsense"}`+"\n", `{"jsonrpc":"2.0","id":"alive","error":{"code":-32...`)
		s.finish()
	})
}

// Calls and batches after initialize follow the negotiated version.
func TestEras(t *testing.T) {
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			answer := "[" + pong("1") + "," + pong("2") + "]"
			if version >= "2025-06-18" {
				answer = refusal(-32600, "null", removed)
			}
			synctest.Test(t, func(t *testing.T) {
				s := start(t, 0)
				s.expect(`{"jsonrpc":"2.0","id":0,"method":"nonsense"}`+"\n", refusal(-32601, "0", `...in version \"\"`))
				s.initialize(version)
				s.expect(`{"jsonrpc":"2.0","id":1,"method":"nonsense"}`+"\n", refusal(-32601, "1", `...in version \"`+version+`\"`))
				s.expect(batch(ping("1"), `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`, ping("2")), answer)
				s.finish()
			})
		})
	}
	t.Run("2026-07-28", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := start(t, 0)
			s.expect(`[{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{`+meta2026+"}}]\n", "["+refusal(-32600, "4", removed)+"]")
			listen := `{"jsonrpc":"2.0","id":5,"method":"subscriptions/listen","params":{` + meta2026 + "}}\n"
			s.expect(listen)
			s.expect(listen, refusal(-32600, "5", "...in use..."))
			s.expect(cancelled("5"))            // and no answer
			s.expect(ping("5")+"\n", pong("5")) // its id is free
			s.finish()
		})
	})
}

func TestLines(t *testing.T) {
	tests := []struct {
		name string
		in   string
		want []string
	}{
		{"crlf", ping("1") + "\r\n", []string{pong("1")}},
		{"byte order marks, which some clients send", "\ufeff" + ping("1") + "\r\n\ufeff" + ping("2") + "\r\n", []string{pong("1"), pong("2")}},
		{"blank lines", "\n\r\n \t\n" + ping("1") + "\n\n", []string{pong("1")}},
		{"space around", " \t" + ping("1") + " \r\n", []string{pong("1")}},
		{"two lines at once", ping("1") + "\n" + ping("2") + "\n", []string{pong("1"), pong("2")}},
		{"two values in a line", ping("1") + ping("2") + "\n", []string{refusal(-32700, "null", "parse error: ...")}},
		{"garbage", "hello\n", []string{refusal(-32700, "null", "parse error: ...")}},
		{"cut off", `{"jsonrpc":"2.0",` + "\n", []string{refusal(-32700, "null", "parse error: ...")}},
		{"not UTF-8", "\"\xff\"\n", []string{refusal(-32700, "null", "parse error: not UTF-8")}},
		{"too deep", strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + "\n", []string{refusal(-32700, "null", "...")}},

		{"scalar", "1\n", []string{refusal(-32600, "null", "invalid request: not an object")}},
		{"null", "null\n", []string{refusal(-32600, "null", "invalid request: not an object")}},
		{"empty object", "{}\n", []string{refusal(-32600, "null", `invalid request: ...`)}},
		{"version", `{"jsonrpc":"1.0","id":7,"method":"ping"}` + "\n", []string{refusal(-32600, "7", `...not \"2.0\"`)}},
		{"no version", `{"id":"a","method":"ping"}` + "\n", []string{refusal(-32600, `"a"`, `...not \"2.0\"`)}},
		{"no method", `{"jsonrpc":"2.0","id":7}` + "\n", []string{refusal(-32600, "7", `...no \"method\"`)}},
		{"other case", `{"jsonrpc":"2.0","id":7,"Method":"ping"}` + "\n", []string{refusal(-32600, "7", `...no \"method\"`)}},
		{"escaped key", `{"jsonrpc":"2.0","id":7,"m\u0065thod":"ping"}` + "\n", []string{pong("7")}},
		{"method of a wrong type", `{"jsonrpc":"2.0","id":7,"method":1}` + "\n", []string{refusal(-32600, "7", `...not a string`)}},
		{"id null", ping("null") + "\n", []string{refusal(-32600, "null", `...\"id\"...`)}},
		{"id object", ping("{}") + "\n", []string{refusal(-32600, "null", `...\"id\"...`)}},
		{"id boolean", ping("true") + "\n", []string{refusal(-32600, "null", `...\"id\"...`)}},
		{"id fraction", ping("1.5") + "\n", []string{refusal(-32600, "1.5", `...\"id\"...`)}},
		{"id too large", ping("1e300") + "\n", []string{refusal(-32600, "1e300", `...\"id\"...`)}},
		{"id not a float", ping("1e400") + "\n", []string{refusal(-32600, "null", `...\"id\"...`)}},
		{"id beyond 2^53", ping("9007199254740993") + "\n", []string{pong("9007199254740993")}},
		{"id spelled oddly", ping(`"\u0061/\/"`) + "\n", []string{pong(`"\u0061/\/"`)}},
		{"id empty", ping(`""`) + "\n", []string{pong(`""`)}},

		{"unknown notification", `{"jsonrpc":"2.0","method":"x/y"}` + "\n", nil},
		{"unknown response", `{"jsonrpc":"2.0","id":99,"result":{}}` + "\n", nil},
		{"response of a wrong version", `{"jsonrpc":"1.0","id":99,"result":{}}` + "\n", nil},
		{"response without id", `{"jsonrpc":"2.0","result":{}}` + "\n", nil},
		{"response with a malformed error", `{"jsonrpc":"2.0","id":99,"error":[]}` + "\n", nil},
		{"cancellation of nothing", cancelled("99"), nil},
		{"cancellation of a wrong type", cancelled("{}"), nil},
		{"cancellation without params", `{"jsonrpc":"2.0","method":"notifications/cancelled"}` + "\n", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			transcript(t, "", 0, []step{{test.in, test.want}, {ping(`"p"`) + "\n", []string{pong(`"p"`)}}})
		})
	}
}

func TestFrameLimit(t *testing.T) {
	const limit = 100
	fits := ping("1") + strings.Repeat(" ", limit-len(ping("1")))
	tooLong := refusal(-32600, "null", "invalid request: more than 100 bytes in one line")
	transcript(t, "", limit, []step{
		{fits + "\n", []string{pong("1")}},
		{"\ufeff" + fits + "\r\n", []string{pong("1")}},
		{fits + " \n", []string{tooLong}},
		{fits + " \r\n", []string{tooLong}},
		{strings.Repeat("x", 1<<20) + "\n" + ping("2") + "\n", []string{pong("2"), tooLong}},
		{strings.Repeat("x", 1<<20) + "\n" + strings.Repeat("[", 101) + "\n", []string{tooLong, tooLong}},
		{strings.Repeat("\n", 1<<20), nil},
	})
}

func TestBatches(t *testing.T) {
	notObject := refusal(-32600, "null", "invalid request: not an object")
	note := `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`
	tests := []struct {
		name string
		in   string
		want []string
	}{
		{"empty", "[]", []string{refusal(-32600, "null", "invalid request: an empty batch")}},
		{"one", "[" + ping("1") + "]", []string{"[" + pong("1") + "]"}},
		{"notifications only", "[" + note + "," + note + "]", nil},
		{"responses only", `[{"jsonrpc":"2.0","id":9,"result":{}},{"result":{}}]`, nil},
		{"mixed", "[" + note + "," + ping("1") + "," + note + "," + ping("2") + "]", []string{"[" + pong("1") + "," + pong("2") + "]"}},
		{"invalid entries only", `[1,[2],{"id":"x"}]`, []string{"[" + strings.Join([]string{
			refusal(-32600, "null", "..."), refusal(-32600, "null", "..."), refusal(-32600, `"x"`, "...")}, ",") + "]"}},
		{"invalid among valid", "[1," + ping("1") + "," + note + "," + ping("{}") + "]", []string{"[" + strings.Join([]string{
			refusal(-32600, "null", "..."), pong("1"), refusal(-32600, "null", "...")}, ",") + "]"}},
		{"invalid and notification", "[1," + note + "]", []string{"[" + refusal(-32600, "null", "...") + "]"}},
		{"cancellation before its call", "[" + strings.TrimSpace(cancelled("1")) + "," + ping("1") + "]", []string{"[" + pong("1") + "]"}},
		{"initialize", "[" + strings.TrimSpace(initialize("2025-03-26")) + "]", []string{"[" + refusal(-32600, `"init"`, "...initialize in a batch") + "]"}},
		{"malformed", "[" + ping("1") + ",]", []string{refusal(-32700, "null", "...")}},
		{"most entries", "[" + strings.Repeat("1,", 999) + "1]", []string{"[" + strings.Repeat(notObject+",", 999) + notObject + "]"}},
		{"too many entries", "[" + strings.Repeat("1,", 1000) + "1]", []string{refusal(-32600, "null", "...more than 1000 entries...")}},
	}
	for _, version := range []string{"", "2024-11-05", "2025-03-26"} {
		for _, test := range tests {
			t.Run(version+"/"+test.name, func(t *testing.T) {
				transcript(t, version, 0, []step{{test.in + "\n", test.want}, {ping(`1`) + "\n", []string{pong(`1`)}}})
			})
		}
	}
}

// FuzzSession asserts that whatever a client sends, each line of the output is JSON, and a later call is answered.
func FuzzSession(f *testing.F) {
	call := ping("1")
	for _, seed := range []string{
		"", call + "\r\n" + call, "x\n{}\n[]\n", "[" + call + ",1,[]]", cancelled("1"), `{"jsonrpc":"2.0","id":1e2,"method":"subscriptions/listen"}`,
		`{"\u006asonrpc":"2.0","id":"\ud800","method":"x"}`, "\"\xff\"", strings.Repeat("[", 200), strings.Repeat(" ", 251), "\r\r\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			in := bytes.NewReader(append(bytes.Clone(input), "\n"+ping(`"the end"`)+"\n"...))
			if err := (&Transport{In: in, Out: &out, MaxFrameBytes: 250, Handler: newTaker()}).Run(t.Context()); err != nil {
				t.Errorf("input %q: %v", input, err)
			}
			for line := range strings.Lines(out.String()) {
				if !json.Valid([]byte(line)) {
					t.Errorf("input %q: %q", input, line)
				}
			}
			if !strings.Contains(out.String(), pong(`"the end"`)) {
				t.Errorf("input %q: answered %q", input, out.String())
			}
		})
	})
}

// newSDKServer has one tool, "sleep", which waits and returns a text of a given size.
func newSDKServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ServerOptions{
		Logger:       slog.New(slog.DiscardHandler),
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
	})
	s.AddTool(&mcp.Tool{Name: "sleep", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			args := struct {
				For  string
				Fill int
			}{For: "0s"}
			if err := json.Unmarshal(req.Params.Arguments, &args); err != nil {
				return nil, err
			}
			d, err := time.ParseDuration(args.For)
			if err != nil {
				return nil, errors.New("no duration")
			}
			select {
			case <-time.After(d):
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.Repeat("x", args.Fill)}}}, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		})
	return s
}

func helloSDK(version string) string {
	return `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"` + version +
		`","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}` + "\n"
}

// This package exists because of these properties of the SDK's own transport. If a case fails, the
// SDK has changed, and the code for that case may be removed.
func TestSDKTransport(t *testing.T) {
	tests := []struct {
		name    string
		version string
		in      string
		want    []string
	}{
		{"a malformed line ends the session", "2025-11-25", "garbage\n" + ping("1") + "\n", nil},
		{"the end of the input drops answers", "2025-11-25", sleepSDK("1", "1s"), nil},
		{"a call with an id in flight is not answered", "2025-11-25", sleepSDK("1", "1h") + ping("1") + "\n" + ping("2") + "\n", []string{pong("2")}},
		{"a batch with a notification is not answered", "2025-03-26", "[" + ping("1") + `,{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}` + "]\n", nil},
		{"a cancelled call is answered", "2025-11-25", sleepSDK("1", "1h") + cancelled("1") + ping("2") + "\n", []string{`{"jsonrpc":"2.0","id":1,"error":{"code":0,"message":"context canceled"}}`, pong("2")}},
		{"a plain error has code 0", "2025-11-25", sleepSDK("1", "never"), []string{refusal(0, "1", "no duration")}},
		{"an id beyond 2^53 changes", "2025-11-25", ping("9007199254740993") + "\n", []string{pong("9007199254740992")}},
		{"an id that is a fraction changes", "2025-11-25", ping("1.5") + "\n", []string{pong("1")}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				inR, inW := io.Pipe()
				outR, outW := io.Pipe()
				ss := must.Get(newSDKServer().Connect(context.Background(), &mcp.IOTransport{Reader: inR, Writer: outW}, nil))(t)
				s := &client{t: t, in: inW, out: outR}
				go s.listen()
				s.expect(helloSDK(test.version), `{"jsonrpc":"2.0","id":"init","result":{..."protocolVersion":"`+test.version+`"...}}`)
				s.expect(initialized)
				go func() { _, _ = io.WriteString(inW, test.in) }()
				synctest.Wait()
				inW.Close()
				time.Sleep(2 * time.Hour) // enough for any further output
				_ = ss.Wait()
				if got := s.heard(); !matches(got, test.want) {
					t.Errorf("got %q, want %q", got, test.want)
				}
			})
		})
	}
}

func sleepSDK(id, d string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"sleep","arguments":{"for":"` + d + `"}}}` + "\n"
}
