package matcher

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// A node of the trie stands before a segment of a URI.
type node struct {
	lowest   int                // best rank below, so that a search can stop early
	leaf     int                // rank of the pattern that ends here, or none
	literals map[string]*node   // by whole segment
	any      *node              // {x} alone
	branches map[string]*branch // literals beside variables, by form
	partial  affixes[*branch]   // the same, by their ends
	spanning affixes[spanning]  // patterns whose spanning variable starts in this segment
}

// A branch leads on through a segment that mixes literals and variables.
type branch struct {
	segment segment
	next    *node
}

// spanning is a pattern that takes all the rest of a URI.
type spanning struct {
	rank    int
	pattern *Pattern
}

// none is the rank of no pattern: behind every other.
const none = math.MaxInt

func newNode() *node { return &node{lowest: none, leaf: none} }

func (ix *Index) build() {
	ix.root = newNode()
	for rank, entry := range ix.ranked {
		p := ix.patterns[entry]
		ix.depth = max(ix.depth, len(p.head)+len(p.tail))
		n := ix.root
		n.lowest = min(n.lowest, rank)
		for _, s := range p.head {
			n = n.child(s)
			n.lowest = min(n.lowest, rank)
		}
		if !p.spans {
			n.leaf = min(n.leaf, rank)
			continue
		}
		last := p.after
		if len(p.tail) > 0 {
			last = p.tail[len(p.tail)-1]
		}
		suffix := last.suffix()
		if len(p.tail) > 0 && last.isLiteral() {
			suffix = "/" + suffix
		}
		n.spanning.add(p.before.prefix(), suffix, spanning{rank, p})
	}
	ix.root.finish()
}

// child returns the node behind a segment, made if need be.
func (n *node) child(s segment) *node {
	switch {
	case s.isLiteral():
		if n.literals == nil {
			n.literals = make(map[string]*node)
		}
		next := n.literals[s.prefix()]
		if next == nil {
			next = newNode()
			n.literals[s.prefix()] = next
		}
		return next
	case s.isAny():
		if n.any == nil {
			n.any = newNode()
		}
		return n.any
	}
	form := s.form()
	b := n.branches[form]
	if b == nil {
		b = &branch{segment: s, next: newNode()}
		if n.branches == nil {
			n.branches = make(map[string]*branch)
		}
		n.branches[form] = b
		n.partial.add(s.prefix(), s.suffix(), b)
	}
	return b.next
}

// finish sorts what the searches walk through.
func (n *node) finish() {
	n.partial.finish(func(a, b *branch) int { return cmp.Compare(a.next.lowest, b.next.lowest) })
	n.spanning.finish(func(a, b spanning) int { return cmp.Compare(a.rank, b.rank) })
	for _, next := range n.literals {
		next.finish()
	}
	if n.any != nil {
		n.any.finish()
	}
	for _, b := range n.branches {
		b.next.finish()
	}
}

// find lowers *best to the rank of the best pattern that matches. rest is the part of the URI from this node on.
// Patterns were filed under their head, so that only what is left of them needs matching.
func (n *node) find(rest string, best *int) {
	text, more, _ := strings.Cut(rest, "/")
	last := len(text) == len(rest)
	if next := n.literals[text]; next != nil {
		next.step(more, last, best)
	}
	n.partial.candidates(text, func(b *branch) bool {
		if b.next.lowest >= *best {
			return false
		}
		if b.segment.match(text, nil) {
			b.next.step(more, last, best)
		}
		return true
	})
	if n.any != nil && text != "" {
		n.any.step(more, last, best)
	}
	n.spanning.candidates(rest, func(s spanning) bool {
		if s.rank >= *best {
			return false
		}
		if s.pattern.matchRest(rest, nil) {
			*best = s.rank
		}
		return true
	})
}

// step goes on behind a segment that fits.
func (n *node) step(more string, last bool, best *int) {
	switch {
	case n.lowest >= *best:
	case last:
		*best = min(*best, n.leaf)
	default:
		n.find(more, best)
	}
}

// affixes files items by a literal they must start or end with, whichever is longer, so that a text meets only the items
// that share it.
type affixes[T any] struct {
	prefixes, suffixes map[string][]T
	prefixLengths      []int
	suffixLengths      []int
}

func (a *affixes[T]) add(prefix, suffix string, item T) {
	if len(prefix) > len(suffix) {
		if a.prefixes == nil {
			a.prefixes = make(map[string][]T)
		}
		a.prefixes[prefix] = append(a.prefixes[prefix], item)
		return
	}
	if a.suffixes == nil {
		a.suffixes = make(map[string][]T)
	}
	a.suffixes[suffix] = append(a.suffixes[suffix], item)
}

// finish sorts the items that share a key, the best first.
func (a *affixes[T]) finish(compare func(a, b T) int) {
	a.prefixLengths = finishKeys(a.prefixes, compare)
	a.suffixLengths = finishKeys(a.suffixes, compare)
}

func finishKeys[T any](items map[string][]T, compare func(a, b T) int) []int {
	var lengths []int
	for key, list := range items {
		slices.SortFunc(list, compare)
		lengths = append(lengths, len(key))
	}
	slices.Sort(lengths)
	return slices.Compact(lengths)
}

// candidates calls try with the items that text may fit, until it returns false for those that share a key.
func (a *affixes[T]) candidates(text string, try func(T) bool) {
	for _, n := range a.prefixLengths {
		if n > len(text) {
			break
		}
		for _, item := range a.prefixes[text[:n]] {
			if !try(item) {
				break
			}
		}
	}
	for _, n := range a.suffixLengths {
		if n > len(text) {
			break
		}
		for _, item := range a.suffixes[text[len(text)-n:]] {
			if !try(item) {
				break
			}
		}
	}
}
