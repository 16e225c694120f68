package server

import (
	"context"
	"hash/maphash"
	"io"
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
	seed maphash.Seed

	mu       sync.Mutex
	send     mcp.MethodHandler // the SDK's own way to a session
	sessions map[*mcp.ServerSession]*outbox
	targets  map[string]*target // by canonical URI
	wanted   int                // subscriptions of all sessions
	pacer    pacer
	running  sync.WaitGroup
}

// A target is a file that somebody subscribed to, under its canonical URI.
type target struct {
	subscribers int
	exists      bool
	digest      uint64 // of the bytes
}

func newHub() *hub {
	return &hub{seed: maphash.MakeSeed(), sessions: make(map[*mcp.ServerSession]*outbox), targets: make(map[string]*target)}
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

// covers reports whether a session has a stream that hears of something.
func (h *hub) covers(session *mcp.ServerSession, hears func(*stream) bool) bool {
	h.mu.Lock()
	o := h.sessions[session]
	h.mu.Unlock()
	return o != nil && o.covers(hears)
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
	canonical, err := h.acquire(catalog, uri)
	if err != nil {
		return err
	}
	if canonical != "" && !o.want(st, uri, canonical) {
		h.releaseURI(canonical)
	}
	return nil
}

func (h *hub) unsubscribe(session *mcp.ServerSession, uri string) {
	o := h.outbox(session)
	if canonical := o.unwant(o.handshake(), uri); canonical != "" {
		h.releaseURI(canonical)
	}
}

// acquire counts one subscriber more of the file that a URI names, and returns its canonical URI, or "" if it names none.
func (h *hub) acquire(catalog *loader.Catalog, uri string) (canonical string, err error) {
	r, ok := catalog.Lookup(uri)
	if !ok {
		return "", nil
	}
	canonical = r.URI()
	h.mu.Lock()
	if h.wanted >= maxSubscriptions {
		h.mu.Unlock()
		return "", invalidParams("the server has its most subscriptions, %d; try again later", maxSubscriptions)
	}
	h.wanted++
	t := h.targets[canonical]
	known := t != nil
	if !known {
		t = &target{}
		h.targets[canonical] = t
	}
	t.subscribers++
	h.mu.Unlock()
	if !known {
		digest := h.digest(catalog, r)
		h.mu.Lock()
		t.exists, t.digest = true, digest
		h.mu.Unlock()
	}
	return canonical, nil
}

func (h *hub) releaseURI(canonical string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wanted--
	if t := h.targets[canonical]; t != nil {
		if t.subscribers--; t.subscribers == 0 {
			delete(h.targets, canonical)
		}
	}
}

func (h *hub) release(st *stream) {
	for _, canonical := range st.uris {
		h.releaseURI(canonical)
	}
}

// digest reads a file, in pieces, for a number that changes with its bytes.
func (h *hub) digest(catalog *loader.Catalog, r loader.Resource) uint64 {
	f, err := catalog.Open(r)
	if err == nil {
		defer f.Close()
		var sum maphash.Hash
		sum.SetSeed(h.seed)
		if _, err = io.CopyBuffer(&sum, struct{ io.Reader }{f}, make([]byte, 32<<10)); err == nil {
			return sum.Sum64()
		}
	}
	// Gone or locked this moment: its size and time stand for it.
	return uint64(r.ModTime().UnixNano()) ^ uint64(r.Size())<<1 | 1
}

// changed tells everyone what a new catalog means to them, at its pace. touched reports whether a file of the same
// size and time may have other bytes.
func (h *hub) changed(old, catalog *loader.Catalog, touched func(loader.Resource) bool) {
	h.tell(announcement{lists{resources: catalog.ListChanged(old)}, h.updated(old, catalog, touched)})
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

// updated returns the canonical URIs whose files came, went or have other bytes.
func (h *hub) updated(old, catalog *loader.Catalog, touched func(loader.Resource) bool) map[string]bool {
	h.mu.Lock()
	suspects := make(map[string]target, len(h.targets))
	for uri, t := range h.targets {
		suspects[uri] = *t
	}
	h.mu.Unlock()
	updated := make(map[string]bool)
	for uri, before := range suspects {
		now := target{}
		r, ok := catalog.Lookup(uri)
		if ok = ok && r.URI() == uri; ok {
			if was, there := old.Lookup(uri); before.exists && there && r.Same(was) && !touched(r) {
				continue
			}
			now.exists, now.digest = true, h.digest(catalog, r)
		}
		if now.exists == before.exists && now.digest == before.digest {
			continue
		}
		updated[uri] = true
		h.mu.Lock()
		if t := h.targets[uri]; t != nil {
			t.exists, t.digest = now.exists, now.digest
		}
		h.mu.Unlock()
	}
	return updated
}
