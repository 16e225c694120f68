package matcher

// Bounds on the cost of one URI, for any templates. Handwritten templates stay far below them.
const (
	// MaxAlike is the maximum number of templates that have the same preceding segments and differ
	// in a segment that has the same literals at its ends, as in {a}one{b} and {a}two{b}. A URI
	// with these ends is compared with each of them.
	MaxAlike = 256
	// MaxPlaces is the maximum number of places in the index that one URI may lead to. Templates in
	// which each of twelve segments is either a literal or a variable make 8191 places.
	MaxPlaces = 1 << 15
)

var (
	errAlike = refuse(TooManyAlike, "%d templates before it have the same literals at the ends of a segment, which is the limit", MaxAlike)
	errWork  = refuse(TooManyPlaces, "together with the templates before it, one URI would lead to more than %d places of the index", MaxPlaces)
)

// A growth is the path of one pattern into the trie. It is walked twice: first to compute the cost
// of the pattern, and then, with commit, to create the missing nodes.
type growth struct {
	pattern *Pattern
	entry   int
	commit  bool
	found   int // the entry at the end of the path
}

// A step of the path goes through a segment, or turns to the end of a URI.
type step struct {
	segment segment
	turn    bool
}

// add stores a pattern in the trie and returns its entry. If an earlier entry has the same form,
// add returns that entry, which wins the URIs. A pattern that would exceed a bound is not stored.
func (ix *Index) add(entry int) (found int, err error) {
	p := ix.patterns[entry]
	var way []step
	for _, s := range p.head {
		way = append(way, step{segment: s})
	}
	if p.spans {
		way = append(way, step{turn: true})
		for i := len(p.tail) - 1; i >= 0; i-- {
			way = append(way, step{segment: p.tail[i]})
		}
	}
	g := growth{pattern: p, entry: entry, found: entry}
	more, err := g.grow(ix.root, way)
	if err != nil {
		return entry, err
	}
	if more > 0 && ix.root.work+more > MaxPlaces {
		return entry, errWork
	}
	g.commit = true
	_, err = g.grow(ix.root, way)
	ix.depth = max(ix.depth, len(p.head)+len(p.tail))
	return g.found, err
}

// grow continues the path through n and returns the rise in the cost of n.
func (g *growth) grow(n *node, way []step) (more int, err error) {
	if len(way) == 0 {
		more, err = g.end(n)
	} else {
		more, err = g.through(n, way[0], way[1:])
	}
	if g.commit {
		n.work += more
	}
	return more, err
}

func (g *growth) through(n *node, s step, rest []step) (more int, err error) {
	switch {
	case s.turn:
		return g.into(&n.back, rest)
	case s.segment.isLiteral():
		// A URI continues after only one literal: the most expensive one counts.
		name := s.segment.prefix()
		next, before := n.literals[name], 0
		if next != nil {
			before = next.work
		}
		more, err = g.into(&next, rest)
		most := max(n.literal, before+more)
		more = most - n.literal
		if g.commit {
			put(&n.literals, name, next)
			n.literal = most
		}
		return more, err
	case s.segment.isAny():
		return g.into(&n.any, rest)
	}
	form := s.segment.form()
	shelf, end := n.partial.shelf(s.segment.prefix(), s.segment.suffix())
	b, compared := n.branches[form], 0
	if b == nil {
		if shelf.alike(end) >= MaxAlike {
			return 0, errAlike
		}
		b, compared = &branch{segment: s.segment}, 1
		if g.commit {
			put(&n.branches, form, b)
			shelf.add(end, b)
		}
	}
	if more, err = g.into(&b.next, rest); err != nil {
		return 0, err
	}
	return shelf.grow(end, compared+more, g.commit), nil
}

// into continues the path through a child node, and creates the node if necessary.
func (g *growth) into(place **node, rest []step) (more int, err error) {
	next, fresh := *place, 0
	if next == nil {
		next = newNode()
		fresh = next.work
		if g.commit {
			*place = next
		}
	}
	more, err = g.grow(next, rest)
	return fresh + more, err
}

// end stores the pattern in its last node.
func (g *growth) end(n *node) (more int, err error) {
	if !g.pattern.spans {
		if n.entry >= 0 {
			g.found = n.entry
		} else if g.commit {
			n.entry = g.entry
		}
		return 0, nil
	}
	before, after := g.pattern.before, g.pattern.after
	key := ends{before.form(), after.form()}
	if known := n.endings[key]; known != nil {
		g.found = known.entry
		return 0, nil
	}
	shelf, end := n.spanning.shelf(before.prefix(), after.suffix())
	if shelf.alike(end) >= MaxAlike {
		return 0, errAlike
	}
	if g.commit {
		e := &ending{goal: goal{entry: g.entry, rank: none}, pattern: g.pattern}
		put(&n.endings, key, e)
		shelf.add(end, e)
	}
	return shelf.grow(end, 1, g.commit), nil
}

// put sets a value of a map, and creates the map if it is nil.
func put[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = make(map[K]V)
	}
	(*m)[key] = value
}
