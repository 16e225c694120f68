package streamable

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
)

// A session begins with initialize (MCP 2025-11-25, "Transports", Session Management).
type session struct {
	key     string   // in sessions.byID
	owner   *Handler // the handler of its project
	caller  auth.Caller
	expires time.Time
	// begins the ids of its events; unique for each part of the session at each process
	epoch      string
	version    string
	subscriber *notify.Subscriber
	ctx        context.Context // ends with the session
	end        context.CancelFunc

	streaming chan struct{} // full while the session has a stream
	// the session began at another replica, and has had no stream here; guarded by streaming
	moved bool
	calls protocol.Calls
	// closed when the store was asked for the session; nil: need not be
	loaded chan struct{}

	mu     sync.Mutex // guards all fields below
	used   time.Time
	busy   int                // requests and streams
	stream context.CancelFunc // ends the stream; nil: no stream
}

// sessions holds the sessions of all callers.
type sessions struct {
	idle  time.Duration
	quota *quota
	keys  *Keys
	store *Store // nil: other replicas know only the ids of sessions

	mu   sync.Mutex          // guards all fields below
	byID map[string]*session // by the digest of their ids
}

// now returns the time that decides when the id of a session expires.
func (s *sessions) now() time.Time {
	if s.store == nil {
		return time.Now()
	}
	return s.store.db.Now()
}

// room takes the quota for a session. If the caller has too many, or all callers have, the one of these sessions that has been idle
// longest makes room: its id stays valid, and it begins again with the next request.
func (s *sessions) room(c auth.Caller) bool {
	if s.quota.take(c.RateKey()) {
		return true
	}
	ours := s.quota.full(c.RateKey())
	var idlest *session
	since := time.Now()
	s.mu.Lock()
	for _, n := range s.byID {
		n.mu.Lock()
		if n.busy == 0 && n.used.Before(since) && (!ours || n.caller.RateKey() == c.RateKey()) {
			idlest, since = n, n.used
		}
		n.mu.Unlock()
	}
	s.mu.Unlock()
	if idlest == nil {
		return false
	}
	s.close(idlest)
	return s.quota.take(c.RateKey())
}

// open begins a session for which quota was taken, and returns its id.
func (s *sessions) open(h *Handler, c auth.Caller, version string) (id string) {
	id, expires := s.keys.seal(h.options.Name, c.SessionKey(), version, s.now())
	n := newSession(h, c, id, version, expires)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byID[n.key] = n
	return id
}

func newSession(h *Handler, c auth.Caller, id, version string, expires time.Time) *session {
	n := &session{
		key:        digest(id),
		owner:      h,
		caller:     c,
		expires:    expires,
		epoch:      rand.Text()[:10] + "-",
		version:    version,
		subscriber: h.options.Server.Open(c.Key),
		streaming:  make(chan struct{}, 1),
		used:       time.Now(),
	}
	n.ctx, n.end = context.WithCancel(context.Background())
	return n
}

// What [sessions.find] returns for a session that cannot be used.
var (
	errNoSession = errors.New("there is no such session; begin one with initialize")
	errTooMany   = errors.New("too many sessions")
)

// find returns a session if it belongs to this project and to the caller. It counts as one more use of the session, which
// leave ends. A session that another replica began, or that was idle here, begins here again.
func (s *sessions) find(h *Handler, r *http.Request, id string) (*session, error) {
	c := caller(r)
	found := s.known(digest(id))
	if found == nil {
		version, expires, ok := s.keys.open(id, h.options.Name, c.SessionKey(), s.now())
		if !ok || s.store == nil && s.keys.hasEnded(digest(id)) {
			return nil, errNoSession
		}
		if !s.room(c) {
			return nil, errTooMany
		}
		again := newSession(h, c, id, version, expires)
		// The client may have sent notifications/initialized elsewhere, or before a restart, and subscriptions too.
		again.subscriber.Initialized()
		if s.keys.Local {
			again.subscriber.SubscribeAll()
		}
		again.moved = true
		if s.store != nil {
			again.loaded = make(chan struct{})
		}
		s.mu.Lock()
		if found = s.byID[again.key]; found == nil {
			found, s.byID[again.key] = again, again
		}
		s.mu.Unlock()
		switch {
		// byID has the session now, so the answer of the store, or the log after it, has its end.
		case found == again && s.store != nil:
			s.load(r.Context(), again)
		case found != again: // two requests at a time
			again.end()
			again.subscriber.Close()
			s.quota.give(c.RateKey())
		}
	}
	if found.owner != h || found.caller.SessionKey() != c.SessionKey() || !s.now().Before(found.expires) {
		return nil, errNoSession
	}
	if found.loaded != nil {
		<-found.loaded
	}
	found.mu.Lock()
	found.busy++
	found.mu.Unlock()
	if found.ctx.Err() != nil { // it ended meanwhile
		return nil, errNoSession
	}
	return found, nil
}

// delete ends a session whose client asked for that: its id, which stays valid until it expires, begins no session any more.
func (s *sessions) delete(ctx context.Context, n *session) error {
	if s.store == nil {
		s.keys.end(n.key, n.expires)
	} else if err := s.store.end(ctx, n); err != nil {
		return err
	}
	s.close(n)
	return nil
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
	known := s.byID[n.key] == n
	if known {
		delete(s.byID, n.key)
	}
	s.mu.Unlock()
	if known {
		n.end()
		n.subscriber.Close()
		s.quota.give(n.caller.RateKey())
	}
}

// run ends sessions that are idle or whose caller is revoked, and all sessions when ctx ends.
func (s *sessions) run(ctx context.Context) {
	// Often enough to end the sessions of a removed token soon, and rare enough to cost nothing.
	tick := time.NewTicker(min(5*time.Second, max(s.idle/4, time.Millisecond)))
	defer tick.Stop()
	var wake <-chan struct{}
	if s.store != nil {
		wake = s.store.wake
	}
	for {
		select {
		case <-ctx.Done():
			s.sweep(func(*session) bool { return true })
			return
		case <-wake:
			s.follow(ctx)
		case <-tick.C:
			now := s.now()
			s.sweep(func(n *session) bool { return n.over(now, s.idle) })
			if s.store != nil { // something may have to be read again
				s.follow(ctx)
			}
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

// begin registers a call and returns a context that ends with the request, the session or the
// call's cancellation. It fails if the id is in use.
func (n *session) begin(ctx context.Context, m protocol.Message) (context.Context, func(), *protocol.Error) {
	call, cancel, finish, fault := n.calls.Begin(ctx, m)
	if fault != nil {
		return nil, nil, fault
	}
	stop := context.AfterFunc(n.ctx, cancel)
	return call, func() {
		stop()
		cancel()
		finish()
	}, nil
}

// replace ends the current stream of the session, and waits for its end. The caller then has the
// stream until it calls release.
func (n *session) replace(ctx context.Context) (stream context.Context, release func(), ok bool) {
	stream, cancel := context.WithCancel(ctx)
	n.mu.Lock()
	if n.stream != nil {
		n.stream()
	}
	n.stream = cancel // a newer stream ends this one, even while it waits
	n.mu.Unlock()
	stop := context.AfterFunc(n.ctx, cancel)
	select {
	case n.streaming <- struct{}{}:
	case <-stream.Done():
		stop()
		cancel()
		return nil, nil, false
	}
	return stream, func() {
		stop()
		cancel()
		<-n.streaming
	}, true
}

// over reports whether the session was idle for so long, has expired, or its caller was revoked.
func (n *session) over(now time.Time, idle time.Duration) bool {
	select {
	case <-n.caller.Revoked():
		return true
	default:
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return !now.Before(n.expires) || n.busy == 0 && time.Since(n.used) > idle
}

// A quota limits how many sessions or streams each caller, and all callers, have at a time.
type quota struct {
	limits Limits

	mu       sync.Mutex // guards all fields below
	byCaller map[string]int
	total    int
}

// newQuota returns a quota with the totals of l.
func newQuota(l Limits) *quota { return &quota{limits: l, byCaller: make(map[string]int)} }

// take counts one more for a caller. It returns false if that would be too many.
func (q *quota) take(caller string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.total >= q.limits.OverallTotal || q.byCaller[caller] >= q.limits.CallerTotal {
		return false
	}
	q.total++
	q.byCaller[caller]++
	return true
}

// give counts one less for a caller.
func (q *quota) give(caller string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.total--
	if q.byCaller[caller]--; q.byCaller[caller] == 0 {
		delete(q.byCaller, caller)
	}
}

func (q *quota) count() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.total
}

// full reports whether a caller has as many as one may have.
func (q *quota) full(caller string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.byCaller[caller] >= q.limits.CallerTotal
}

// tooMany refuses a session or stream beyond the limit of the caller or the server.
func tooMany(w http.ResponseWriter, what string) {
	w.Header().Set("Retry-After", "60")
	hosts.Refuse(w, http.StatusServiceUnavailable, "too many "+what+"; end some, or try again in a minute")
}
