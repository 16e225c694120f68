package matcher

import (
	"cmp"
	"slices"
)

// affixes stores items by a literal that they must start or end with, whichever is longer, so that
// a text is compared only with the items that share the literal.
type affixes[T any] struct{ prefixes, suffixes shelf[T] }

// A shelf stores items by their start or by their end.
type shelf[T any] struct {
	drawers map[string]*drawer[T]
	lengths []length // lengths of the ends, the shortest first
}

// A drawer holds the items that share an end. A text with the same end is compared with all of
// them, one after the other.
type drawer[T any] struct {
	items []T // the best first, after sort
	work  int // total cost of the items
}

// A length is a length of ends.
type length struct {
	n    int
	work int // cost of the most expensive drawer of this length: a text opens one of them
}

// shelf returns the shelf of an item, and the end that is its key.
func (a *affixes[T]) shelf(prefix, suffix string) (*shelf[T], string) {
	if len(prefix) > len(suffix) {
		return &a.prefixes, prefix
	}
	return &a.suffixes, suffix
}

// alike returns the number of items that a text with this end is compared with.
func (s *shelf[T]) alike(end string) int {
	if d := s.drawers[end]; d != nil {
		return len(d.items)
	}
	return 0
}

// add puts an item into its drawer.
func (s *shelf[T]) add(end string, item T) {
	d := s.drawers[end]
	if d == nil {
		d = new(drawer[T])
		if s.drawers == nil {
			s.drawers = make(map[string]*drawer[T])
		}
		s.drawers[end] = d
	}
	d.items = append(d.items, item)
}

// grow returns the rise in the cost of a text when the cost of an item with this end rises. With
// commit, it stores the new cost.
func (s *shelf[T]) grow(end string, more int, commit bool) int {
	work := more
	if d := s.drawers[end]; d != nil {
		work += d.work
		if commit {
			d.work = work
		}
	}
	at, found := slices.BinarySearchFunc(s.lengths, len(end), func(l length, n int) int { return cmp.Compare(l.n, n) })
	before := 0
	if found {
		before = s.lengths[at].work
	}
	most := max(before, work)
	if commit {
		if !found {
			s.lengths = slices.Insert(s.lengths, at, length{n: len(end)})
		}
		s.lengths[at].work = most
	}
	return most - before
}

// sort puts the best items of each drawer first.
func (a *affixes[T]) sort(compare func(a, b T) int) {
	for _, s := range []*shelf[T]{&a.prefixes, &a.suffixes} {
		for _, d := range s.drawers {
			slices.SortFunc(d.items, compare)
		}
	}
}

// candidates calls try with the items that may match text. When try returns false, candidates skips
// the rest of the items that share the end.
func (a *affixes[T]) candidates(text string, try func(T) bool) {
	for _, l := range a.prefixes.lengths {
		if l.n > len(text) {
			break
		}
		a.prefixes.drawers[text[:l.n]].each(try)
	}
	for _, l := range a.suffixes.lengths {
		if l.n > len(text) {
			break
		}
		a.suffixes.drawers[text[len(text)-l.n:]].each(try)
	}
}

func (d *drawer[T]) each(try func(T) bool) {
	if d == nil {
		return
	}
	for _, item := range d.items {
		if !try(item) {
			return
		}
	}
}
