package crawl

import (
	"cmp"
	"net/url"
	"time"
)

// maxFrontier is how many URLs are known at most: about 200 bytes each.
const maxFrontier = 500_000

// A State is what became of a URL.
type State byte

// States of URLs. The letters are those of the journal.
const (
	Waiting   State = 'w'
	Kept      State = 'k' // it is a page
	Duplicate State = 'd' // another page has the same content
	Redirect  State = 'r' // it leads to another URL
	Canonical State = 'c' // it says that another URL stands for it
	NoIndex   State = 'n' // it does not want to be kept
	Forbidden State = 'x' // robots.txt does not allow it
	Gone      State = 'g' // it answers 404 or 410
	Other     State = 'o' // it is no text, or not in the scope
	Trapped   State = 't' // it is part of a trap
	Failed    State = 'f'
)

// A node is a URL that is known. There may be hundreds of thousands.
type node struct {
	url      string
	shape    uint64 // 0: it has none
	like     uint64 // of its words, when it was fetched
	parent   int32  // the node that it was found on; -1: none
	alias    int32  // the node that stands for it; -1: itself
	depth    uint16 // links from the start
	run      uint16 // pages of its shape before it that are like it, each found on the one before
	chain    uint16 // pages of its shape before it
	hops     uint8  // redirects before it
	tries    uint8
	state    State
	first    bool // it is asked before the others
	stubborn bool // its canonical URL does not count: it leads to no page
	old      bool // an earlier crawl kept it
}

// A frontier is the URLs that are known, and the queue of those that wait. The crawl's mu guards it.
type frontier struct {
	nodes  []node
	byKey  map[string]int32
	queues [2][]int32 // those to ask first, and the others
	later  []delayed
	most   int // nodes
	full   bool
}

// A delayed URL is one that failed, and is asked again.
type delayed struct {
	index int32
	at    time.Time
}

func newFrontier(most int) *frontier {
	return &frontier{byKey: make(map[string]int32), most: cmp.Or(most, maxFrontier)}
}

// add adds a node for a URL whose key is not known yet, and returns its index.
func (f *frontier) add(u *url.URL, n node) (index int32, ok bool) {
	if len(f.nodes) >= f.most {
		f.full = true
		return -1, false
	}
	n.url = u.String()
	n.alias, n.state = -1, Waiting
	index = int32(len(f.nodes))
	f.nodes = append(f.nodes, n)
	f.byKey[key(u)] = index
	f.push(index)
	return index, true
}

func (f *frontier) push(index int32) {
	q := 1
	if f.nodes[index].first {
		q = 0
	}
	f.queues[q] = append(f.queues[q], index)
}

// lookAhead is how many waiting URLs are looked at for one whose host can be asked now.
const lookAhead = 100

// next takes the next URL whose host is free, or returns -1 and how many wait.
func (f *frontier) next(free func(n *node) bool) (index int32, waiting int) {
	now := time.Now()
	for i, d := range f.later {
		if !d.at.After(now) {
			f.later = append(f.later[:i], f.later[i+1:]...)
			return d.index, 0
		}
	}
	for q := range f.queues {
		for i, index := range f.queues[q][:min(len(f.queues[q]), lookAhead)] {
			if !free(&f.nodes[index]) {
				continue
			}
			copy(f.queues[q][1:], f.queues[q][:i])
			f.queues[q] = f.queues[q][1:]
			return index, 0
		}
	}
	return -1, f.waiting()
}

func (f *frontier) waiting() int { return len(f.queues[0]) + len(f.queues[1]) + len(f.later) }

// resolve returns the node that stands for a node, by way of its aliases, or -1 if they lead in a
// circle.
func (f *frontier) resolve(index int32) int32 {
	for range 50 {
		if index < 0 || f.nodes[index].alias < 0 {
			return index
		}
		index = f.nodes[index].alias
	}
	return -1
}
