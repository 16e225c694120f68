package stdio

import (
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
