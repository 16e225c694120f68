package crawl

import (
	"cmp"
	"math"
	"net/url"
	"slices"
)

// maxFrontier is the maximum number of known URLs: about 200 bytes each.
const maxFrontier = 500_000

// unreached is the depth of a page of an earlier crawl until a link leads to it.
const unreached = math.MaxUint16

// A node is a known URL. There may be hundreds of thousands.
type node struct {
	url             string
	parent          int32  // index of the node whose page linked to it first; -1: none
	place           int32  // position among the links of parent
	rank            int32  // position among the nodes of its depth, which orders their links
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
	nodes []node
	byKey map[string]int32
	queue queue
	// levels is nil if there is no maximum depth: then all waiting URLs are in the queue.
	levels *levels
	most   int // maximum number of nodes
	full   bool
}

// levels are the URLs that wait because they are deeper than the current depth. The next depth starts when all
// smaller depths are complete, so no shorter way to a URL of it can be found any more.
type levels struct {
	current uint16
	further map[uint16][]int32 // node indexes by depth; a node whose depth is now smaller does not count
	count   int
}

func newFrontier(most int, leveled bool) *frontier {
	f := &frontier{byKey: make(map[string]int32), most: cmp.Or(most, maxFrontier)}
	if leveled {
		f.levels = &levels{further: make(map[uint16][]int32)}
	}
	return f
}

// add adds a node for a URL with a new key, and returns its index. ok is false if the frontier is full.
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

// push adds a URL to those that wait.
func (f *frontier) push(index int32) {
	n := &f.nodes[index]
	if f.levels != nil && n.depth > f.levels.current {
		f.levels.further[n.depth] = append(f.levels.further[n.depth], index)
		f.levels.count++
		return
	}
	f.queue.push(index, n.first)
}

// nearer records another way to a known node if it is shorter, or as short and from a page that comes earlier, and
// reports whether it did.
func (f *frontier) nearer(index int32, way node) bool {
	if f.levels == nil {
		return false
	}
	n := &f.nodes[index]
	waits := n.state == Waiting && n.depth > f.levels.current
	switch {
	case way.depth < n.depth:
	case way.depth == n.depth && waits && f.compareWays(&way, n) < 0:
	default:
		return false
	}
	deeper := n.depth
	n.depth, n.parent, n.place, n.rank = way.depth, way.parent, way.place, way.rank
	if waits && deeper != n.depth {
		f.levels.count--
		f.push(index)
	}
	return true
}

// compareWays compares nodes of one depth by the order in which links to them are followed.
func (f *frontier) compareWays(a, b *node) int {
	rank := func(n *node) int32 {
		if n.parent < 0 {
			return -1
		}
		return f.nodes[n.parent].rank
	}
	first := 0
	if a.first != b.first {
		if first = 1; a.first {
			first = -1
		}
	}
	return cmp.Or(first, cmp.Compare(rank(a), rank(b)), cmp.Compare(a.place, b.place))
}

// deepen moves the URLs of the next depth to the queue, and reports whether there are any.
func (f *frontier) deepen() bool {
	l := f.levels
	if l == nil || l.count == 0 {
		return false
	}
	next := uint16(unreached)
	for depth := range l.further {
		next = min(next, depth)
	}
	var list []int32
	for _, index := range l.further[next] {
		if n := &f.nodes[index]; n.state == Waiting && n.depth == next {
			list = append(list, index)
		}
	}
	delete(l.further, next)
	l.current = next
	l.count -= len(list)
	f.rank(list)
	for _, index := range list {
		f.push(index)
	}
	return true
}

// rank sorts nodes of one depth in the order in which they are requested.
func (f *frontier) rank(list []int32) {
	slices.SortStableFunc(list, func(a, b int32) int { return f.compareWays(&f.nodes[a], &f.nodes[b]) })
	for i, index := range list {
		f.nodes[index].rank = int32(i)
	}
}

// restore queues the waiting nodes of a journal, in the order that they had.
func (f *frontier) restore() {
	if f.levels == nil {
		for i := range f.nodes {
			if f.nodes[i].state == Waiting {
				f.push(int32(i))
			}
		}
		return
	}
	depths := make(map[uint16][]int32)
	current := uint16(unreached)
	for i := range f.nodes {
		n := &f.nodes[i]
		depths[n.depth] = append(depths[n.depth], int32(i))
		if n.state == Waiting {
			current = min(current, n.depth)
		}
	}
	if current < unreached { // otherwise only the start is known, or no URL waits
		f.levels.current = current
	}
	for depth := range uint16(unreached) {
		f.rank(depths[depth])
		for _, index := range depths[depth] {
			if f.nodes[index].state == Waiting {
				f.push(index)
			}
		}
		if delete(depths, depth); len(depths) == 0 {
			return
		}
	}
	for _, index := range depths[unreached] {
		if f.nodes[index].state == Waiting {
			f.push(index)
		}
	}
}

// waiting returns how many URLs wait.
func (f *frontier) waiting() int {
	n := f.queue.len()
	if f.levels != nil {
		n += f.levels.count
	}
	return n
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
