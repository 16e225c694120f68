package stdio

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// session is a server of the SDK behind the transport, with a client that
// reads all the time. It lives in a synctest bubble: after say, everything that
// is going to happen without time passing has happened.
type session struct {
	t      *testing.T
	server *mcp.ServerSession
	in     *io.PipeWriter

	mu    sync.Mutex
	lines []string
	eof   bool
}

// newServer has one tool, "sleep", which takes a duration and ignores the end
// of its context if it is to be stubborn.
func newServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ServerOptions{
		Logger:       slog.New(slog.DiscardHandler),
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
	})
	s.AddTool(&mcp.Tool{Name: "sleep", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var args struct {
				For      string
				Stubborn bool
			}
			if err := json.Unmarshal(req.Params.Arguments, &args); err != nil {
				return nil, err
			}
			d, err := time.ParseDuration(args.For)
			if err != nil {
				return nil, errors.New("no duration")
			}
			done := ctx.Done()
			if args.Stubborn {
				done = nil
			}
			select {
			case <-time.After(d):
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "slept " + args.For}}}, nil
			case <-done:
				return nil, ctx.Err()
			}
		})
	return s
}

func start(t *testing.T, limit int) *session {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ss, err := newServer().Connect(context.Background(), &Transport{In: inR, Out: outW, MaxFrameBytes: limit}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &session{t: t, server: ss, in: inW}
	scan := bufio.NewScanner(outR)
	scan.Buffer(nil, 1<<30)
	go s.listen(scan)
	return s
}

func (s *session) listen(scan *bufio.Scanner) {
	for scan.Scan() {
		s.mu.Lock()
		s.lines = append(s.lines, scan.Text())
		s.mu.Unlock()
	}
	s.mu.Lock()
	s.eof = true
	s.mu.Unlock()
}

// say sends raw bytes and returns what came back, in the order of the text.
func (s *session) say(raw string) []string {
	s.t.Helper()
	if _, err := io.WriteString(s.in, raw); err != nil {
		s.t.Fatal(err)
	}
	return s.heard()
}

func (s *session) heard() []string {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := s.lines
	s.lines = nil
	slices.Sort(lines)
	return lines
}

func (s *session) closed() bool {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.eof
}

// matches compares line by line; "..." in want stands for any text.
func matches(got, want []string) bool {
	return slices.EqualFunc(got, want, func(g, w string) bool {
		pattern := strings.ReplaceAll(regexp.QuoteMeta(w), regexp.QuoteMeta("..."), ".*")
		return regexp.MustCompile("^(?s:" + pattern + ")$").MatchString(g)
	})
}

func (s *session) expect(raw string, want ...string) {
	s.t.Helper()
	if got := s.say(raw); !matches(got, want) {
		s.t.Errorf("sent %s\ngot  %s\nwant %s", clip(raw), clip(strings.Join(got, "\n     ")), strings.Join(want, "\n     "))
	}
}

func clip(s string) string {
	if len(s) > 2000 {
		return fmt.Sprintf("%s... (%d bytes)", s[:2000], len(s))
	}
	return s
}

// finish ends the input and requires a session without an error.
func (s *session) finish() {
	s.t.Helper()
	s.in.Close()
	if err := s.server.Wait(); err != nil {
		s.t.Errorf("session ended with %v", err)
	}
	if !s.closed() {
		s.t.Error("output still open")
	}
}

func initialize(version string) string {
	return `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"` + version +
		`","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}` + "\n"
}

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

func (s *session) initialize(version string) {
	s.t.Helper()
	s.expect(initialize(version), `{"jsonrpc":"2.0","id":"init","result":{..."protocolVersion":"`+version+`"...}}`)
	s.expect(initialized)
}

func ping(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`
}

func pong(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{}}`
}

func sleep(id, d string, more ...string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"sleep","arguments":{"for":"` + d + `"` +
		strings.Join(more, "") + `}}}` + "\n"
}

func slept(id, d string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":"slept ` + d + `"}]}}`
}

func cancelled(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}` + "\n"
}

func refusal(code int, id, message string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"%s"}}`, id, code, message)
}
