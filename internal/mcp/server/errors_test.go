package server

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

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
