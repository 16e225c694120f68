package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/progress"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A View lets the web UI read a project for a caller. It uses the same reader, index and limits as
// calls.
type View struct {
	server *Server
	caller string
}

// Visit runs work on the project like a call: it waits until the caller may run another call,
// writes an audit line, and converts a panic into an error. c.Method and c.Params describe the
// visit in that line. The error is a [*protocol.Error] for people to read.
func (s *Server) Visit(ctx context.Context, c *protocol.Call, work func(context.Context, View) error) (err error) {
	began := time.Now()
	ctx, leave, err := s.enter(ctx, c)
	if err == nil {
		err = func() (err error) {
			defer leave()
			defer s.recovered(c.Method, func(failure error) { err = failure })
			return work(ctx, View{s, c.Caller})
		}()
	}
	if mistake, ok := errors.AsType[*tools.Mistake](err); ok {
		err = mistake.Err
	}
	if err != nil {
		err = s.clientError(c.Method, err)
	}
	s.audited(c, began, 0, err)
	return err
}

// Everything returns the current resources of all sources.
func (v View) Everything(ctx context.Context) (view.View, error) {
	return v.server.views.Load(ctx, v.caller)
}

// Library returns the current documents.
func (v View) Library(ctx context.Context) (*docs.Library, error) { return v.server.tools.Library(ctx) }

// Search finds documents and resources.
func (v View) Search(ctx context.Context, query string) ([]tools.Found, error) {
	return v.server.tools.Search(ctx, v.caller, query)
}

// Read reads a resource into memory, where it stays until the contents are released.
func (v View) Read(ctx context.Context, all view.View, it view.Item) (*contents.Contents, error) {
	if it.Other != nil {
		return v.server.reader.ReadOther(ctx, it.URI(), it.Other, true)
	}
	return v.server.reader.ReadWhole(ctx, all.Files, it.URI(), it.File)
}

// MaxRead returns how many bytes a resource may have to be read.
func (v View) MaxRead() int64 { return v.server.reader.Limits().ReadBytes }

// OnDisk runs work that may wait for the disk and whose result takes some memory, such as a page of
// a list. late gets a result that comes too late. what names the work in errors. work must not call
// methods of the view other than Everything and Library.
func OnDisk[T any](ctx context.Context, v View, what string, work func(context.Context) (T, error), late func(T)) (T, error) {
	budget, err := v.server.options.Memory.Acquire(ctx, pageBytes)
	if err != nil {
		var none T
		return none, err
	}
	out, err := contents.OnDisk(ctx, v.server.reader, what, budget, work, late)
	if err == nil {
		budget.Release()
	}
	return out, err
}

// Everything returns the current resources of all sources for a table of contents. It returns false
// before the first catalog.
func (s *Server) Everything(caller string) (view.View, bool) { return s.views.Peek(caller) }

// State holds the parts of a project at one moment. A part that has not been read yet is nil.
type State struct {
	Catalog *loader.Catalog
	Library *docs.Library
	Prompts *prompts.Set
	Reading *progress.Step // of the documents, the last time; nil: it has not begun
}

// State returns the parts of the project that have been read, without waiting, for a table of contents.
func (s *Server) State() State {
	return State{s.options.Catalog.Peek(), s.tools.PeekLibrary(), s.options.Prompts.Peek(), s.options.Reading()}
}

// A Client is an MCP client inside the process. It passes calls to a handler as a transport does, and returns the JSON that a client
// would get. Commands use it to show authors what clients get.
type Client struct {
	handler protocol.Handler
	caller  string
	most    int // bytes of an answer; 0: no bound
}

// NewClient returns a client with a session of the last protocol version that begins with initialize,
// which most clients use.
func NewClient(h protocol.Handler) *Client { return &Client{handler: h} }

// ClientOf is [NewClient] for one of several callers, whose answers have at most some bytes.
func ClientOf(h protocol.Handler, caller string, most int) *Client { return &Client{h, caller, most} }

// A bounded buffer returns an error when it would get too large.
type bounded struct {
	bytes.Buffer
	most int
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.most > 0 && b.Len()+len(p) > b.most {
		return 0, errors.New("the answer is too large to be shown here")
	}
	return b.Buffer.Write(p)
}

// Call returns the JSON result of a call. params is encoded as JSON; nil means no parameters.
// failed reports that the result is the error result of a tool. The error is a [*protocol.Error]
// for clients to read.
func (c *Client) Call(ctx context.Context, method string, params any) (result json.RawMessage, failed bool, err error) {
	call := &protocol.Call{ID: []byte("1"), Method: method, Version: protocol.LastHandshake, Caller: c.caller, Shared: c.caller != ""}
	if params != nil {
		if call.Params, err = jsonwire.Encode(params); err != nil {
			return nil, false, err
		}
	}
	return c.answer(ctx, call)
}

// Discover returns the result of server/discover, which needs no session.
func (c *Client) Discover(ctx context.Context) (json.RawMessage, error) {
	params, err := jsonwire.Encode(map[string]any{"_meta": map[string]any{
		protocol.MetaVersion:      protocol.FirstStateless,
		protocol.MetaClientInfo:   map[string]string{"name": "mcp-docs-server", "version": "1"},
		protocol.MetaCapabilities: map[string]any{},
	}})
	if err != nil {
		return nil, err
	}
	result, _, err := c.answer(ctx, &protocol.Call{ID: []byte("1"), Method: "server/discover", Params: params})
	return result, err
}

func (c *Client) answer(ctx context.Context, call *protocol.Call) (json.RawMessage, bool, error) {
	result, err := c.handler.Answer(ctx, call)
	if err != nil {
		return nil, false, err
	}
	defer result.Release()
	out := bounded{most: c.most}
	w := jsonwire.NewWriter(&out)
	if err := cmp.Or(result.WriteJSON(w), w.Flush()); err != nil {
		return nil, false, fmt.Errorf("%s: %w", call.Method, err)
	}
	return out.Bytes(), protocol.Failed(result), nil
}
