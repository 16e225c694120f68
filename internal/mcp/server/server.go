// Package server answers MCP requests from a project. It is the one place where each method is
// answered, for every transport.
//
// A transport passes a [protocol.Call] to [Server.Answer] and gets a result that writes itself.
//
// Both eras of the protocol are supported: sessions that begin with initialize (2024-11-05 to
// 2025-11-25), and requests that carry their version in _meta (2026-07-28). They differ in the
// common members of results and in the code of the not-found error.
//
//	any method                answer.go    era, parameters, audit; reply.go writes results and errors
//	resources/list            list.go      pages in canonical order; the cursor is the last key
//	resources/templates/list  list.go
//	tools/list, tools/call    tools.go     internal/library/tools has the tools
//	prompts/list, prompts/get prompt.go
//	resources/read            read.go      files and folders; internal/library/contents reads them
//	resources/directory/read  list.go
//	skills/list, skills/get   read.go      internal/library/skills reads them
//	completion/complete       prompt.go    values of template variables, from the tree
//	initialize                server.go    the version, which the SDK negotiates
//
// A panic in a request becomes an error of that request. Only clientError decides what a client may
// read in an error.
package server

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/semaphore"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/progress"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/latest"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// Options describe a server.
type Options struct {
	Name    string // of the project
	Named   bool   // its author chose the name
	Version string // of the project
	// with Name it names the tool for documents; "": no such tool
	Package string
	// for the model; called for each client; nil: none
	Instructions func(context.Context) string
	Catalog      *latest.Value[loader.Catalog]
	// of resources that are not files; a source belongs to one server
	Sources []view.Source
	// nil: the server's own; SetLibrary publishes them
	Documents *latest.Value[docs.Library]
	// nil: the server's own; SetNames publishes them
	Names *latest.Value[site.Names]
	// see [tools.Options]; nil: there are such files
	HasFiles func() bool
	// nil: the server's own; SetPrompts publishes them
	Prompts *latest.Value[prompts.Set]
	Limits  Limits
	Tools   []tools.Tool     // of other packages
	Memory  *contents.Memory // of all servers of a process; nil: the server's own
	Features
	// Find looks for the file of a URI before the first catalog exists. It may fail to find an
	// existing file. nil: every read waits for the catalog.
	Find func(ctx context.Context, uri string) (loader.Resource, bool, error)
	// Reading returns how many documents are read and how many there are, once it is known. nil: it is not.
	Reading func() *progress.Step
	Live    func() Liveness // nil: changes of the tree are not noticed
	// Replicated says that other processes answer for the same sessions. They do not know the subscriptions of a session,
	// so the server does not offer resources/subscribe.
	Replicated bool
	Logger     *slog.Logger
	Audit      *slog.Logger // gets a line for each call; nil: none
}

// Limits bound what a request may cost; all are positive.
type Limits struct {
	ReadBytes  int64 // content of one read
	FrameBytes int64 // JSON of one answer to a read
	PageItems  int   // items of a page of a list
}

// envelopeBytes is the size of what surrounds the contents in an answer, without the name of the
// server and a long id.
const envelopeBytes = 256

// A Server serves one project to any number of sessions.
type Server struct {
	options    Options
	tools      *tools.Set
	views      *view.Views   // of the catalog and the sources
	finding    chan struct{} // full while a search for a file runs
	bounds     atomic.Pointer[Limits]
	reader     *contents.Reader
	completing *semaphore.Weighted
	digesting  *semaphore.Weighted
	skills     *skills.Reader
	hub        *notify.Hub
	called     func() // closes calls
	calls      chan struct{}
	started    time.Time
	// time of the last call or end of an answer, relative to started
	latest       atomic.Int64
	sdk          *mcp.Server
	negotiate    mcp.MethodHandler // of the SDK
	serverInfo   []byte            // JSON
	capabilities json.RawMessage   // of the stateless era
}

// New returns a server.
func New(opts Options) *Server {
	opts.Prompts = cmp.Or(opts.Prompts, latest.New[prompts.Set]())
	opts.Memory = cmp.Or(opts.Memory, contents.NewClientMemory())
	if opts.Instructions == nil {
		opts.Instructions = func(context.Context) string { return "" }
	}
	if opts.Reading == nil {
		opts.Reading = func() *progress.Step { return nil }
	}
	s := &Server{
		options:    opts,
		views:      view.New(opts.Catalog, opts.Sources...),
		finding:    make(chan struct{}, 1),
		completing: semaphore.NewWeighted(maxCompleting),
		digesting:  semaphore.NewWeighted(maxDigesting),
		skills:     skills.NewReader(),
		started:    time.Now(),
		calls:      make(chan struct{}),
	}
	s.called = sync.OnceFunc(func() { close(s.calls) })
	s.startSDK(opts)
	s.reader = contents.NewReader(contents.Options{
		Memory:   opts.Memory,
		Limits:   contents.Limits{ReadBytes: opts.Limits.ReadBytes, FrameBytes: opts.Limits.FrameBytes},
		Envelope: envelopeBytes + int64(len(s.serverInfo)),
		Logger:   opts.Logger,
	})
	s.bounds.Store(&opts.Limits)
	s.tools = tools.New(tools.Options{
		Name: opts.Name, Named: opts.Named, Package: opts.Package, Views: s.views, Library: cmp.Or(opts.Documents, latest.New[docs.Library]()),
		Names: cmp.Or(opts.Names, latest.New[site.Names]()), HasFiles: opts.HasFiles,
		Reader: s.reader, Others: opts.Tools, Features: opts.Features,
	})
	s.hub = notify.New(s.reader.Digest)
	for _, source := range opts.Sources {
		source.Notify(func(c view.Change) {
			s.hub.SourceChanged(c)
			s.resourcesChanged()
		})
	}
	return s
}

// SetLimits changes the limits for later requests.
func (s *Server) SetLimits(l Limits) {
	s.bounds.Store(&l)
	s.reader.SetLimits(contents.Limits{ReadBytes: l.ReadBytes, FrameBytes: l.FrameBytes})
}

// Changed notifies clients of the differences between two catalogs; the current one was published
// before. touched reports whether a file may have other bytes with the same size and time. Changed
// does not wait for clients.
func (s *Server) Changed(old, catalog *loader.Catalog, touched func(loader.Resource) bool) {
	s.hub.Changed(old, catalog, touched)
	s.resourcesChanged()
}

// Called returns a channel that is closed once initialize was answered, or another call begins, which may need the project.
func (s *Server) Called() <-chan struct{} { return s.calls }

// Quiet returns the time since the last call and since the last end of an answer.
func (s *Server) Quiet() time.Duration { return time.Since(s.started) - time.Duration(s.latest.Load()) }

// busy records that a call began or its answer ended.
func (s *Server) busy() { s.latest.Store(int64(time.Since(s.started))) }

// Replaced returns the files of a catalog that hide a resource of a source with the same URI.
func (s *Server) Replaced(files *loader.Catalog) []view.Replacement { return s.views.Replaced(files) }

// Subscriptions returns how many subscriptions to resources clients have.
func (s *Server) Subscriptions() int { return s.hub.Counts().Subscriptions }

// EndListens answers all listens, also those that begin later, because the server is about to end.
func (s *Server) EndListens() { s.hub.End() }

// startSDK makes the server of the SDK, which negotiates the version of sessions that begin with
// initialize. It declares every capability, whatever the tree contains now, because the tree may
// change.
func (s *Server) startSDK(opts Options) {
	name := cmp.Or(excerpt.Name(opts.Name), "mcp-docs-server")
	implementation := &mcp.Implementation{Name: name, Title: name + " Documentation Server", Version: cmp.Or(excerpt.Name(opts.Version), "0.0.0")}
	capabilities := &mcp.ServerCapabilities{
		Completions: &mcp.CompletionCapabilities{},
		Prompts:     &mcp.PromptCapabilities{ListChanged: true},
		Resources:   &mcp.ResourceCapabilities{ListChanged: true, Subscribe: true},
		Tools:       &mcp.ToolCapabilities{ListChanged: true},
		Extensions:  map[string]any{skillsExtension: map[string]any{"directoryRead": true}},
	}
	s.serverInfo, s.capabilities = mustEncode(implementation), mustEncode(capabilities)
	capabilities.Resources.Subscribe = !s.options.Replicated
	s.sdk = mcp.NewServer(implementation, &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler), Capabilities: capabilities})
	s.sdk.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		s.negotiate = next
		return next
	})
}

// mustEncode encodes a value of the SDK that has only strings and booleans, which never fails.
func mustEncode(v any) json.RawMessage {
	data, err := jsonwire.Encode(v)
	if err != nil {
		panic(err)
	}
	return data
}

// initialize answers initialize (MCP 2025-11-25, "Lifecycle"). The SDK keeps what it negotiates in
// a session. This session ends with the answer, because the transport knows the version from then
// on.
func (s *Server) initialize(ctx context.Context, r request, params *mcp.InitializeParams) (*reply, error) {
	if r.Version != "" {
		return nil, protocol.InvalidRequest("initialize: the session has begun already")
	}
	params.ProtocolVersion = max(params.ProtocolVersion, r.Oldest)
	_, transport := mcp.NewInMemoryTransports()
	session, err := s.sdk.Connect(ctx, transport, nil)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	answer, err := s.negotiate(ctx, r.Method, &mcp.ServerRequest[*mcp.InitializeParams]{Session: session, Params: params})
	if err != nil {
		return nil, err
	}
	result := answer.(*mcp.InitializeResult)
	result.Instructions = s.options.Instructions(ctx)
	body, err := encoded(result)
	if err != nil {
		return nil, err
	}
	body.agreed = result.ProtocolVersion
	return body, nil
}
