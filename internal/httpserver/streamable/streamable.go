// Package streamable is the MCP streamable HTTP transport of a server (MCP 2025-11-25 and
// 2026-07-28, "Transports"): one URL for both eras of the protocol.
//
// A POST has one JSON-RPC message, or up to 2025-03-26 a batch. It is parsed once, and its calls
// are answered by a [Server], which writes results in pieces: large ones are streamed, with a
// bounded amount of memory whatever the client does.
//
// A request of 2026-07-28 stands for itself. Its headers MCP-Protocol-Version, Mcp-Method and
// Mcp-Name must say what its body says. subscriptions/listen is answered by a stream of server-sent
// events that ends with the result; everything else by JSON.
//
// Up to 2025-11-25, initialize begins a session. A session belongs to the
// caller who began it; for everybody else it does not exist. GET opens the stream of its
// notifications, one at a time: a new one replaces the old. While there is none, notifications
// wait, one of each kind. Event ids are numbers of changes; Last-Event-ID repeats what came after
// one. DELETE ends a session. So does a time without requests, calls and streams.
//
// What is refused is refused with a JSON-RPC error: 400 for what is not a message or does not fit
// its headers, 404 for a session that does not exist, 405, 406, 413 and 415 for what HTTP itself
// checks, 409 for a stream that was replaced before it began, 503 when a caller or the server has
// too many sessions or streams.
//
// A client that does not read is cut off after [writeTimeout], and one that reads a large answer
// very slowly after some more time. A result that cannot be completed
// ends the connection, so that no client takes a part for the whole.
package streamable

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
)

const (
	// maxBody is how many bytes a message may have.
	maxBody = 16 << 20
	// smallBody is how many bytes of a body are read without a share of bodyBudget.
	smallBody = 64 << 10
	// bodyBudget is how many bytes all larger bodies may have at a time.
	bodyBudget = 64 << 20
	// readTimeout is how long a body may take.
	readTimeout = 30 * time.Second
	// writeTimeout is how long a client may take to read 64 KiB.
	writeTimeout = 30 * time.Second
	// keepAlive is how often a stream without notifications has a comment, so that proxies, many
	// of which wait for a minute, do not close it.
	keepAlive = 25 * time.Second
	// oldest is the first protocol version with this transport.
	oldest = "2025-03-26"
)

// A Server answers the calls of a project.
type Server interface {
	protocol.Handler
	// Reserve sets the memory aside that one answer may hold, for the calls of a batch, which are
	// answered one after the other while their array is written: they must not wait then for memory
	// that others hold until they can write. c is one of these calls, and the context is for them.
	// release gives the memory back.
	Reserve(ctx context.Context, c *protocol.Call) (reserved context.Context, release func(), err error)
}

// Limits bound what callers may have at a time.
type Limits struct {
	Idle         time.Duration // after which a session ends
	CallerTotal  int           // sessions of a caller, and as many streams
	OverallTotal int           // sessions of all callers, and as many streams
}

// DefaultLimits are those of a server without other limits.
var DefaultLimits = Limits{Idle: 30 * time.Minute, CallerTotal: 2000, OverallTotal: 10_000}

// Options describe a handler.
type Options struct {
	Server Server
	Shared *Shared // with the handlers of other projects; nil makes its own
	Logger *slog.Logger
	// Observe, if not nil, is called for each call that was answered.
	Observe func(*http.Request, Observation)
	// Notified, if not nil, is called with the method of each notification that was sent.
	Notified func(method string)
}

// An Observation is what is known of a call that was answered.
type Observation struct {
	Method   string
	Subject  string // URI of a resource, or name of a tool or prompt
	Caller   string // as logs have it
	Outcome  string // "ok", "tool_error" (a result with isError), "cut", or the code of the error
	Bytes    int64  // of the result
	Duration time.Duration
}

// A Handler is the endpoint of one project, an [http.Handler]. What may reach it is decided by
// others: the caller is in the request's context, see [auth.FromContext].
type Handler struct {
	server   Server
	shared   *Shared
	logger   *slog.Logger
	observe  func(*http.Request, Observation)
	notified func(method string)
}

// Shared is what the handlers of several projects have together.
type Shared struct {
	sessions *sessions
	streams  *Quota
	bodies   *semaphore.Weighted
	ending   chan struct{} // closed when streams are to end
}

// NewShared returns what handlers share. Its owner calls Run.
func NewShared(l Limits) *Shared {
	return &Shared{
		sessions: newSessions(l),
		streams:  NewQuota(l),
		bodies:   semaphore.NewWeighted(bodyBudget),
		ending:   make(chan struct{}),
	}
}

// Run ends sessions that are idle or whose caller is gone, until ctx ends. Then it ends all.
func (s *Shared) Run(ctx context.Context) { s.sessions.run(ctx) }

// EndStreams ends all streams of sessions, now and to come: the server is about to end. Listens are
// ended by the server that answers them. It is called once.
func (s *Shared) EndStreams() { close(s.ending) }

// Counts returns how many sessions and streams there are.
func (s *Shared) Counts() (sessions, streams int) { return s.sessions.quota.count(), s.streams.count() }

// New returns the endpoint of a project.
func New(opts Options) *Handler {
	h := &Handler{server: opts.Server, shared: opts.Shared, logger: opts.Logger, observe: opts.Observe, notified: opts.Notified}
	if h.shared == nil {
		h.shared = NewShared(DefaultLimits)
	}
	if h.logger == nil {
		h.logger = slog.New(slog.DiscardHandler)
	}
	if h.observe == nil {
		h.observe = func(*http.Request, Observation) {}
	}
	if h.notified == nil {
		h.notified = func(string) {}
	}
	return h
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header["X-Content-Type-Options"] = nosniff // as Set does, without a slice of its own
	header["Cache-Control"] = noStore
	for _, name := range single {
		if len(r.Header[name]) > 1 {
			refuseText(w, http.StatusBadRequest, "the request has several headers "+name)
			return
		}
	}
	if r.Method == http.MethodGet && r.ContentLength != 0 {
		refuseText(w, http.StatusBadRequest, "a GET has no body")
		return
	}
	switch r.Method {
	case http.MethodPost:
		h.post(w, r)
	case http.MethodGet:
		h.get(w, r)
	case http.MethodDelete:
		h.delete(w, r)
	default:
		notAllowed(w, "GET, POST, DELETE", "use POST for messages, GET for the stream of a session and DELETE to end it")
	}
}

// Values of headers, which nobody changes: they have no room for more.
var (
	nosniff  = []string{"nosniff"}
	noStore  = []string{"no-store"}
	jsonType = []string{"application/json"}
)

// single are headers that a request has once at most: a proxy might go by another one than the
// server. For those of 2026-07-28 alone, see checkHeaders.
var single = []string{"Mcp-Session-Id", "Mcp-Protocol-Version", "Last-Event-Id", "Content-Type"}

// caller returns who sent a request. Without authentication in front of the handler, all are one.
func caller(r *http.Request) auth.Caller {
	c, _ := auth.FromContext(r.Context())
	return c
}

// versionOf returns the protocol version that a request's header names, or "".
func versionOf(r *http.Request) string { return r.Header.Get("Mcp-Protocol-Version") }
