package notify

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
)

// Methods of notifications.
const (
	resourcesChanged = "notifications/resources/list_changed"
	toolsChanged     = "notifications/tools/list_changed"
	promptsChanged   = "notifications/prompts/list_changed"
	resourceUpdated  = "notifications/resources/updated"
	acknowledged     = "notifications/subscriptions/acknowledged"
)

// metaSubscription is the JSON of the _meta key that names the listen of a notification, up to the
// value.
const metaSubscription = `{"_meta":{"io.modelcontextprotocol/subscriptionId":`

// A Notification is a message to a client that has no id.
type Notification struct {
	Method string
	Params []byte // JSON, an object
	// Number counts the changes that a session is notified of. It rises with each notification.
	Number uint64
}

// A Subscriber holds the notifications of one session. Its methods may be called concurrently.
type Subscriber struct {
	hub    *Hub
	caller string
	wake   chan struct{} // has room for one
	closed chan struct{} // closed by Close

	mu      sync.Mutex // guards all fields below
	ended   bool
	streams []*stream
	number  uint64 // number of the last change
}

// Close ends the session: Next returns ErrClosed, listens end, and all subscriptions are released.
func (s *Subscriber) Close() {
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		return
	}
	s.ended = true
	streams := s.streams
	s.streams = nil
	s.mu.Unlock()
	close(s.closed)
	s.hub.mu.Lock()
	delete(s.hub.subscribers, s)
	s.hub.mu.Unlock()
	for _, st := range streams {
		s.hub.releaseAll(st)
	}
}

func (h *Hub) releaseAll(st *stream) {
	for _, key := range st.uris {
		h.release(key)
	}
}

// Initialized subscribes a session up to 2025-11-25 to changes of all lists (MCP, "Lifecycle").
func (s *Subscriber) Initialized() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handshake().wants = Lists{true, true, true}
}

// SubscribeAll subscribes a session up to 2025-11-25 to all resources: the server was restarted, and does not know to which
// the client had subscribed.
func (s *Subscriber) SubscribeAll() {
	s.mu.Lock()
	s.handshake().all = true
	s.mu.Unlock()
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	s.hub.forAll = true
}

// handshake returns the stream of a session up to 2025-11-25. The caller holds s.mu.
func (s *Subscriber) handshake() *stream {
	for _, st := range s.streams {
		if st.id == nil {
			return st
		}
	}
	st := newStream(nil)
	if !s.ended {
		s.streams = append(s.streams, st)
	}
	return st
}

// Subscribe subscribes a session up to 2025-11-25 to updates of the resource with a URI (MCP,
// "Resources", Subscriptions). The resource must exist in the view.
func (s *Subscriber) Subscribe(v view.View, uri string) error {
	s.mu.Lock()
	st := s.handshake()
	_, has := st.uris[uri]
	n := len(st.uris)
	s.mu.Unlock()
	switch {
	case has:
		return nil
	case n >= MaxURIs:
		return limitf("a session may subscribe to %d resources; unsubscribe from some first", MaxURIs)
	}
	key, err := s.hub.acquire(v, uri)
	if err != nil || key == "" {
		return err
	}
	s.mu.Lock()
	_, has = st.uris[uri]
	if !has && !s.ended {
		st.uris[uri] = key
	}
	keep := !has && !s.ended
	s.mu.Unlock()
	if !keep {
		s.hub.release(key)
	}
	return nil
}

// Unsubscribe ends a subscription. If there is none, it returns without an error.
func (s *Subscriber) Unsubscribe(uri string) {
	s.mu.Lock()
	st := s.handshake()
	key, has := st.uris[uri]
	delete(st.uris, uri)
	delete(st.changes, change{resourceUpdated, uri})
	s.mu.Unlock()
	if has {
		s.hub.release(key)
	}
}

// Covers reports whether the session will be notified when these lists change.
func (s *Subscriber) Covers(l Lists) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.streams, func(st *stream) bool { return st.wants.and(l) == l })
}

// mark records changes. It never waits.
func (s *Subscriber) mark(a announcement) {
	s.mu.Lock()
	for _, st := range s.streams {
		lists := a.listsOf(s.caller).and(st.wants)
		for _, kind := range []struct {
			changed bool
			method  string
		}{{lists.Resources, resourcesChanged}, {lists.Tools, toolsChanged}, {lists.Prompts, promptsChanged}} {
			if kind.changed {
				s.note(st, change{method: kind.method})
			}
		}
		if st.all {
			s.noteAll(st, a.updated)
		}
		for uri, key := range st.uris {
			if a.updated[key] {
				s.note(st, change{resourceUpdated, uri})
			}
		}
	}
	s.mu.Unlock()
	s.signal()
}

// noteAll notes that resources of everybody and of the caller were updated. The caller holds s.mu.
func (s *Subscriber) noteAll(st *stream, updated map[string]bool) {
	for key := range updated {
		uri, owned := strings.CutPrefix(key, s.caller+"\x00")
		if (owned || !strings.Contains(uri, "\x00")) && len(st.changes) < MaxURIs {
			s.note(st, change{resourceUpdated, uri})
		}
	}
}

// note numbers a change. A change that the client has not been sent yet keeps its number: the same
// notification covers both. The caller holds s.mu.
func (s *Subscriber) note(st *stream, c change) {
	if known := st.changes[c]; known != nil && !known.sent {
		return
	}
	s.number++
	st.changes[c] = &state{number: s.number}
}

func (s *Subscriber) signal() {
	select {
	case s.wake <- struct{}{}:
	default: // a wake-up is already pending
	}
}

// Next waits for the next notification and takes it. The caller sends it and, if that fails, calls
// Rewind. Only one goroutine may call Next at a time. Next returns ErrOver when over is closed and no notification is left,
// ErrPause when the timer channel pause has a value, ErrClosed after Close, or the error of ctx. Both channels may be nil.
func (s *Subscriber) Next(ctx context.Context, over <-chan struct{}, pause <-chan time.Time) (Notification, error) {
	return next(ctx, s.take, s.wake, s.closed, over, pause)
}

var (
	ErrClosed = errors.New("the subscriber is closed")
	ErrOver   = errors.New("all notifications have been sent")
	ErrPause  = errors.New("no notification has come yet")
)

// next is Next for whatever has notifications to take, and wakes the one that waits for them.
func next(ctx context.Context, take func() (Notification, bool), wake, closed, over <-chan struct{}, pause <-chan time.Time) (Notification, error) {
	for {
		if n, ok := take(); ok {
			return n, nil
		}
		select {
		case <-wake:
		case <-closed:
			return Notification{}, ErrClosed
		case <-over:
			if n, ok := take(); ok {
				return n, nil
			}
			return Notification{}, ErrOver
		case <-pause:
			return Notification{}, ErrPause
		case <-ctx.Done():
			return Notification{}, ctx.Err()
		}
	}
}

// take takes the notification with the lowest number.
func (s *Subscriber) take() (Notification, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found *stream
	var next change
	var lowest *state
	for _, st := range s.streams {
		if st.ack != nil {
			n := Notification{Method: acknowledged, Params: st.ack, Number: s.number}
			st.ack = nil
			return n, true
		}
		for c, state := range st.changes {
			if !state.sent && (lowest == nil || state.number < lowest.number) {
				found, next, lowest = st, c, state
			}
		}
	}
	if lowest == nil {
		return Notification{}, false
	}
	if lowest.sent = true; found.id != nil {
		delete(found.changes, next) // a listen cannot be rewound
	}
	return Notification{next.method, found.params(next), lowest.number}, true
}

// Rewind makes a session up to 2025-11-25 send all notifications after a number again, with their
// current content: it implements Last-Event-ID of the streamable HTTP transport.
func (s *Subscriber) Rewind(number uint64) {
	s.mu.Lock()
	for _, st := range s.streams {
		for _, state := range st.changes {
			if state.number > number {
				state.sent = false
			}
		}
	}
	s.mu.Unlock()
	s.signal()
}

// NotifyAll marks all lists that a session up to 2025-11-25 wants, as if each had changed.
func (s *Subscriber) NotifyAll() {
	s.mark(announcement{Lists: Lists{true, true, true}})
}

// Sent returns the highest number up to which a session up to 2025-11-25 has been sent everything.
func (s *Subscriber) Sent() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	sent := s.number
	for _, st := range s.streams {
		for _, state := range st.changes {
			if !state.sent {
				sent = min(sent, state.number-1)
			}
		}
	}
	return sent
}

// Latest holds the latest notification until it is taken, so that no sender waits for a client that
// reads slowly. Its methods may be called concurrently.
type Latest struct {
	wake chan struct{} // has room for one

	mu   sync.Mutex // guards next
	next *Notification
}

// NewLatest returns an empty Latest.
func NewLatest() *Latest { return &Latest{wake: make(chan struct{}, 1)} }

// Put replaces the notification in l.
func (l *Latest) Put(n Notification) {
	l.mu.Lock()
	l.next = &n
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default: // a wake-up is already pending
	}
}

// Wake returns a channel that has a value when there may be a notification to take.
func (l *Latest) Wake() <-chan struct{} { return l.wake }

// Take removes and returns the notification, if there is one.
func (l *Latest) Take() (n Notification, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next == nil {
		return Notification{}, false
	}
	n, l.next = *l.next, nil
	return n, true
}

// Next is [Subscriber.Next] for the notification in l.
func (l *Latest) Next(ctx context.Context, over <-chan struct{}, pause <-chan time.Time) (Notification, error) {
	return next(ctx, l.Take, l.wake, nil, over, pause)
}
