package crawl

import (
	"cmp"
	"net/url"
	"slices"
	"time"
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
