package matcher

// Bounds on what one URI costs, whatever the templates are. Handwritten ones stay far below.
const (
	// MaxAlike is how many templates with the same segments before it may differ in a segment that has the same literals at
	// its ends, as in {a}one{b} and {a}two{b}. A URI that fits these ends is compared with each of them.
	MaxAlike = 256
	// MaxPlaces is how many places of the index one URI may lead to. Templates in which each of twelve segments is either
	// a literal or a variable make 8191.
	MaxPlaces = 1 << 15
)

var (
	errAlike = refuse(TooManyAlike, "the %d templates before it that have the same literals at the ends of a segment are as many as one URI is compared with", MaxAlike)
	errWork  = refuse(TooManyPlaces, "with the templates before it, one URI would be looked for in more than %d places", MaxPlaces)
)

// A growth is the way of one pattern into the trie. It is walked twice: first to compute what the pattern costs, and then, with
// commit, to make what is missing.
type growth struct {
	pattern *Pattern
	entry   int
	commit  bool
	found   int // the entry at the end of the way
}

// A step of the way leads through a segment, or turns to the end of a URI.
type step struct {
	segment segment
	turn    bool
}

// add files a pattern in the trie. It returns the entry before it that has the same form and is found instead, or else the
// pattern's own. A pattern that would break a bound is left out.
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

// grow leads the pattern through n and returns by how much n costs more then.
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
		// A URI goes on behind one literal only: the most expensive counts.
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

// into leads the rest of the way through the node at a place of another one, and makes it if need be.
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

// end files the pattern in its last node.
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

// put sets a value of a map that may not be there yet.
func put[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = make(map[K]V)
	}
	(*m)[key] = value
}
