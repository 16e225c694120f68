// Package server answers MCP requests from a catalog.
//
// The Go SDK does JSON-RPC, version negotiation, sessions and transports. Whatever concerns resources is answered here,
// by middleware that sees a request before the SDK does: the SDK keeps resources in its own tables and panics at names
// that it cannot parse, while the catalog holds whatever the disk holds.
//
// Both eras of the protocol are served: sessions that start with initialize (2024-11-05 to 2025-11-25), and requests
// that carry their version in _meta (2026-07-28). They differ in what results carry besides their content, and in the
// code of the not-found error.
//
//	resources/list            list.go      pages in canonical order; the cursor is the last key; reply.go encodes it
//	resources/templates/list  list.go
//	tools/list, tools/call    tools.go     docstool.go, resourcetools.go and connector.go have the tools
//	prompts/list, prompts/get prompt.go
//	resources/read            read.go      files and folders
//	completion/complete       complete.go  values of template variables, from the tree
//	resources/subscribe, …    hub.go       who hears of what; outbox.go sends it
//	subscriptions/listen      listen.go
//	everything else           the SDK
//
// A panic in a request becomes an error of that request. What a client may read in an error is decided by clientError
// alone.
package server

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/semaphore"

	"github.com/mcp-docs-server/mcp-docs-server/internal/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/stdio"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// Options describe a server.
type Options struct {
	Name         string        // of the project
	Version      string        // of the project
	Package      string        // of the project; with Name it names the tool for documents, which there is none of if it is empty
	Instructions func() string // for the model; asked for whenever a client is told
	Catalog      *loader.Current
	Limits       Limits
	Features
	// Find looks for the file of a URI while there is no catalog yet. It may report false for one that is there. nil: every
	// read waits for the catalog.
	Find   func(ctx context.Context, uri string) (loader.Resource, bool, error)
	Live   func() Liveness // nil: the tree is never looked at again
	Logger *slog.Logger
}

// Features are what a project may turn on and off.
type Features struct {
	ResourceTools bool // list_resources and read_resource, for clients that only know tools
	Connector     bool // search and fetch, for connectors of ChatGPT
}

// Limits bound what a request may cost; all are positive.
type Limits struct {
	ReadBytes  int64 // content of one read
	FrameBytes int64 // JSON of one answer to a read
	PageItems  int   // items of a page of a list
}

// A Server serves one project to any number of sessions.
type Server struct {
	name         string
	docsName     string // of the tool for documents, or ""
	library      *latest[docs.Library]
	prompts      *latest[prompts.Set]
	described    atomic.Bool // the tool for documents was listed before they were known
	catalog      *loader.Current
	find         func(ctx context.Context, uri string) (loader.Resource, bool, error)
	finding      chan struct{} // full while a file is looked for
	instructions func() string
	bounds       atomic.Pointer[Limits]
	reading      *semaphore.Weighted // bytes of the files that all reads hold
	whole        int64               // bytes that a read may have to be held whole
	envelope     int64               // bytes of JSON that an answer has around its contents
	hanging      atomic.Int64        // reads that were left behind
	features     atomic.Pointer[Features]
	live         func() Liveness
	completing   *semaphore.Weighted
	logger       *slog.Logger
	hub          *hub
	mcp          *mcp.Server

	implementation *mcp.Implementation
}

// New returns a server. It declares every capability whatever the tree holds now, for the tree may change.
func New(opts Options) *Server {
	s := &Server{
		catalog:      opts.Catalog,
		find:         opts.Find,
		finding:      make(chan struct{}, 1),
		instructions: opts.Instructions,
		live:         opts.Live,
		logger:       opts.Logger,
		name:         opts.Name,
		library:      newLatest[docs.Library](),
		prompts:      newLatest[prompts.Set](),
		completing:   semaphore.NewWeighted(maxCompleting),
		reading:      semaphore.NewWeighted(readBudget),
		whole:        maxWhole,
	}
	if s.instructions == nil {
		s.instructions = func() string { return "" }
	}
	if s.live == nil {
		s.live = func() Liveness { return Liveness{} }
	}
	if opts.Package != "" {
		s.docsName = docs.ToolName(opts.Name, opts.Package)
	}
	s.SetLimits(opts.Limits)
	s.features.Store(&opts.Features)
	s.hub = newHub()
	s.implementation = &mcp.Implementation{Name: opts.Name, Title: opts.Name + " Documentation Server", Version: opts.Version}
	s.envelope = envelopeBytes + int64(len(s.newShortcut().serverInfo))
	s.mcp = mcp.NewServer(s.implementation,
		&mcp.ServerOptions{
			Logger:   quiet(opts.Logger),
			PageSize: opts.Limits.PageItems,
			Capabilities: &mcp.ServerCapabilities{
				Completions: &mcp.CompletionCapabilities{},
				Prompts:     &mcp.PromptCapabilities{ListChanged: true},
				Resources:   &mcp.ResourceCapabilities{ListChanged: true, Subscribe: true},
				Tools:       &mcp.ToolCapabilities{ListChanged: true},
			},
		})
	s.mcp.AddSendingMiddleware(s.hub.sending)
	s.mcp.AddReceivingMiddleware(s.receive)
	return s
}

// SetLimits changes the limits for the requests that follow.
func (s *Server) SetLimits(l Limits) {
	s.bounds.Store(&l)
}

// SetFeatures turns features on and off.
func (s *Server) SetFeatures(f Features) {
	if old := s.features.Swap(&f); *old != f {
		s.hub.tell(announcement{lists: lists{tools: true}})
	}
}

// Run serves one session over a transport until the client ends it or ctx does.
func (s *Server) Run(ctx context.Context, t mcp.Transport) error {
	defer s.hub.wait()
	c := s.newShortcut()
	if lines, ok := t.(*stdio.Transport); ok {
		with := *lines
		with.Shortcut = c.take
		t = &with
	}
	session, err := s.mcp.Connect(ctx, t, nil)
	if err != nil {
		return err
	}
	c.session.Store(session)
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		session.Close()
		<-ended
		return ctx.Err()
	}
}

// Changed tells every client what the current catalog, which was published before, means to it. touched reports whether
// a file of the same size and time may have other bytes. It does not wait for clients.
func (s *Server) Changed(old, catalog *loader.Catalog, touched func(loader.Resource) bool) {
	s.hub.changed(old, catalog, touched)
}

// receive is the middleware around every request and notification.
func (s *Server) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer s.recovered(method, func(failure error) { res, err = nil, failure })
		res, err = s.handle(ctx, method, req, next)
		if err != nil {
			return nil, s.clientError(method, err)
		}
		return res, nil
	}
}

// recovered tells fail of a panic.
func (s *Server) recovered(method string, fail func(error)) {
	if p := recover(); p != nil {
		s.logger.Error("a request failed", "method", method, "panic", p, "stack", string(debug.Stack()))
		fail(errInternal)
	}
}

func (s *Server) handle(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
	switch req := req.(type) {
	case *mcp.ListResourcesRequest:
		cursor := ""
		if req.Params != nil {
			cursor = req.Params.Cursor
		}
		return settled(s.listResources(ctx, cursor, eraOf(req), req.Session))
	case *mcp.ListResourceTemplatesRequest:
		cursor := ""
		if req.Params != nil {
			cursor = req.Params.Cursor
		}
		return s.listTemplates(ctx, cursor, eraOf(req), req.Session)
	case *mcp.ReadResourceRequest:
		return settled(s.readResource(ctx, req.Params.URI, eraOf(req)))
	case *mcp.CompleteRequest:
		return s.complete(ctx, req.Params, eraOf(req))
	case *mcp.ListToolsRequest:
		cursor := ""
		if req.Params != nil {
			cursor = req.Params.Cursor
		}
		return s.listTools(ctx, cursor, eraOf(req).cacheable(s.listTTL(req.Session, lists{tools: true}, nil)))
	case *mcp.CallToolRequest:
		return s.callTool(ctx, req.Params, eraOf(req).outcome())
	case *mcp.ListPromptsRequest:
		cursor := ""
		if req.Params != nil {
			cursor = req.Params.Cursor
		}
		return s.listPrompts(ctx, cursor, eraOf(req), req.Session)
	case *mcp.GetPromptRequest:
		return s.getPrompt(ctx, req.Params, eraOf(req).outcome())
	case *mcp.InitializedRequest:
		s.hub.open(req.Session)
	case *mcp.SubscribeRequest:
		catalog, err := s.catalog.Load(ctx)
		if err != nil {
			return nil, err
		}
		if _, ok := catalog.Lookup(req.Params.URI); !ok {
			if _, ok := catalog.LookupFolder(req.Params.URI); ok {
				return nil, invalidParams("%s is a folder: subscribe to its files", shown(req.Params.URI))
			}
			return nil, notFound(catalog, req.Params.URI, eraOf(req))
		}
		if err := s.hub.subscribe(req.Session, catalog, req.Params.URI); err != nil {
			return nil, err
		}
		return &emptyResult{}, nil
	case *mcp.UnsubscribeRequest:
		s.hub.unsubscribe(req.Session, req.Params.URI)
		return &emptyResult{}, nil
	case *mcp.SubscriptionsListenRequest:
		if eraOf(req) == handshake {
			return nil, &jsonrpc.Error{
				Code:    jsonrpc.CodeMethodNotFound,
				Message: fmt.Sprintf("%s needs protocol version %s; use resources/subscribe", method, statelessVersion),
			}
		}
		catalog, err := s.catalog.Load(ctx)
		if err != nil {
			return nil, err
		}
		return s.hub.listen(ctx, method, req, catalog, next)
	case *mcp.ServerRequest[*mcp.InitializeParams]:
		if req.Session.InitializeParams() != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "initialize: the session has begun already"}
		}
		// The handshake cannot agree on the era without one; a session that asks for it gets the latest it can, and
		// must be remembered as such.
		if req.Params.ProtocolVersion >= statelessVersion {
			req.Params.ProtocolVersion = lastHandshakeVersion
		}
	}
	res, err := next(ctx, method, req)
	if err != nil {
		return nil, err // res may be a nil pointer of the SDK's
	}
	switch res := res.(type) {
	case *mcp.InitializeResult:
		res.Instructions = s.instructions()
	case *mcp.DiscoverResult:
		res.Instructions = s.instructions()
	}
	return res, nil
}

// tools are the tools that clients have now.
func (s *Server) tools() []tool {
	var tools []tool
	if s.docsName != "" {
		tools = append(tools, s.docsTool())
	}
	if s.features.Load().ResourceTools {
		tools = append(tools, s.resourceTools()...)
	}
	if s.features.Load().Connector {
		tools = append(tools, s.connectorTools()...)
	}
	return tools
}

// emptyResult is the answer to a request that has nothing to say.
type emptyResult struct{ outcome }

// quiet is a logger for the SDK, which reports each step of a session.
func quiet(l *slog.Logger) *slog.Logger { return slog.New(atLeastError{l.Handler()}) }

type atLeastError struct{ slog.Handler }

func (h atLeastError) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelError && h.Handler.Enabled(ctx, slog.LevelError)
}
