// Package notify decides who is notified of what, in both eras of the protocol.
//
// In the order things happen: a transport opens a [Subscriber] for each session. The session says
// what it wants, by notifications/initialized and resources/subscribe (up to 2025-11-25) or by
// subscriptions/listen (2026-07-28). When the project changes, [Hub.Changed] finds out what that
// means to clients, a pacer decides when to announce it, and every subscriber that wants it is
// marked. Marking never waits. The transport takes notifications out with [Subscriber.Next] as
// fast as its client reads: a client that does not read finds one notification of each kind.
//
// The SDK's own bookkeeping is not used: it has one listen a session, forgets list changes when
// any of them ends, and waits for clients that do not read.
package notify

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// Limits on what clients may subscribe to. Each subscription is looked at when the tree changes.
const (
	maxURIs          = 1000   // of one listen, or of a session by resources/subscribe
	maxSubscriptions = 10_000 // of all sessions together
	maxListens       = 100    // of one session at a time
)

// A LimitError reports that a client asked for more than it may have.
type LimitError struct{ reason string }

func (e *LimitError) Error() string { return e.reason }

// A Hub has all subscribers. Changes come in, marks on subscribers go out.
type Hub struct {
	digest func(*loader.Catalog, loader.Resource) uint64

	mu            sync.Mutex // guards all fields below
	subscribers   map[*Subscriber]bool
	targets       map[string]*target // by canonical URI
	subscriptions int                // of all sessions
	pacer         pacer
	ended         bool
	ending        chan struct{} // closed by End
}

// A target is a file that somebody subscribed to, under its canonical URI.
type target struct {
	subscribers int
	known       bool // the fields below say what clients know of; until then the file is being read
	exists      bool
	digest      uint64 // of the bytes
}

// New returns a hub. digest returns a number that changes with the bytes of a file.
func New(digest func(*loader.Catalog, loader.Resource) uint64) *Hub {
	return &Hub{
		digest:      digest,
		subscribers: make(map[*Subscriber]bool),
		targets:     make(map[string]*target),
		ending:      make(chan struct{}),
	}
}

// Open returns the subscriber of a new session. Whoever opens it closes it.
func (h *Hub) Open() *Subscriber {
	s := &Subscriber{hub: h, wake: make(chan struct{}, 1), closed: make(chan struct{})}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.subscribers[s] = true
	return s
}

// End ends all listens, now and to come: their calls are answered.
func (h *Hub) End() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.ended {
		h.ended = true
		close(h.ending)
	}
}

// Counts say how much a hub has to do.
type Counts struct {
	Sessions      int // open subscribers
	Streams       int // listens, and sessions up to 2025-11-25 that are notified of something
	Subscriptions int // of all streams to files
	Files         int // that they are to
}

// Counts returns how much the hub has to do now.
func (h *Hub) Counts() Counts {
	h.mu.Lock()
	c := Counts{Sessions: len(h.subscribers), Subscriptions: h.subscriptions, Files: len(h.targets)}
	all := slices.Collect(maps.Keys(h.subscribers))
	h.mu.Unlock()
	for _, s := range all {
		s.mu.Lock()
		c.Streams += len(s.streams)
		s.mu.Unlock()
	}
	return c
}

// acquire counts one subscription more to the file that a URI names, and returns its canonical
// URI, or "" if it names none.
func (h *Hub) acquire(catalog *loader.Catalog, uri string) (canonical string, err error) {
	r, ok := catalog.Lookup(uri)
	if !ok {
		return "", nil
	}
	canonical = r.URI()
	h.mu.Lock()
	if h.subscriptions >= maxSubscriptions {
		h.mu.Unlock()
		return "", limitf("the server has its maximum of %d subscriptions; try again later", maxSubscriptions)
	}
	h.subscriptions++
	t := h.targets[canonical]
	first := t == nil
	if first {
		t = &target{}
		h.targets[canonical] = t
	}
	t.subscribers++
	h.mu.Unlock()
	if first {
		digest := h.digest(catalog, r)
		h.mu.Lock()
		if !t.known { // else the file has changed meanwhile, and this may be what it was before
			t.known, t.exists, t.digest = true, true, digest
		}
		h.mu.Unlock()
	}
	return canonical, nil
}

// release takes back what acquire counted.
func (h *Hub) release(canonical string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.subscriptions--
	if t := h.targets[canonical]; t != nil {
		if t.subscribers--; t.subscribers == 0 {
			delete(h.targets, canonical)
		}
	}
}

// Changed announces what a new catalog, which was published before, means to clients. touched
// reports whether a file of the same size and time may have other bytes. It does not wait for
// clients.
func (h *Hub) Changed(old, catalog *loader.Catalog, touched func(loader.Resource) bool) {
	h.announce(announcement{Lists{Resources: catalog.ListChanged(old)}, h.updated(old, catalog, touched)})
}

// ListsChanged announces that lists have changed.
func (h *Hub) ListsChanged(l Lists) { h.announce(announcement{Lists: l}) }

// announce announces something at the hub's pace.
func (h *Hub) announce(a announcement) {
	if a.empty() {
		return
	}
	h.mu.Lock()
	a = h.pacer.add(a, time.Now(), h.flush)
	h.mu.Unlock()
	h.mark(a)
}

// flush announces what is pending.
func (h *Hub) flush() {
	h.mu.Lock()
	a := h.pacer.due(time.Now(), h.flush)
	h.mu.Unlock()
	h.mark(a)
}

func (h *Hub) mark(a announcement) {
	if a.empty() {
		return
	}
	h.mu.Lock()
	all := slices.Collect(maps.Keys(h.subscribers))
	h.mu.Unlock()
	for _, s := range all {
		s.mark(a)
	}
}

// updated returns the canonical URIs whose files came, went or have other bytes.
func (h *Hub) updated(old, catalog *loader.Catalog, touched func(loader.Resource) bool) map[string]bool {
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
			if was, existed := old.Lookup(uri); (before.exists || !before.known) && existed && r.Same(was) && !touched(r) {
				continue
			}
			now.exists, now.digest = true, h.digest(catalog, r)
		}
		if before.known && now.exists == before.exists && now.digest == before.digest {
			continue
		}
		updated[uri] = true
		h.mu.Lock()
		if t := h.targets[uri]; t != nil {
			t.known, t.exists, t.digest = true, now.exists, now.digest
		}
		h.mu.Unlock()
	}
	return updated
}
