package stdio

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A taker answers calls: initialize agrees on the requested version, "take" is described at
// [taken], subscriptions/listen waits for its end, and ping is answered at once.
type taker struct {
	begun, released atomic.Int32
	ended           atomic.Int32 // contexts
	held, most      atomic.Int32 // results at a time
	hub             *notify.Hub
}

func newTaker() *taker {
	return &taker{hub: notify.New(func(*loader.Catalog, loader.Resource) uint64 { return 0 })}
}

// A taken call waits for For, or until its context ends unless it is Stubborn. Then it fails with Fail
// if that is not empty, or returns Result unchanged, with Fill more bytes of a
// string. Its release takes the time Late.
type taken struct {
	*taker
	For, Fail, Result string
	Stubborn          bool
	Fill              int
	Late              time.Duration
	Report            int    // notifications that belong to the call
	ProtocolVersion   string // of initialize
}

func (t *taker) Answer(ctx context.Context, call *protocol.Call) (protocol.Result, error) {
	t.begun.Add(1)
	c := &taken{taker: t, Result: "{}"}
	switch call.Method {
	case "ping":
	case "initialize", "take":
		if err := json.Unmarshal(call.Params, c); err != nil {
			return nil, err
		}
	case "subscriptions/listen":
		<-ctx.Done()
		t.ended.Add(1)
		return nil, ctx.Err()
	default:
		return nil, protocol.MethodNotFound("method %s does not exist in version %q", call.Method, call.Version)
	}
	for i := range c.Report {
		call.Notify(notify.Notification{Method: "notifications/progress", Params: []byte(fmt.Sprintf(`{"progress":%d}`, i+1))})
	}
	if c.For != "" {
		d, err := time.ParseDuration(c.For)
		if err != nil {
			return nil, err
		}
		done := ctx.Done()
		if c.Stubborn {
			done = nil
		}
		select {
		case <-time.After(d):
		case <-done:
			t.ended.Add(1)
			return nil, ctx.Err()
		}
	}
	switch c.Fail {
	case "":
		if n := t.held.Add(1); n > t.most.Load() {
			t.most.Store(n)
		}
		return c, nil
	case "rpc":
		return nil, &protocol.Error{Code: -32002, Message: "none", Data: json.RawMessage(`{"uri":"x"}`)}
	}
	return nil, errors.New(c.Fail)
}

func (t *taker) Open(caller string) *notify.Subscriber { return t.hub.Open(caller) }

func (c *taken) Agreed() string { return c.ProtocolVersion }

func (c *taken) WriteJSON(w *jsonwire.Writer) error {
	if c.Result == "cut" {
		w.RawString(`{"half":`)
		return errors.New("it changed")
	}
	if c.Fill > 0 {
		w.String(strings.Repeat("x", c.Fill))
		return w.Err()
	}
	w.RawString(c.Result)
	return nil
}

func (c *taken) Release() {
	time.Sleep(c.Late)
	c.held.Add(-1)
	c.released.Add(1)
}

// A client writes to a session, and reads all the time if listen is called. It lives in a synctest
// bubble: after say, everything has happened that happens without time passing.
type client struct {
	*taker
	t     *testing.T
	in    *io.PipeWriter
	out   *io.PipeReader
	stop  context.CancelFunc // ends the session
	ended chan error         // has the result of Run

	mu    sync.Mutex
	lines []string
	eof   bool
}

func start(t *testing.T, limit int) *client {
	t.Helper()
	c := startUnread(t, limit)
	go c.listen()
	return c
}

// startUnread is start with a client that does not read.
func startUnread(t *testing.T, limit int) *client {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &client{taker: newTaker(), t: t, in: inW, out: outR, ended: make(chan error, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	c.stop = cancel
	go func() { c.ended <- (&Transport{In: inR, Out: outW, MaxFrameBytes: limit, Handler: c.taker}).Run(ctx) }()
	t.Cleanup(cancel)
	return c
}

func (c *client) listen() {
	scan := bufio.NewScanner(c.out)
	scan.Buffer(nil, 1<<30)
	for scan.Scan() {
		c.mu.Lock()
		c.lines = append(c.lines, scan.Text())
		c.mu.Unlock()
	}
	c.mu.Lock()
	c.eof = true
	c.mu.Unlock()
}

// say sends raw bytes and returns what came back, in the order of the text.
func (c *client) say(raw string) []string {
	c.t.Helper()
	must.Get(io.WriteString(c.in, raw))(c.t)
	return c.heard()
}

func (c *client) heard() []string {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	lines := c.lines
	c.lines = nil
	slices.Sort(lines)
	return lines
}

func (c *client) closed() bool {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.eof
}

// matches compares line by line; "..." in want stands for any text.
func matches(got, want []string) bool {
	return slices.EqualFunc(got, want, func(g, w string) bool {
		pattern := strings.ReplaceAll(regexp.QuoteMeta(w), regexp.QuoteMeta("..."), ".*")
		return regexp.MustCompile("^(?s:" + pattern + ")$").MatchString(g)
	})
}

func (c *client) expect(raw string, want ...string) {
	c.t.Helper()
	if got := c.say(raw); !matches(got, want) {
		c.t.Errorf("sent %s\ngot  %s\nwant %s", clip(raw), clip(strings.Join(got, "\n     ")), strings.Join(want, "\n     "))
	}
}

func clip(s string) string {
	if len(s) > 2000 {
		return fmt.Sprintf("%s... (%d bytes)", s[:2000], len(s))
	}
	return s
}

// finish ends the input and requires a session without an error.
func (c *client) finish() {
	c.t.Helper()
	c.in.Close()
	if err := <-c.ended; err != nil {
		c.t.Errorf("session ended with %v", err)
	}
	if !c.closed() {
		c.t.Error("output still open")
	}
}

func initialize(version string) string {
	return `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"` + version + `"}}` + "\n"
}

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

func (c *client) initialize(version string) {
	c.t.Helper()
	c.expect(initialize(version), pong(`"init"`))
	c.expect(initialized)
}

func ping(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`
}

func pong(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{}}`
}

func take(id, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"take","params":` + params + "}\n"
}

// sleep returns a call that is answered after some time.
func sleep(id, d string) string { return take(id, `{"for":"`+d+`"}`) }

// stubborn returns a call like sleep that does not end when it is cancelled.
func stubborn(id, d string) string { return take(id, `{"stubborn":true,"for":"`+d+`"}`) }

// batch returns the array of some lines.
func batch(lines ...string) string {
	return "[" + strings.ReplaceAll(strings.Join(lines, ","), "\n", "") + "]\n"
}

func cancelled(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}` + "\n"
}

func refusal(code int, id, message string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"%s"}}`, id, code, message)
}
