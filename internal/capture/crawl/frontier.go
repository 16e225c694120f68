package crawl

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// maxFrontier is the maximum number of known URLs: about 200 bytes each.
const maxFrontier = 500_000

// A node is a known URL. There may be hundreds of thousands.
type node struct {
	url             string
	parent          int32 // whose page linked to it first; -1: none
	alias           int32 // the node that replaces it, or for which it waits; -1: none
	depth           uint16
	hops            uint8
	tries           uint8
	state           State
	first           bool
	ignoreCanonical bool
	old             bool
}

// A frontier is all known URLs, and the order in which the waiting ones are requested.
type frontier struct {
	nodes []node
	byKey map[string]int32
	queue queue
	most  int
	full  bool
}

func newFrontier(most int) *frontier {
	return &frontier{byKey: make(map[string]int32), most: cmp.Or(most, maxFrontier)}
}

// add adds a node for a URL with a new key, and returns its index. ok is false, and the index -1, if the frontier is full.
func (f *frontier) add(u *url.URL, n node) (index int32, ok bool) {
	if len(f.nodes) >= f.most {
		f.full = true
		return -1, false
	}
	n.url = u.String()
	n.alias, n.state = -1, Waiting
	index = int32(len(f.nodes))
	f.nodes = append(f.nodes, n)
	f.byKey[Key(u)] = index
	f.push(index)
	return index, true
}

// push adds a URL to its part of the queue.
func (f *frontier) push(index int32) { f.queue.push(index, f.nodes[index].first) }

// nearer records a shorter way to a known node that waits.
func (f *frontier) nearer(index int32, way node) {
	if n := &f.nodes[index]; n.state == Waiting && way.depth < n.depth {
		n.depth, n.parent = way.depth, way.parent
	}
}

// blocked reports whether a node waits for another one that has not been requested.
func (f *frontier) blocked(index int32) bool {
	to := f.resolve(index)
	return to >= 0 && to != index && f.nodes[to].state == Waiting
}

// resolve follows aliases to the node that replaces a node. It returns -1 if they form a circle.
func (f *frontier) resolve(index int32) int32 {
	for range 50 {
		if index < 0 || f.nodes[index].alias < 0 {
			return index
		}
		index = f.nodes[index].alias
	}
	return -1
}

// A queue is the URLs that may be requested now, in order.
type queue struct {
	first, others []int32
	later         []delayed
}

// A delayed URL has failed, and is requested again later.
type delayed struct {
	index int32
	due   time.Time
}

// lookAhead is how many waiting URLs are considered to find one whose host has a free turn.
const lookAhead = 100

func (q *queue) len() int { return len(q.first) + len(q.others) + len(q.later) }

func (q *queue) push(index int32, first bool) {
	if first {
		q.first = append(q.first, index)
	} else {
		q.others = append(q.others, index)
	}
}

// pushLater adds a URL that is requested again at a time.
func (q *queue) pushLater(index int32, due time.Time) { q.later = append(q.later, delayed{index, due}) }

// remove removes a URL.
func (q *queue) remove(index int32) {
	is := func(i int32) bool { return i == index }
	q.first, q.others = slices.DeleteFunc(q.first, is), slices.DeleteFunc(q.others, is)
	q.later = slices.DeleteFunc(q.later, func(d delayed) bool { return d.index == index })
}

// next removes and returns the next URL that is free, or returns -1.
func (q *queue) next(free func(index int32) bool) int32 {
	now := time.Now()
	for i, d := range q.later {
		if !d.due.After(now) {
			q.later = slices.Delete(q.later, i, i+1)
			return d.index
		}
	}
	for _, lane := range []*[]int32{&q.first, &q.others} {
		for i, index := range (*lane)[:min(len(*lane), lookAhead)] {
			if free(index) {
				copy((*lane)[1:], (*lane)[:i])
				*lane = (*lane)[1:]
				return index
			}
		}
	}
	return -1
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

// hostOf returns the host and port of a URL that [Clean] made.
func hostOf(text string) string {
	_, rest, _ := strings.Cut(text, "://")
	if end := strings.IndexAny(rest, "/?"); end >= 0 {
		rest = rest[:end]
	}
	return rest
}

// Bounds beyond which URLs are a trap.
const (
	maxSegments   = 20
	maxRepeats    = 3 // occurrences of one segment, or of one parameter
	maxParameters = 8
	maxLength     = 1500 // bytes of path and query
)

// endless returns why a URL is part of a trap, or "".
func endless(u *url.URL) string {
	p := u.EscapedPath()
	if len(p)+len(u.RawQuery) > maxLength {
		return "longer and longer URLs"
	}
	segments := strings.Split(strings.Trim(p, "/"), "/")
	if len(segments) > maxSegments {
		return "deeper and deeper paths"
	}
	count := make(map[string]int)
	for _, s := range segments {
		if count[s]++; count[s] > maxRepeats && strings.ContainsFunc(s, unicode.IsLetter) { // numbers may repeat, as in chapters
			return "segments that repeat"
		}
	}
	if u.RawQuery == "" {
		return ""
	}
	names := make(map[string]int)
	parts := strings.Split(u.RawQuery, "&")
	for _, part := range parts {
		name, _, _ := strings.Cut(part, "=")
		if names[name]++; names[name] > maxRepeats {
			return "parameters that repeat"
		}
	}
	if len(parts) > maxParameters {
		return "more and more parameters"
	}
	return ""
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
