package matcher

import "slices"

// affixes stores items by a literal that they must start or end with, whichever is longer, so that
// a text is compared only with the items that share the literal.
type affixes[T any] struct{ prefixes, suffixes shelf[T] }

// A shelf stores items by their start or by their end.
type shelf[T any] struct {
	items   map[string][]T // by end; the best first, after sort
	lengths []int          // of the ends, the shortest first
}

// add stores an item. It returns false if [MaxAlike] items have the same end: a text with this end
// is compared with all of them.
func (a *affixes[T]) add(prefix, suffix string, item T) bool {
	s, end := &a.suffixes, suffix
	if len(prefix) > len(suffix) {
		s, end = &a.prefixes, prefix
	}
	if len(s.items[end]) >= MaxAlike {
		return false
	}
	put(&s.items, end, append(s.items[end], item))
	if position, found := slices.BinarySearch(s.lengths, len(end)); !found {
		s.lengths = slices.Insert(s.lengths, position, len(end))
	}
	return true
}

// sort puts the best items with each end first.
func (a *affixes[T]) sort(compare func(a, b T) int) {
	for _, s := range []*shelf[T]{&a.prefixes, &a.suffixes} {
		for _, items := range s.items {
			slices.SortFunc(items, compare)
		}
	}
}

// candidates calls try with the items that may match text. When try returns false, candidates skips
// the rest of the items that share the end.
func (a *affixes[T]) candidates(text string, try func(T) bool) {
	for _, n := range a.prefixes.lengths {
		if n > len(text) {
			break
		}
		each(a.prefixes.items[text[:n]], try)
	}
	for _, n := range a.suffixes.lengths {
		if n > len(text) {
			break
		}
		each(a.suffixes.items[text[len(text)-n:]], try)
	}
}

func each[T any](items []T, try func(T) bool) {
	for _, item := range items {
		if !try(item) {
			return
		}
	}
}
