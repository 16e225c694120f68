package crawl

import (
	"cmp"
	"math"
	"net/url"
)

// maxFrontier is the maximum number of known URLs: about 200 bytes each.
const maxFrontier = 500_000

// unreached is the depth of a page of an earlier crawl until a link leads to it.
const unreached = math.MaxUint16

// A node is a known URL. There may be hundreds of thousands.
type node struct {
	url             string
	parent          int32  // index of the node whose page linked to it first; -1: none
	alias           int32  // index of the node that replaces it; -1: none
	depth           uint16 // links from the start
	hops            uint8  // redirects that led here
	tries           uint8
	state           State
	first           bool // it is requested before the others
	ignoreCanonical bool // its canonical URL is not a page
	old             bool // an earlier crawl kept it
}

// A frontier is all known URLs, and the order in which the waiting ones are requested.
type frontier struct {
	nodes   []node
	byKey   map[string]int32
	queue   queue
	ordered bool // URLs are requested in the order of their depths
	most    int  // maximum number of nodes
	full    bool
}

func newFrontier(most int, ordered bool) *frontier {
	return &frontier{byKey: make(map[string]int32), ordered: ordered, most: cmp.Or(most, maxFrontier)}
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

// push adds a URL to its part of the queue: to the last part if URLs are ordered by depth and no link leads to it.
func (f *frontier) push(index int32) {
	n := &f.nodes[index]
	f.queue.push(index, n.first, f.ordered && n.depth == unreached)
}

// nearer records a shorter way to a known node that waits, if URLs are ordered by depth.
func (f *frontier) nearer(index int32, way node) {
	n := &f.nodes[index]
	if !f.ordered || n.state != Waiting || way.depth >= n.depth {
		return
	}
	unlinked := n.depth == unreached
	n.depth, n.parent = way.depth, way.parent
	if unlinked {
		f.queue.moved++
		f.push(index)
	}
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
