// Package notify decides which clients are notified of which changes, in both eras of the protocol.
//
// In the order of events: a transport opens a [Subscriber] for each session. The client says what
// it wants with notifications/initialized and resources/subscribe (up to 2025-11-25) or with
// subscriptions/listen (2026-07-28). When the project changes, [Hub.Changed] finds out which lists
// and resources of clients have changed, a pacer decides when to announce the change, and the hub
// marks every subscriber that wants it. Marking never waits. The transport takes notifications with
// [Subscriber.Next] as fast as its client reads: a client that has not read for some time gets one
// notification of each kind.
//
// The package does not use the bookkeeping of the SDK, which supports one listen per session,
// forgets list changes when any listen ends, and waits for clients that do not read.
package notify

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"golang.org/x/time/rate"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// MaxURIs is how many resources one listen may name, and to how many a session may subscribe.
const MaxURIs = 1000

// Limits on what clients may subscribe to. The hub examines each subscription when the files
// change.
const (
	maxSubscriptions = 10_000 // of all sessions together
	maxListens       = 100    // of one session at a time
)

// limitf returns the error for a client that asks for more than it may have.
func limitf(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// A Hub holds all subscribers. It receives changes and marks subscribers.
type Hub struct {
	digest func(*loader.Catalog, loader.Resource) uint64

	mu            sync.Mutex // guards all fields below
	subscribers   map[*Subscriber]bool
	targets       map[string]*target // by key, see keyOf
	subscriptions int                // of all sessions together
	pacer         pacer
	forAll        bool // a session wants all resources, see [Subscriber.SubscribeAll]
	ended         bool
	ending        chan struct{} // closed by End
}

// A target is a resource that a client has subscribed to: a file, or a resource of another source.
type target struct {
	subscribers int
	// the fields below hold the last known state of the file; false while the file is read for the first time
	known  bool
	exists bool
	digest uint64 // of the bytes
}

// New returns a hub. digest returns a number that changes with the bytes of a file.
func New(digest func(*loader.Catalog, loader.Resource) uint64) *Hub {
	return &Hub{
		digest:      digest,
		subscribers: make(map[*Subscriber]bool),
		targets:     make(map[string]*target),
		ending:      make(chan struct{}),
		pacer:       pacer{limit: rate.NewLimiter(rate.Every(ceiling), burst)},
	}
}

// Open returns the subscriber of a new session of a caller; caller is "" if the process has only
// one. The caller of Open must close the subscriber.
func (h *Hub) Open(caller string) *Subscriber {
	s := &Subscriber{hub: h, caller: caller, wake: make(chan struct{}, 1), closed: make(chan struct{})}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.subscribers[s] = true
	return s
}

// End ends all current and later listens: their calls are answered.
func (h *Hub) End() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.ended {
		h.ended = true
		close(h.ending)
	}
}

// Counts describe the load of a hub.
type Counts struct {
	Sessions      int // open subscribers
	Streams       int // listens, and sessions up to 2025-11-25 that want notifications
	Subscriptions int // subscriptions of all streams to resources
	Files         int // distinct resources that are subscribed to
}

// Counts returns the current load of the hub.
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

// keyOf returns the key of a resource: its owner, a NUL, and its canonical URI. No URI has a NUL,
// so two callers may have different resources with the same URI.
func keyOf(owner, canonical string) string {
	if owner == "" {
		return canonical
	}
	return owner + "\x00" + canonical
}

// acquire counts one more subscription to the resource with a URI and returns the key of the
// resource, or "" if the resource does not exist.
func (h *Hub) acquire(v view.View, uri string) (key string, err error) {
	found, ok := v.Lookup(uri)
	switch {
	case !ok:
		return "", nil
	case found.Other != nil:
		key = keyOf(found.Other.Owner, found.Other.URI)
	default:
		key = found.File.URI()
	}
	h.mu.Lock()
	if h.subscriptions >= maxSubscriptions {
		h.mu.Unlock()
		return "", limitf("the server has its maximum of %d subscriptions; try again later", maxSubscriptions)
	}
	h.subscriptions++
	t, more := h.targets[key]
	if !more {
		t = &target{known: found.Other != nil} // a source says when its resources change
		h.targets[key] = t
	}
	t.subscribers++
	h.mu.Unlock()
	if !more && found.Other == nil {
		digest := h.digest(v.Files, found.File)
		h.mu.Lock()
		// Otherwise the file changed meanwhile, and this digest may be of the old bytes.
		if !t.known {
			t.known, t.exists, t.digest = true, true, digest
		}
		h.mu.Unlock()
	}
	return key, nil
}

// release undoes acquire and hold.
func (h *Hub) release(key string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.subscriptions--
	if t := h.targets[key]; t != nil {
		if t.subscribers--; t.subscribers == 0 {
			delete(h.targets, key)
		}
	}
}

// Changed announces what has changed for clients with a new catalog, which must already be
// published. touched reports whether the bytes of a file may have changed although its size and
// time are the same. Changed does not wait for clients.
func (h *Hub) Changed(old, catalog *loader.Catalog, touched func(loader.Resource) bool) {
	h.announce(announcement{Lists: Lists{Resources: catalog.ListChanged(old)}, updated: h.updated(old, catalog, touched)})
}

// SourceChanged announces a change of resources that are not files. It does not wait for clients.
func (h *Hub) SourceChanged(c view.Change) {
	a := announcement{Lists: Lists{Resources: c.List && c.Owner == ""}}
	if c.List && c.Owner != "" {
		a.owners = map[string]bool{c.Owner: true}
	}
	a.updated = make(map[string]bool)
	updated := func(key string) {
		// If a file has the same URI, clients get the file, and only its changes count.
		if t := h.targets[key]; t != nil && !t.exists || t == nil && h.forAll {
			a.updated[key] = true
		}
	}
	h.mu.Lock()
	for _, canonical := range c.Updated {
		updated(keyOf(c.Owner, canonical))
	}
	if c.Also != nil {
		for key := range h.targets {
			if canonical, ownerMatches := strings.CutPrefix(key, keyOf(c.Owner, "")); ownerMatches && !strings.Contains(canonical, "\x00") && c.Also(canonical) {
				updated(key)
			}
		}
	}
	h.mu.Unlock()
	h.announce(a)
}

// ListsChanged announces that lists have changed.
func (h *Hub) ListsChanged(l Lists) { h.announce(announcement{Lists: l}) }

// announce queues an announcement. The pacer decides when it is made.
func (h *Hub) announce(a announcement) {
	if a.empty() {
		return
	}
	h.mu.Lock()
	a = h.pacer.add(a, time.Now(), h.flush)
	h.mu.Unlock()
	h.mark(a)
}

// flush makes the pending announcement.
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

// updated returns the keys of files that were added or removed or have other bytes.
func (h *Hub) updated(old, catalog *loader.Catalog, touched func(loader.Resource) bool) map[string]bool {
	h.mu.Lock()
	suspects := make(map[string]target, len(h.targets))
	for uri, t := range h.targets {
		suspects[uri] = *t
	}
	forAll := h.forAll
	h.mu.Unlock()
	updated := make(map[string]bool)
	if forAll {
		for r := range catalog.All() {
			if was, existed := old.Lookup(r.URI()); len(updated) < MaxURIs && (!existed || !r.Same(was) || touched(r)) {
				updated[r.URI()] = true
			}
		}
	}
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

// Announcements are paced. The first change after a quiet time is announced at once. Later changes
// are announced after quietTime without another change, or after ceiling at the latest. So t
// seconds of changes cost at most burst+t announcements.
const (
	quietTime = 100 * time.Millisecond
	ceiling   = time.Second
	burst     = 2
)

// An announcement says what has changed: which lists, and which resources by key.
type announcement struct {
	Lists
	owners  map[string]bool // callers whose own resources changed in lists
	updated map[string]bool
}

// listsOf returns the lists that have changed for a caller.
func (a announcement) listsOf(caller string) Lists {
	l := a.Lists
	l.Resources = l.Resources || a.owners[caller]
	return l
}

// Lists names some of the lists that clients have.
type Lists struct{ Resources, Tools, Prompts bool }

func (l Lists) or(m Lists) Lists {
	return Lists{l.Resources || m.Resources, l.Tools || m.Tools, l.Prompts || m.Prompts}
}

func (l Lists) and(m Lists) Lists {
	return Lists{l.Resources && m.Resources, l.Tools && m.Tools, l.Prompts && m.Prompts}
}

func (a announcement) empty() bool {
	return a.Lists == Lists{} && len(a.owners) == 0 && len(a.updated) == 0
}

// A pacer collects announcements and decides when to make them. Its owner guards it.
type pacer struct {
	pending announcement
	since   time.Time // time of the first pending change
	timer   *time.Timer
	limit   *rate.Limiter // of announcements
	last    time.Time
}

// wait returns how long it is until the next announcement is free.
func (p *pacer) wait(now time.Time) time.Duration {
	return time.Duration((1 - p.limit.TokensAt(now)) * float64(ceiling))
}

// add adds a change to the pending announcement. It returns the announcement to make now, if any;
// otherwise flush is called when it is time.
func (p *pacer) add(a announcement, now time.Time, flush func()) announcement {
	if p.pending.empty() {
		p.since = now
	}
	p.pending.Lists = p.pending.or(a.Lists)
	p.pending.owners = united(p.pending.owners, a.owners)
	p.pending.updated = united(p.pending.updated, a.updated)
	if p.timer == nil && now.Sub(p.last) > quietTime && p.wait(now) <= 0 {
		return p.take(now)
	}
	in := max(p.wait(now), min(quietTime, p.since.Add(ceiling).Sub(now)))
	if p.timer != nil {
		p.timer.Stop()
	}
	p.timer = time.AfterFunc(max(0, in), flush)
	return announcement{}
}

// united adds b to a.
func united(a, b map[string]bool) map[string]bool {
	if a == nil {
		return b
	}
	maps.Copy(a, b)
	return a
}

// due returns the announcement to make when flush is called, if it is time.
func (p *pacer) due(now time.Time, flush func()) announcement {
	p.timer = nil
	if p.pending.empty() {
		return announcement{}
	}
	if in := p.wait(now); in > 0 {
		p.timer = time.AfterFunc(in, flush)
		return announcement{}
	}
	return p.take(now)
}

// take removes and returns the pending announcement, which costs a token.
func (p *pacer) take(now time.Time) announcement {
	a := p.pending
	p.pending = announcement{}
	p.limit.ReserveN(now, 1)
	p.last = now
	return a
}
