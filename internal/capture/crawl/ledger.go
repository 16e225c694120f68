package crawl

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// A ledger is the state of a crawl and all decisions about it. Its methods never block.
type ledger struct {
	options  Options
	frontier *frontier
	boundary *boundary
	turns    turns
	stats    Stats
	digests  map[[16]byte]int32 // the first page with it
	words    map[int32]sample
	modified map[int32]time.Time // in sitemaps, for nodes of an earlier crawl
	earlier  map[int32]earlierLinks
	links    map[int32][]int32 // of all nodes in a journal; nil: not collected
	notes    map[int32]*string // of all nodes in a journal; nil: not collected
	old      int
	listed   bool
	ended    bool
	stopped  error
	cancel   context.CancelFunc
}

func newLedger(o Options) ledger {
	return ledger{
		options: o, frontier: newFrontier(o.Known), turns: turns{hosts: make(map[string]int), nodes: make(map[int32]bool)}, stats: Stats{Limit: o.Limit},
		digests: make(map[[16]byte]int32), words: make(map[int32]sample), modified: make(map[int32]time.Time), earlier: make(map[int32]earlierLinks), cancel: func() {},
	}
}

// A lockedLedger is a ledger that is used by one goroutine at a time.
type lockedLedger struct {
	mu     sync.Mutex
	ledger ledger
}

func (g *lockedLedger) use(f func(*ledger)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f(&g.ledger)
}

// ask returns the result of f, which has the ledger for itself.
func ask[T any](g *lockedLedger, f func(*ledger) T) T {
	g.mu.Lock()
	defer g.mu.Unlock()
	return f(&g.ledger)
}

// begin adds the start URL as the first node.
func (l *ledger) begin() {
	if len(l.frontier.nodes) > 0 {
		return
	}
	l.log(record{Version: journalVersion, Options: l.options.digest()})
	if index, ok := l.frontier.add(l.options.Start, node{parent: -1, first: true}); ok {
		l.log(l.foundRecord(index))
		if !l.options.OnlySitemap { // the sitemap may name the start
			l.reportFound(l.options.Start, "")
		}
	}
}

// seed adds a page of an earlier crawl.
func (l *ledger) seed(u *url.URL, page EarlierPage) {
	l.begin()
	index, known := l.frontier.byKey[Key(u)]
	if known && l.frontier.nodes[index].old {
		return
	}
	if !known { // otherwise it is the start
		var ok bool
		if index, ok = l.frontier.add(u, node{parent: -1, depth: max(page.Depth, 1), old: true}); !ok {
			return
		}
		l.log(l.foundRecord(index))
	}
	l.frontier.nodes[index].old = true
	l.remember(true)
	r := record{Number: &index, Note: page.Note}
	if page.Digest != [16]byte{} {
		l.digests[page.Digest] = index
		r.Digest = hex.EncodeToString(page.Digest[:])
	}
	l.log(r)
	l.earlier[index] = page.links
}

// remember counts a page of an earlier crawl. All of them are requested again, even beyond the limit.
func (l *ledger) remember(old bool) {
	if old {
		l.old++
		l.options.Limit = max(l.options.Limit, l.old)
		l.stats.Limit = l.options.Limit
	}
}

// reportFound calls [Options.Found].
func (l *ledger) reportFound(u *url.URL, title string) {
	if l.options.Found != nil {
		l.options.Found(u, title)
	}
}

// found returns the index of the node of a URL. For a new URL it adds a node, unless the URL is outside the scope or
// part of a trap: then the index is -1. way says how the URL was found.
func (l *ledger) found(u *url.URL, way node) (index int32, fresh bool) {
	if host := l.boundary.start; u.Hostname() == host.Hostname() && u.Port() == "" && host.Port() == "" {
		u.Scheme = host.Scheme
	}
	if index, known := l.frontier.byKey[Key(u)]; known {
		l.frontier.nearer(index, way)
		return index, false
	}
	if !l.boundary.has(u) || !mayBeText(u.Path) {
		return -1, false
	}
	if why := endless(u); why != "" {
		l.stats.leaveOut(u.String(), why)
		return -1, false
	}
	if index, fresh = l.frontier.add(u, way); fresh {
		l.log(l.foundRecord(index))
	}
	return index, fresh
}

// list adds a URL from llms.txt or a sitemap.
func (l *ledger) list(u *url.URL, title string, first bool) int32 {
	link, err := Clean(u, l.options.IgnoreQuery)
	if err != nil {
		return -1
	}
	index, fresh := l.found(link, node{parent: 0, depth: 1, first: first})
	if index >= 0 && (fresh || title != "" || l.options.OnlySitemap) {
		l.reportFound(link, title)
	}
	return index
}

// claim reports whether a page is the first one with a content, and returns the first one.
func (l *ledger) claim(digest [16]byte, index int32) (first int32, ok bool) {
	if first, known := l.digests[digest]; known && first != index {
		return first, false
	}
	l.digests[digest] = index
	return index, true
}

// release takes back the claim of a page that is not kept.
func (l *ledger) release(digest *[16]byte, index int32) {
	if digest != nil && l.digests[*digest] == index {
		delete(l.digests, *digest)
	}
}

// named returns the URL that a page names as canonical, and the node that stands for it, or -1 if it is unknown. target is nil if the
// page names none, or itself.
func (l *ledger) named(n node, u, canonical *url.URL) (target *url.URL, to int32) {
	if canonical == nil {
		return nil, -1
	}
	target, err := Clean(canonical, l.options.IgnoreQuery)
	if err != nil || Key(target) == Key(u) {
		return nil, -1
	}
	index, known := l.frontier.byKey[Key(target)]
	if !known {
		return target, -1
	}
	if to = l.frontier.resolve(index); to < 0 || l.frontier.nodes[to].url == n.url {
		return nil, -1
	}
	return target, to
}

// replaces reports whether the canonical URL of a page must be requested before the page is judged. A canonical URL outside the scope
// belongs to another version of the site.
func (l *ledger) replaces(n node, u, canonical *url.URL) bool {
	target, to := l.named(n, u, canonical)
	return target != nil && !n.ignoreCanonical && l.boundary.has(target) && mayBeText(target.Path) && (to < 0 || l.frontier.nodes[to].state == Waiting)
}

// canonical returns the page that was kept and that a page names as canonical, or -1.
func (l *ledger) canonical(n node, u, canonical *url.URL) int32 {
	if _, to := l.named(n, u, canonical); to >= 0 && l.frontier.nodes[to].state == Kept {
		return to
	}
	return -1
}

// holds reports whether a kept page may stand for a page with some words that names it as canonical: many sites name their home page
// on every page. If the kept page was not read in this run, the decision of an earlier run stays.
func (l *ledger) holds(index int32, n node, words sample) bool {
	if known, read := l.words[index]; read {
		return known.has(words)
	}
	return !n.old
}

// followed reports whether the links of a node are followed.
func (l *ledger) followed(n *node) bool {
	return !l.options.OnlySitemap && (l.options.Depth == 0 || int(n.depth) < l.options.Depth)
}

// again adds the URLs of an earlier crawl of the site, whose start has been requested. Those that were kept are kept without a
// request.
func (l *ledger) again(list []Known) {
	for _, k := range list {
		u, err := url.Parse(k.URL)
		if err != nil {
			continue
		}
		index, _ := l.found(u, node{parent: 0, depth: k.Depth})
		if index < 0 || !k.Kept || l.frontier.nodes[index].state != Waiting {
			continue
		}
		l.frontier.queue.remove(index)
		l.frontier.nodes[index].state = Kept
		l.stats.Pages++
		if l.options.Done != nil {
			l.options.Done(Result{URL: k.URL, State: Kept, Depth: k.Depth, Unchanged: true})
		}
	}
}

// open returns the URLs that were not requested, or failed.
func (l *ledger) open(most int) (list []Known) {
	for _, n := range l.frontier.nodes {
		if len(list) < most && (n.state == Waiting || n.state == Failed) {
			list = append(list, Known{URL: n.url, Depth: n.depth})
		}
	}
	return list
}

// resolve returns the URL that a link leads to, and whether it is a page that was kept.
func (l *ledger) resolve(link *url.URL) (string, bool) {
	index, known := l.frontier.byKey[Key(link)]
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
	s.Waiting = l.frontier.queue.len() + len(l.turns.nodes)
	s.LeftOut, s.Sitemaps = slices.Clone(s.LeftOut), slices.Clone(s.Sitemaps)
	return s
}

// perHost is how many pages of a host are processed at a time: two are requested, and one is converted.
const perHost = 3

// turns count the pages that are being processed.
type turns struct {
	nodes map[int32]bool
	hosts map[string]int
}

func (t *turns) end(index int32, host string) {
	delete(t.nodes, index)
	if t.hosts[host]--; t.hosts[host] == 0 {
		delete(t.hosts, host)
	}
}

// take starts the turn of a node.
func (l *ledger) take(index int32) {
	n := &l.frontier.nodes[index]
	if n.alias >= 0 {
		n.alias, n.ignoreCanonical = -1, true
	}
	l.turns.nodes[index] = true
	l.turns.hosts[hostOf(n.url)]++
}

// takeStart starts the turn of the start URL if it waits.
func (l *ledger) takeStart() (tries uint8, ok bool) {
	n := &l.frontier.nodes[0]
	if n.state != Waiting {
		return 0, false
	}
	l.frontier.queue.remove(0)
	l.take(0)
	return n.tries, true
}

// A turn is the next step of a worker.
type turn struct {
	index int32         // -1: none now
	wait  time.Duration // maximum; 0: until another worker is done
	over  bool
}

// next returns the next step of a worker.
func (l *ledger) next() turn {
	over := turn{index: -1, over: true}
	if l.stopped != nil {
		return over
	}
	atWork := len(l.turns.nodes)
	if l.stats.Pages+atWork >= l.options.Limit {
		if atWork > 0 { // one of them may not become a page
			return turn{index: -1}
		}
		if l.frontier.queue.len() > 0 {
			l.leaveAtLimit()
			l.log(record{Ended: true, Limited: l.options.Limit})
			l.stop(errLimit)
		}
		return over
	}
	free := func(index int32) bool {
		n := &l.frontier.nodes[index]
		return l.turns.hosts[hostOf(n.url)] < perHost && !l.frontier.blocked(index)
	}
	if index := l.frontier.queue.next(free); index >= 0 {
		l.take(index)
		return turn{index: index}
	}
	if atWork == 0 && l.frontier.queue.len() == 0 {
		if l.frontier.full {
			l.leave(fmt.Sprintf("more than %d URLs were found", l.frontier.most))
		}
		return over
	}
	if atWork == 0 || len(l.frontier.queue.later) > 0 {
		return turn{index: -1, wait: 50 * time.Millisecond}
	}
	return turn{index: -1}
}

// errLimit stops a crawl that reached a bound.
var errLimit = errors.New("a bound was reached")

// leave records why URLs are left that will not be requested.
func (l *ledger) leave(why string) {
	l.stats.Left = cmp.Or(l.stats.Left, why)
}

func (l *ledger) leaveAtLimit() {
	l.leave(fmt.Sprintf("there are more than %d pages, which is the limit", l.options.Limit))
}

// stop ends the crawl.
func (l *ledger) stop(err error) {
	if l.stopped == nil {
		l.stopped = err
		l.cancel()
	}
}

// spend counts the bytes of an answer.
func (l *ledger) spend(bytes int64) {
	if l.stats.Bytes += bytes; l.stats.Bytes >= l.options.Bytes {
		l.leave(fmt.Sprintf("the answers had %d bytes, which is the limit", l.options.Bytes))
		l.stop(errLimit)
	}
}

// maxExamples is how many URLs are named for each reason.
const maxExamples = 10

// leaveOut counts a URL that is left out, which an example describes.
func (s *Stats) leaveOut(example, why string) {
	i := slices.IndexFunc(s.LeftOut, func(l LeftOut) bool { return l.Why == why })
	if i < 0 {
		i = len(s.LeftOut)
		s.LeftOut = append(s.LeftOut, LeftOut{Why: why})
	}
	l := &s.LeftOut[i]
	if l.URLs++; l.URLs <= maxExamples {
		l.Examples = append(l.Examples, excerpt.Cut(example, 300))
	}
}
