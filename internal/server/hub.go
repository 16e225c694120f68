package server

import (
	"context"
	"hash/maphash"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// Bounds on what clients may ask to be told of. Each subscription is looked at when the tree changes.
const (
	maxListenURIs    = 1000   // of one listen, or of a session by resources/subscribe
	maxSubscriptions = 10_000 // of all sessions together
	maxListens       = 100    // of one session
)

// A hub knows who wants to hear of what, in both eras, and is the only one to tell. The SDK's own bookkeeping is not used:
// it holds one listen a session and forgets list changes when any of them ends.
//
// Each session has an outbox with a goroutine that sends. What is to be told is marked there and never waits: a client
// that does not read finds one notification of each kind when it reads again.
type hub struct {
	seed  maphash.Seed
	limit func() int64 // bytes of a file that are worth reading to see whether they changed

	mu       sync.Mutex
	send     mcp.MethodHandler // the SDK's own way to a session
	sessions map[*mcp.ServerSession]*outbox
	targets  map[string]*target // by URI as spelled
	wanted   int                // subscriptions of all sessions
	pacer    pacer
	running  sync.WaitGroup
}

// A target is a URI that somebody subscribed to.
type target struct {
	subscribers int
	exists      bool
	digest      uint64 // of the bytes, where they are not too many
}

func newHub(limit func() int64) *hub {
	return &hub{seed: maphash.MakeSeed(), limit: limit, sessions: make(map[*mcp.ServerSession]*outbox), targets: make(map[string]*target)}
}

// sending is the middleware around everything that is sent.
func (h *hub) sending(next mcp.MethodHandler) mcp.MethodHandler {
	h.mu.Lock()
	h.send = next
	h.mu.Unlock()
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if params, ok := req.GetParams().(*mcp.SubscriptionsAcknowledgedParams); ok {
			if l, ok := ctx.Value(listenKey{}).(*listen); ok {
				return h.acknowledge(l, params, func() (mcp.Result, error) { return next(ctx, method, req) })
			}
		}
		return next(ctx, method, req)
	}
}

// outbox returns the outbox of a session, made if need be. It goes when the session does.
func (h *hub) outbox(session *mcp.ServerSession) *outbox {
	h.mu.Lock()
	defer h.mu.Unlock()
	o := h.sessions[session]
	if o == nil {
		ctx, cancel := context.WithCancel(context.Background())
		o = &outbox{session: session, send: h.send, wake: make(chan struct{}, 1), ended: ctx.Done()}
		h.sessions[session] = o
		h.running.Go(func() { o.run(ctx) })
		h.running.Go(func() {
			_ = session.Wait()
			cancel()
			h.forget(session)
		})
	}
	return o
}

// forget drops what a session that has ended wanted.
func (h *hub) forget(session *mcp.ServerSession) {
	h.mu.Lock()
	o := h.sessions[session]
	delete(h.sessions, session)
	h.mu.Unlock()
	for _, st := range o.takeStreams() {
		h.release(st)
	}
}

// covers reports whether a session hears of changes of the resource lists, or of one file if uri is not empty.
func (h *hub) covers(session *mcp.ServerSession, uri string) bool {
	h.mu.Lock()
	o := h.sessions[session]
	h.mu.Unlock()
	return o != nil && o.covers(uri)
}

// wait returns when all sessions have ended and nothing of theirs runs.
func (h *hub) wait() { h.running.Wait() }

// open starts to tell a session of the handshake era, which hears of all lists.
func (h *hub) open(session *mcp.ServerSession) {
	o := h.outbox(session)
	st := o.handshake()
	o.mu.Lock()
	st.wants = lists{true, true, true}
	o.mu.Unlock()
}

// subscribe adds a URI to what a session of the handshake era hears of.
func (h *hub) subscribe(session *mcp.ServerSession, catalog *loader.Catalog, uri string) error {
	o := h.outbox(session)
	st := o.handshake()
	switch has, n := o.has(st, uri); {
	case has:
		return nil
	case n >= maxListenURIs:
		return invalidParams("a session may subscribe to %d resources; unsubscribe from some first", maxListenURIs)
	}
	if err := h.acquire(catalog, uri); err != nil {
		return err
	}
	if !o.want(st, uri) {
		h.releaseURI(uri)
	}
	return nil
}

func (h *hub) unsubscribe(session *mcp.ServerSession, uri string) {
	o := h.outbox(session)
	if o.unwant(o.handshake(), uri) {
		h.releaseURI(uri)
	}
}

// acquire counts one subscriber more of a URI.
func (h *hub) acquire(catalog *loader.Catalog, uri string) error {
	h.mu.Lock()
	if h.wanted >= maxSubscriptions {
		h.mu.Unlock()
		return invalidParams("the server has its most subscriptions, %d; try again later", maxSubscriptions)
	}
	h.wanted++
	t := h.targets[uri]
	known := t != nil
	if !known {
		t = &target{}
		h.targets[uri] = t
	}
	t.subscribers++
	h.mu.Unlock()
	if !known {
		exists, digest := h.look(catalog, uri)
		h.mu.Lock()
		t.exists, t.digest = exists, digest
		h.mu.Unlock()
	}
	return nil
}

func (h *hub) releaseURI(uri string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wanted--
	if t := h.targets[uri]; t != nil {
		if t.subscribers--; t.subscribers == 0 {
			delete(h.targets, uri)
		}
	}
}

func (h *hub) release(st *stream) {
	for uri := range st.uris {
		h.releaseURI(uri)
	}
}

// look returns whether a URI names a file, and a digest of its bytes.
func (h *hub) look(catalog *loader.Catalog, uri string) (exists bool, digest uint64) {
	r, ok := catalog.Lookup(uri)
	if !ok {
		return false, 0
	}
	_, data, err := catalog.Content(r, h.limit())
	if err != nil {
		// Too large, or gone or locked this moment: its size and time stand for it.
		return true, uint64(r.ModTime().UnixNano()) ^ uint64(r.Size())<<1 | 1
	}
	return true, maphash.Bytes(h.seed, data)
}

// changed tells everyone what a new catalog means to them, at its pace. dirty reports whether something in a folder was
// touched: a file of the same size and time may have other bytes then.
func (h *hub) changed(old, catalog *loader.Catalog, dirty func(dir string) bool) {
	h.tell(announcement{lists{resources: catalog.ListChanged(old)}, h.updated(old, catalog, dirty)})
}

// tell announces something at the hub's pace.
func (h *hub) tell(a announcement) {
	if a.empty() {
		return
	}
	h.mu.Lock()
	a = h.pacer.add(a, time.Now(), h.flush)
	h.mu.Unlock()
	h.announce(a)
}

// flush announces what is pending.
func (h *hub) flush() {
	h.mu.Lock()
	a := h.pacer.due(time.Now(), h.flush)
	h.mu.Unlock()
	h.announce(a)
}

func (h *hub) announce(a announcement) {
	if a.empty() {
		return
	}
	h.mu.Lock()
	outboxes := slices.Collect(maps.Values(h.sessions))
	h.mu.Unlock()
	for _, o := range outboxes {
		o.mark(a)
	}
}

// updated returns the URIs, as spelled, whose files came, went or have other bytes.
func (h *hub) updated(old, catalog *loader.Catalog, dirty func(dir string) bool) map[string]bool {
	h.mu.Lock()
	suspects := make(map[string]target, len(h.targets))
	for uri, t := range h.targets {
		suspects[uri] = *t
	}
	h.mu.Unlock()
	updated := make(map[string]bool)
	for uri, before := range suspects {
		r, ok := catalog.Lookup(uri)
		if ok == before.exists {
			if !ok {
				continue
			}
			if was, ok := old.Lookup(uri); ok && r.Same(was) && !dirty(r.Dir()) {
				continue
			}
		}
		exists, digest := h.look(catalog, uri)
		if exists == before.exists && digest == before.digest {
			continue
		}
		updated[uri] = true
		h.mu.Lock()
		if t := h.targets[uri]; t != nil {
			t.exists, t.digest = exists, digest
		}
		h.mu.Unlock()
	}
	return updated
}
