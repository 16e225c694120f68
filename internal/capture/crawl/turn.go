package crawl

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

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
	index int32         // the node to request; -1: none now
	wait  time.Duration // maximum time to wait for one; 0: until another worker is done
	over  bool          // no more nodes will come
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
	if l.stats.Left == "" {
		l.stats.Left = why
	}
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
