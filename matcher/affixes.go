package matcher

import (
	"cmp"
	"slices"
)

// affixes files items by a literal they must start or end with, whichever is longer, so that a text meets only the items
// that share it.
type affixes[T any] struct{ prefixes, suffixes shelf[T] }

// A shelf holds items by one end of theirs.
type shelf[T any] struct {
	drawers map[string]*drawer[T]
	lengths []length // of the ends, the shortest first
}

// A drawer holds the items that have an end in common. A text that has it too meets all of them, one after the other.
type drawer[T any] struct {
	items []T // the best first, once all are there
	work  int // what they cost together
}

// A length is one that ends have.
type length struct {
	n    int
	work int // what the most expensive drawer of this length costs: a text opens one of them
}

// shelf returns the shelf for an item, and the end that it is filed by.
func (a *affixes[T]) shelf(prefix, suffix string) (*shelf[T], string) {
	if len(prefix) > len(suffix) {
		return &a.prefixes, prefix
	}
	return &a.suffixes, suffix
}

// alike returns how many items a text meets that has this end.
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

// grow returns by how much a text costs more when an item with this end costs more. With commit, it does from now on.
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

// candidates calls try with the items that text may fit, until it returns false for those that share an end.
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
