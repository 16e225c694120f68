package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// A client must not keep a list that changes between its making and its writing: the client may
// have read the notification already.
func TestListThatChangesBeforeItsTurn(t *testing.T) {
	tree := given.Resources("x/h/a=1")
	for method, change := range map[string]func(*fixture){
		"resources/list":           func(f *fixture) { f.publish(given.Resources("x/h/b=1"), "[]") },
		"resources/templates/list": func(f *fixture) { f.publish(tree, `[{"uriTemplate": "x://{y}", "name": "z"}]`) },
		"prompts/list":             func(f *fixture) { f.server.SetPrompts(&prompts.Set{}) },
		"tools/list":               func(f *fixture) { f.server.SetFeatures(Features{Connector: true}) },
	} {
		f := startAs(t, protocol.Stateless, tree, "[]", Options{Live: func() Liveness { return Liveness{On: true} }}, func(s *Server) {
			s.SetPrompts(nil)
			s.setLibrary(&docs.Library{})
		})
		session := f.server.Open("")
		for _, changes := range []bool{false, true} {
			result, err := f.server.Answer(t.Context(), &protocol.Call{ID: []byte("1"), Method: method, Params: must.Get(json.Marshal(map[string]any{"_meta": metaOf(protocol.Stateless)}))(t), Session: session})
			if err != nil {
				t.Fatalf("%s: %v", method, err)
			}
			want := `"ttlMs":1000,`
			if changes {
				change(f)
				want = `"ttlMs":0,`
			}
			var out bytes.Buffer
			w := jsonwire.NewWriter(&out)
			if err := errors.Join(result.WriteJSON(w), w.Flush()); err != nil {
				t.Fatalf("%s: %v", method, err)
			}
			result.Release()
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s, which changes before it is written: %v: %s, want %s", method, changes, out.String(), want)
			}
		}
		session.Close()
	}
}

// A broken body panics where its fields say.
type broken struct {
	before  int  // bytes that it writes before it panics
	release bool // it panics in Release
}

func (b *broken) WriteJSON(w *jsonwire.Writer) error {
	w.RawString(`"x":"` + strings.Repeat("y", b.before) + `"`)
	if !b.release {
		panic("a broken body")
	}
	return nil
}

func (b *broken) Release() {
	if b.release {
		panic("a broken body")
	}
}

func TestPanicOfAResult(t *testing.T) {
	for name, test := range map[string]struct {
		body broken
		want string // the output, or a part of it; "" if it is incomplete
	}{
		"before the first byte": {broken{before: 10}, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error: see the log of the server"}}`},
		"later":                 {broken{before: 200_000}, ""},
		"when it is released":   {broken{release: true}, `{"jsonrpc":"2.0","id":1,"result":{"x":""}}`},
	} {
		var logged bytes.Buffer
		s := New(Options{Name: "n", Version: "1", Catalog: start(t, protocol.Handshake, given.Resources(), "[]").current, Limits: testLimits, Logger: slog.New(slog.NewTextHandler(&logged, nil))})
		released := 0
		r := &reply{body: &test.body, panicked: func(p any) error { return s.panicked("x", p) }, released: func(int64, error) { released++ }}
		var out bytes.Buffer
		w := jsonwire.NewWriter(&out)
		failed, err := protocol.WriteResult(w, []byte("1"), r)
		r.Release()
		if released != 1 {
			t.Errorf("%s: the call is released %d times", name, released)
		}
		if !strings.Contains(logged.String(), `panic="a broken body"`) {
			t.Errorf("%s: the log is %q", name, logged.String())
		}
		if test.want == "" {
			if rpc, ok := errors.AsType[*jsonrpc.Error](err); !ok || rpc.Code != -32603 || failed != nil {
				t.Errorf("%s: the errors are %v and %v", name, failed, err)
			}
			continue
		}
		if err != nil || w.Flush() != nil || out.String() != test.want {
			t.Errorf("%s: %v; the output is %s, want %s", name, err, out.String(), test.want)
		}
	}
}

// The types of this package exist because the types of the SDK write other bytes: they leave out false and zero, which clients
// then do not know. If a case fails, the SDK has changed, and its type may replace ours.
func TestSDKTypes(t *testing.T) {
	priority := 0.0
	for _, test := range []struct {
		ours, sdk any
		lost      string // what the SDK leaves out
	}{
		{prompts.Argument{Name: "a"}, mcp.PromptArgument{Name: "a"}, `"required":false`},
		{templates.Annotations{Priority: &priority}, mcp.Annotations{Priority: priority}, `"priority":0`},
		{completion{Values: []string{}}, mcp.CompletionResultDetails{Values: []string{}}, `"total":0,"hasMore":false`},
	} {
		ours, sdk := must.Get(json.Marshal(test.ours))(t), must.Get(json.Marshal(test.sdk))(t)
		if !strings.Contains(string(ours), test.lost) || strings.Contains(string(sdk), test.lost) {
			t.Errorf("ours is %s, the SDK's is %s", ours, sdk)
		}
	}
}

// An error for clients names the mistake and contains no local path.
func TestClientErrors(t *testing.T) {
	s := start(t, protocol.Handshake, given.Resources(), "[]").server
	path := &fs.PathError{Op: "open", Path: "/home/user/secret", Err: errors.New("bad sector")}
	for _, test := range []struct {
		err  error
		want string
	}{
		{path, "internal error: see the log of the server"},
		{contents.ErrInternal, "internal error: see the log of the server"},
		{context.Canceled, "tools/call was cancelled"},
		{context.DeadlineExceeded, "tools/call took too long"},
		{contents.ErrSlow, "tools/call: a file cannot be read: it took more than 30s"},
		{&contents.Error{URI: "x://h/a", Err: path}, `cannot read "x://h/a": bad sector`},
		{&contents.Error{URI: "x://h/a", Err: &fs.PathError{Op: "open", Path: "/home/user/secret", Err: fs.ErrPermission}}, `cannot read "x://h/a": permission denied`},
		{&contents.Error{URI: "x://h/a", Err: errors.New("/home/user/secret")}, `cannot read "x://h/a": an input or output error`},
		{&contents.Error{URI: "x://h/a", Err: contents.ErrSlow}, `cannot read "x://h/a": it took more than 30s`},
		{&contents.Error{URI: "x://h/a", Err: contents.ErrHanging}, `cannot read "x://h/a": too many reads hang; is a network drive gone?`},
		{&contents.Error{URI: "x://h/a", Err: loader.ErrChanging}, `cannot read "x://h/a": it keeps changing`},
	} {
		rpc, ok := s.clientError("tools/call", test.err).(*jsonrpc.Error)
		if !ok || rpc.Code != jsonrpc.CodeInternalError || rpc.Message != test.want {
			t.Errorf("%#v is %v, want %q", test.err, rpc, test.want)
		}
	}
}

// A hungFS blocks the opening of files below h while hangs is set.
type hungFS struct {
	fstest.MapFS
	mu      sync.Mutex // guards hangs
	hangs   bool
	release chan struct{}
}

func (h *hungFS) Open(name string) (fs.File, error) {
	h.mu.Lock()
	hangs := h.hangs && strings.HasPrefix(name, "resources/x/h/")
	h.mu.Unlock()
	if hangs {
		<-h.release
	}
	return h.MapFS.Open(name)
}

// A request that needs a file on a hanging disk ends after a while, or when it is cancelled.
func TestRequestsThatHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tree := &hungFS{MapFS: given.Resources("x/h/noextension=text"), release: make(chan struct{})}
		f := start(t, protocol.Handshake, tree, "[]")
		f.server.SetFeatures(Features{ResourceTools: true, Connector: true})
		tree.mu.Lock()
		tree.hangs = true
		tree.mu.Unlock()
		for method, params := range map[string]map[string]any{
			"resources/list": nil,
			"resources/read": {"uri": "x://h/noextension"},
		} {
			began := time.Now()
			err := f.fails(jsonrpc.CodeInternalError, method, params)
			if took := time.Since(began); took != 30*time.Second || !strings.Contains(err.Message, "30s") {
				t.Errorf("%s ends after %v with %q", method, took, err.Message)
			}
		}
		for tool, args := range map[string]map[string]any{
			"read_resource": {"uri": "x://h/noextension"},
			"fetch":         {"id": "x://h/noextension"},
		} {
			began := time.Now()
			content, isError := f.use(tool, args)
			if took := time.Since(began); took != 30*time.Second || !isError || !strings.Contains(says(t, content), "30s") {
				t.Errorf("%s ends after %v with %v", tool, took, content)
			}
		}
		began := time.Now()
		err := f.fails(jsonrpc.CodeInternalError, "tools/call", map[string]any{"name": "list_resources"})
		if took := time.Since(began); took != 30*time.Second || !strings.Contains(err.Message, "30s") {
			t.Errorf("list_resources ends after %v with %q", took, err.Message)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go cancel()
		if _, err := methods["resources/list"].answer(f.server, ctx, request{Call: &protocol.Call{}}); err != context.Canceled {
			t.Errorf("a cancelled list: %v", err)
		}
		close(tree.release)
		synctest.Wait()
		f.must("resources/list", nil)
		f.conn.Close()
	})
}
