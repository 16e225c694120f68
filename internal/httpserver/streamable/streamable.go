// Package streamable is the MCP streamable HTTP transport of a server (MCP 2025-11-25 and
// 2026-07-28, "Transports"): one URL for both eras of the protocol.
//
//  1. A POST has one JSON-RPC message, or up to 2025-03-26 a batch. It is parsed once. A [Server]
//     answers its calls and writes results in pieces: large results are streamed, with a bounded
//     amount of memory whatever the client does.
//  2. A request of 2026-07-28 needs no session. Its headers MCP-Protocol-Version, Mcp-Method and
//     Mcp-Name must agree with its body. subscriptions/listen is answered by a stream of server-sent
//     events that ends with the result. All other calls are answered by JSON, or by such a stream if they are slow or
//     send progress and the client accepts one.
//  3. Up to 2025-11-25, initialize begins a session. It belongs to the caller who began it; requests
//     of other callers get 404. GET opens the stream of its notifications. A session has one stream:
//     a new one replaces the old one. Without a stream, notifications wait, one of each kind. Event
//     ids are numbers of changes; with Last-Event-ID, the changes after that number are repeated. A
//     session ends with DELETE, or after some time without requests, calls and streams.
//     The id of a session, which is sealed with [Keys], says what a server must know: if the server was restarted, or is another
//     replica with the same keys, it begins the session again. A session ends after some days; DELETE,
//     cancellations and idle time concern one replica alone; and an event id also names the replica's part of the session:
//     after an unknown one, all notifications are sent. With a [Store], replicas also share the ends of sessions.
//     Subscriptions to resources are not shared: a server with replicas does not offer them.
//  4. A refusal has a JSON-RPC error: 400 for what is not a message or does not agree with its
//     headers, 404 for an unknown session, 405, 406, 413 and 415 for violations of HTTP, 409 for a
//     stream that was replaced before it began, 503 when a caller or the server has too many sessions
//     or streams.
//  5. A client that does not read is disconnected after [writeTimeout], and one that reads a large
//     answer very slowly somewhat later. If a result cannot be completed, the connection ends, so
//     that no client takes a part for the whole.
package streamable

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/serverlog"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
)

const (
	// maxBody is how many bytes a message may have.
	maxBody = 16 << 20
	// smallBody is how many bytes of a body are read without a share of bodyBudget.
	smallBody = 64 << 10
	// bodyBudget is how many bytes all larger bodies may have at a time. A caller may have half of it.
	bodyBudget = 64 << 20
	// slowBody is after how long a larger body that is still being read may lose its share to one that waits.
	slowBody = time.Second
	// readTimeout is how long a body may take.
	readTimeout = 30 * time.Second
	// writeTimeout is how long a client may take to read 64 KiB.
	writeTimeout = 30 * time.Second
	// keepAlive is the interval of comments on a stream without notifications. It keeps proxies,
	// many of which wait for a minute, from closing the stream.
	keepAlive = 25 * time.Second
	// slow is the time after which the answer to a call becomes a stream with comments, before a proxy gives the call up.
	slow = 15 * time.Second
	// retry is the time in milliseconds after which clients connect again when a stream has ended. Without it, the TypeScript SDK
	// tries for 2.5 s only, which is less than many restarts take.
	retry = 5000
	// oldest is the first protocol version with this transport.
	oldest = "2025-03-26"
)

// A Server answers the calls of a project.
type Server = protocol.Handler

// Limits bound how many sessions and streams callers may have at a time.
type Limits struct {
	Idle         time.Duration // idle time after which a session ends
	CallerTotal  int           // sessions of a caller, and as many streams
	OverallTotal int           // sessions of all callers, and as many streams
}

// DefaultLimits are the limits of a server that sets no others.
var DefaultLimits = Limits{Idle: 30 * time.Minute, CallerTotal: 2000, OverallTotal: 10_000}

// Options describe a handler.
type Options struct {
	Name   string // of the project at this path, the same in all replicas
	Server Server
	Shared *Shared // shared with the handlers of other projects
	Logger *slog.Logger
	// Observe is called for each answered call.
	Observe func(*http.Request, serverlog.Call)
	// Notified, if not nil, is called with the method of each notification that was sent.
	Notified func(method string)
}

// A Handler is the endpoint of one project, an [http.Handler]. Access control is in front of it:
// the caller is in the request's context, see [auth.FromContext].
type Handler struct{ options Options }

// Shared is the state that the handlers of several projects share.
type Shared struct {
	sessions *sessions
	streams  *quota
	bodies   bodies
	ending   chan struct{} // closed when all streams must end
	calls    atomic.Int64  // number of POSTs that are being answered
	slow     time.Duration // see slow
}

// NewShared returns the state that the handlers of a process share. keys seal the ids of sessions. If other replicas serve the same
// sessions, they have the same keys, and store, which may be nil, knows which sessions have ended. The caller must
// call Run.
func NewShared(l Limits, keys *Keys, store *Store) *Shared {
	return &Shared{
		sessions: &sessions{idle: l.Idle, quota: newQuota(l), keys: keys, store: store, byID: make(map[string]*session)},
		streams:  newQuota(l),
		bodies:   bodies{byCaller: make(map[string]int64), reading: make(map[*largeBody]bool)},
		ending:   make(chan struct{}),
		slow:     slow,
	}
}

// Run ends sessions that are idle or whose caller is revoked, until ctx ends. Then it ends all.
func (s *Shared) Run(ctx context.Context) { s.sessions.run(ctx) }

// EndStreams ends the streams of sessions, also those that begin later, because the server is about
// to end. The server that answers listens ends them itself. EndStreams is called once.
func (s *Shared) EndStreams() { close(s.ending) }

// Busy reports whether a POST is being answered.
func (s *Shared) Busy() bool { return s.calls.Load() > 0 }

// Counts returns the numbers of sessions and streams.
func (s *Shared) Counts() (sessions, streams int) { return s.sessions.quota.count(), s.streams.count() }

// New returns the endpoint of a project.
func New(opts Options) *Handler {
	if opts.Notified == nil {
		opts.Notified = func(string) {}
	}
	return &Handler{opts}
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-store")
	for _, name := range single {
		if len(r.Header[name]) > 1 {
			hosts.Refuse(w, http.StatusBadRequest, "the request has several headers "+name)
			return
		}
	}
	if r.Method == http.MethodGet && r.ContentLength != 0 {
		hosts.Refuse(w, http.StatusBadRequest, "a GET has no body")
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
		hosts.NotAllowed(w, "GET, POST, DELETE", "use POST for messages, GET for the stream of a session and DELETE to end it")
	}
}

// single are the headers that a request may have only once: if it had two, a proxy and the server
// might use different ones. checkHeaders checks the headers that only 2026-07-28 has.
var single = []string{"Mcp-Session-Id", "Mcp-Protocol-Version", "Last-Event-Id", "Content-Type"}

// caller returns the caller of a request. Without authentication in front of the handler, all
// requests have the same caller.
func caller(r *http.Request) auth.Caller {
	c, _ := auth.FromContext(r.Context())
	return c
}

// versionOf returns the protocol version that a request's header names, or "".
func versionOf(r *http.Request) string { return r.Header.Get("Mcp-Protocol-Version") }
