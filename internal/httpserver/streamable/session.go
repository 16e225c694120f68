package streamable

import (
	"context"
	"crypto/rand"
	"net/http"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
)

// A session is what initialize began (MCP 2025-11-25, "Transports", Session Management).
type session struct {
	id         string
	owner      *Handler // of the project that it is of
	caller     string   // who began it
	revoked    <-chan struct{}
	version    string // of the protocol
	subscriber *notify.Subscriber
	ctx        context.Context // ends with the session
	end        context.CancelFunc

	streaming chan struct{} // full while there is a stream

	mu     sync.Mutex // guards all fields below
	used   time.Time  // for the last time
	busy   int        // calls and streams
	calls  map[string]context.CancelFunc
	stream context.CancelFunc // ends the stream; nil if there is none
}

// sessions are those of all callers.
type sessions struct {
	idle  time.Duration
	quota *Quota

	mu   sync.Mutex
	byID map[string]*session // guarded by mu
}

func newSessions(l Limits) *sessions {
	return &sessions{idle: l.Idle, quota: NewQuota(l), byID: make(map[string]*session)}
}

// open begins a session for which quota was taken.
func (s *sessions) open(h *Handler, c auth.Caller, version string) *session {
	n := &session{
		id:         rand.Text(),
		owner:      h,
		caller:     c.Key,
		revoked:    c.Revoked(),
		version:    version,
		subscriber: h.server.Open(c.Key),
		streaming:  make(chan struct{}, 1),
		used:       time.Now(),
	}
	n.ctx, n.end = context.WithCancel(context.Background())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byID[n.id] = n
	return n
}

// find returns the session that a request names, if it is one of this project and caller, and has
// begun one more use of it, which leave ends.
func (s *sessions) find(h *Handler, r *http.Request, id string) *session {
	s.mu.Lock()
	found := s.byID[id]
	s.mu.Unlock()
	if found == nil || found.owner != h || found.caller != caller(r).Key {
		return nil
	}
	found.mu.Lock()
	found.busy++
	found.mu.Unlock()
	if found.ctx.Err() != nil { // it ended meanwhile
		return nil
	}
	return found
}

func (n *session) leave() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.busy--
	n.used = time.Now()
}

// close ends a session, once.
func (s *sessions) close(n *session) {
	s.mu.Lock()
	known := s.byID[n.id] == n
	delete(s.byID, n.id)
	s.mu.Unlock()
	if known {
		n.end()
		n.cancelAll()
		n.subscriber.Close()
		s.quota.Give(n.caller)
	}
}

// run ends sessions whose time is over, and all when ctx ends.
func (s *sessions) run(ctx context.Context) {
	// Often enough for the removal of a token to be felt, seldom enough to cost nothing.
	tick := time.NewTicker(min(5*time.Second, max(s.idle/4, time.Millisecond)))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			s.sweep(func(*session) bool { return true })
			return
		case <-tick.C:
			s.sweep(func(n *session) bool { return n.over(s.idle) })
		}
	}
}

func (s *sessions) sweep(over func(*session) bool) {
	s.mu.Lock()
	var ended []*session
	for _, n := range s.byID {
		if over(n) {
			ended = append(ended, n)
		}
	}
	s.mu.Unlock()
	for _, n := range ended {
		s.close(n)
	}
}

// begin enters a call, whose context ends with the request, the session or the call's cancellation.
// It returns false if the id is in use.
func (n *session) begin(ctx context.Context, id string) (context.Context, func(), bool) {
	call, end := context.WithCancel(ctx)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.calls[id] != nil {
		end()
		return nil, nil, false
	}
	if n.calls == nil {
		n.calls = make(map[string]context.CancelFunc)
	}
	n.calls[id] = end
	if n.ctx.Err() != nil { // cancelAll has been, or is about to come
		end()
	}
	return call, func() {
		end()
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.calls, id)
	}, true
}

// cancelAll ends the calls of a session that has ended.
func (n *session) cancelAll() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, end := range n.calls {
		end()
	}
}

// cancel ends a call (MCP, "Cancellation").
func (n *session) cancel(id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if end := n.calls[id]; end != nil {
		end()
	}
}

// replace ends the stream that the session has, and waits for its end. Then the caller has the
// stream, until it calls release.
func (n *session) replace(ctx context.Context) (stream context.Context, release func(), ok bool) {
	stream, cancel := context.WithCancel(ctx)
	n.mu.Lock()
	if n.stream != nil {
		n.stream()
	}
	n.stream = cancel // a still newer one ends this one, even while it waits
	n.mu.Unlock()
	select {
	case n.streaming <- struct{}{}:
	case <-stream.Done():
		cancel()
		return nil, nil, false
	case <-n.ctx.Done():
		cancel()
		return nil, nil, false
	}
	stop := context.AfterFunc(n.ctx, cancel)
	return stream, func() {
		stop()
		cancel()
		<-n.streaming
	}, true
}

// over reports whether nothing happened for so long, or the caller is gone.
func (n *session) over(idle time.Duration) bool {
	select {
	case <-n.revoked:
		return true
	default:
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.busy == 0 && time.Since(n.used) > idle
}
