package crawl

import (
	"context"
	"encoding/hex"
	"net/url"
	"slices"
	"sync"
	"time"
)

// A ledger is what a crawl knows, and decides by that. Nothing in it waits for anybody.
type ledger struct {
	options  Options
	frontier *frontier
	traps    traps
	boundary *boundary
	turns    turns
	stats    Stats
	digests  map[[16]byte]int32  // of contents, and the first page that has them
	modified map[int32]time.Time // what sitemaps say, of nodes that an earlier crawl kept
	past     map[int32]pastLinks // of nodes that an earlier crawl kept
	links    map[int32]string    // of nodes, as the journal has them; nil: nobody asks for them
	stood    []int32             // nodes for which a canonical URL stands
	old      int                 // nodes that an earlier crawl kept
	places   int32               // links of the start, and of lists
	listed   bool                // llms.txt and sitemaps have been read
	ended    bool
	stopped  error // why nothing more is asked
	cancel   context.CancelFunc
}

func newLedger(o Options) ledger {
	return ledger{
		options: o, frontier: newFrontier(o.Known, o.Depth > 0), turns: turns{hosts: make(map[string]int)}, stats: Stats{Limit: o.Limit},
		digests: make(map[[16]byte]int32), modified: make(map[int32]time.Time), past: make(map[int32]pastLinks), cancel: func() {},
	}
}

// A guarded ledger is used by one goroutine at a time.
type guarded struct {
	mu     sync.Mutex
	ledger ledger
}

func (g *guarded) use(f func(*ledger)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f(&g.ledger)
}

// ask returns what f says of a ledger.
func ask[T any](g *guarded, f func(*ledger) T) T {
	g.mu.Lock()
	defer g.mu.Unlock()
	return f(&g.ledger)
}

// begin adds the start, which is the first node.
func (l *ledger) begin() {
	if len(l.frontier.nodes) > 0 {
		return
	}
	l.log(record{Version: journalVersion, Options: l.options.digest()})
	if index, ok := l.frontier.add(l.options.Start, node{parent: -1, first: true}); ok {
		l.log(l.foundRecord(index))
		if !l.options.OnlySitemap { // it may name the start
			l.named(l.options.Start, "")
		}
	}
}

// seed adds a page that an earlier crawl kept.
func (l *ledger) seed(u *url.URL, past PastPage) {
	l.begin()
	index, known := l.frontier.byKey[key(u)]
	if known && l.frontier.nodes[index].old {
		return
	}
	if !known { // it is not the start
		var ok bool
		if index, ok = l.frontier.add(u, node{parent: -1, depth: unreached, old: true}); !ok {
			return
		}
		r := l.foundRecord(index)
		if past.Digest != [16]byte{} {
			r.Digest = hex.EncodeToString(past.Digest[:])
		}
		l.log(r)
	}
	l.frontier.nodes[index].old = true
	l.remember(true)
	if past.Digest != [16]byte{} {
		l.digests[past.Digest] = index
		if known { // the record of the start has been written
			l.log(record{Number: &index, Digest: hex.EncodeToString(past.Digest[:])})
		}
	}
	if past.links.text != "" {
		l.past[index] = past.links
	}
}

// remember counts a page that was kept before. All of them are asked again, whatever the limit is.
func (l *ledger) remember(old bool) {
	if old {
		l.old++
		l.options.Limit = max(l.options.Limit, l.old)
		l.stats.Limit = l.options.Limit
	}
}

// named reports a URL.
func (l *ledger) named(u *url.URL, title string) {
	if l.options.Found != nil {
		l.options.Found(u, title)
	}
}

// found returns the node of a URL, which it adds if the URL is one to ask; else -1. way says where
// it was found.
func (l *ledger) found(u *url.URL, way node) (index int32, fresh bool, records []record) {
	if host := l.boundary.start; u.Hostname() == host.Hostname() && u.Port() == "" && host.Port() == "" {
		u.Scheme = host.Scheme
	}
	if index, known := l.frontier.byKey[key(u)]; known {
		if l.frontier.nearer(index, way) {
			records = append(records, l.wayRecord(index))
		}
		return index, false, records
	}
	if !l.boundary.has(u) || !page(u.Path) {
		return -1, false, nil
	}
	if why := endless(u); why != "" {
		l.traps.report(u, why)
		return -1, false, nil
	}
	index, ok := l.frontier.add(u, way)
	if !ok {
		return -1, false, nil
	}
	return index, true, []record{l.foundRecord(index)}
}

// list adds a URL that a list of the site names.
func (l *ledger) list(u *url.URL, title string, first bool) int32 {
	link, err := Clean(u, l.options.IgnoreQuery)
	if err != nil {
		return -1
	}
	l.places++
	index, fresh, records := l.found(link, node{parent: 0, depth: 1, place: l.places, first: first})
	if len(records) > 0 {
		l.log(records...)
	}
	if index >= 0 && (fresh || title != "" || l.options.OnlySitemap) {
		l.named(link, title)
	}
	return index
}

// claim reports whether a page is the first with a content.
func (l *ledger) claim(digest [16]byte, index int32) (first int32, ok bool) {
	if first, there := l.digests[digest]; there && first != index {
		return first, false
	}
	l.digests[digest] = index
	return index, true
}

// release gives back what a page claimed that is not kept.
func (l *ledger) release(digest *[16]byte, index int32) {
	if digest != nil && l.digests[*digest] == index {
		delete(l.digests, *digest)
	}
}

// standsFor reports whether a canonical URL stands for a page: it is another one, and of the scope.
// A canonical URL elsewhere is that of another version of the site.
func (l *ledger) standsFor(n node, u, canonical *url.URL) bool {
	if canonical == nil || n.stubborn {
		return false
	}
	target, err := Clean(canonical, l.options.IgnoreQuery)
	if err != nil || key(target) == key(u) || !l.boundary.has(target) || !page(target.Path) {
		return false
	}
	if index, known := l.frontier.byKey[key(target)]; known {
		if to := l.frontier.resolve(index); to >= 0 && l.frontier.nodes[to].url == n.url { // each says that the other stands for it
			return false
		}
	}
	return true
}

// followed reports whether the links of a node are of use.
func (l *ledger) followed(n *node) bool {
	return !l.options.OnlySitemap && (l.options.Depth == 0 || int(n.depth) < l.options.Depth)
}

// resolve returns the URL that stands for a link, and whether it is a page.
func (l *ledger) resolve(link *url.URL) (string, bool) {
	index, known := l.frontier.byKey[key(link)]
	if !known {
		return "", false
	}
	if index = l.frontier.resolve(index); index < 0 {
		return "", false
	}
	n := &l.frontier.nodes[index]
	return n.url, n.state == Kept
}

func (l *ledger) progress() Stats {
	s := l.stats
	s.Waiting = l.frontier.waiting() + l.turns.atWork
	s.Known = len(l.frontier.nodes)
	s.Traps, s.Sitemaps = slices.Clone(l.traps.found), slices.Clone(s.Sitemaps)
	return s
}
