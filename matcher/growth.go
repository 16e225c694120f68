package matcher

import "slices"

// Bounds on the cost of one URI, for any templates. Handwritten templates stay far below them.
const (
	// MaxAlike is the maximum number of templates that have the same preceding segments and differ
	// in a segment that has the same literals at its ends, as in {a}one{b} and {a}two{b}. A URI
	// with these ends is compared with each of them.
	MaxAlike = 256
	// MaxPlaces is the maximum number of places in the index that one URI may lead to: all places
	// from the first variable of a template on. Templates in which each of twelve segments is either
	// a literal or a variable make at most 8191 places.
	MaxPlaces = 1 << 15
)

var (
	errAlike  = refuse(TooManyAlike, "%d templates before it have the same literals at the ends of a segment, which is the limit", MaxAlike)
	errPlaces = refuse(TooManyPlaces, "the templates before it have %d different segments from their first variables on, which is the limit", MaxPlaces)
)

// add stores a pattern in the trie and returns its entry. If an earlier entry has the same form,
// add returns that entry, which wins the URIs. A pattern beyond a bound is not stored.
func (ix *Index) add(entry int) (found int, err error) {
	if ix.varied >= MaxPlaces {
		return entry, errPlaces
	}
	p := ix.patterns[entry]
	n, varied := ix.root, false
	for _, s := range p.head {
		varied = varied || !s.isLiteral()
		if n, err = ix.through(n, s, varied); err != nil {
			return entry, err
		}
	}
	if !p.spans {
		ix.depth = max(ix.depth, len(p.head))
		if n.entry < 0 {
			n.entry = entry
		}
		return n.entry, nil
	}
	n.back = ix.child(n.back, true)
	n = n.back
	for _, s := range slices.Backward(p.tail) {
		if n, err = ix.through(n, s, true); err != nil {
			return entry, err
		}
	}
	ix.depth = max(ix.depth, len(p.head)+len(p.tail))
	key := ends{p.before.form(), p.after.form()}
	if known := n.endings[key]; known != nil {
		return known.entry, nil
	}
	e := &ending{goal: goal{entry: entry, rank: none}, pattern: p}
	if !n.spanning.add(p.before.prefix(), p.after.suffix(), e) {
		return entry, errAlike
	}
	put(&n.endings, key, e)
	ix.varied++
	return entry, nil
}

// through returns the node after a segment, and creates it if necessary. varied says that the
// segment, or one before it, has a variable.
func (ix *Index) through(n *node, s segment, varied bool) (*node, error) {
	switch {
	case s.isLiteral():
		next := ix.child(n.literals[s.prefix()], varied)
		put(&n.literals, s.prefix(), next)
		return next, nil
	case s.isAny():
		n.any = ix.child(n.any, varied)
		return n.any, nil
	}
	form := s.form()
	if b := n.branches[form]; b != nil {
		return b.next, nil
	}
	b := &branch{segment: s, next: ix.child(nil, varied)}
	if !n.partial.add(s.prefix(), s.suffix(), b) {
		return nil, errAlike
	}
	put(&n.branches, form, b)
	return b.next, nil
}

// child returns a child of a node, and creates it if it is nil.
func (ix *Index) child(known *node, varied bool) *node {
	if known != nil {
		return known
	}
	if varied {
		ix.varied++
	}
	return newNode()
}

// put sets a value of a map, and creates the map if it is nil.
func put[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = make(map[K]V)
	}
	(*m)[key] = value
}
