package matcher

import (
	"cmp"
	"math"
	"strings"
)

// A node of the trie represents the position before a segment of a URI. After a spanning variable,
// a separate trie holds the segments at the end of a URI, the last segment first; its nodes
// represent the position after a segment.
type node struct {
	goal
	lowest   int                // best rank here and below, so that a search can stop early
	literals map[string]*node   // by whole segment
	any      *node              // {x} alone
	branches map[string]*branch // segments with literals and variables, by form
	partial  affixes[*branch]   // the same segments, by their ends
	back     *node              // the trie after a spanning variable that starts in this segment
	endings  map[ends]*ending   // for patterns whose spanning variable ends in this segment
	spanning affixes[*ending]   // the same endings, by their ends
}

// A goal is the end of a pattern in the trie.
type goal struct {
	entry int // the first entry in the file with this form, or -1
	rank  int // rank of the entry, or none
}

// A branch continues through a segment that mixes literals and variables.
type branch struct {
	segment segment
	next    *node
}

// An ending is the rest of a pattern: the segments of its spanning variable.
type ending struct {
	goal
	pattern *Pattern
}

// ends are the forms of the text before and after a spanning variable in its segments.
type ends struct{ before, after string }

// none is the rank of a missing pattern. It comes after every other rank.
const none = math.MaxInt

func newNode() *node {
	return &node{goal: goal{entry: -1, rank: none}, lowest: none}
}

// finish sets each goal's rank to the rank of its entry, and sorts the lists for the searches.
func (n *node) finish(rankOf []int) {
	n.lowest = n.settle(rankOf)
	for _, next := range n.literals {
		n.below(next, rankOf)
	}
	if n.any != nil {
		n.below(n.any, rankOf)
	}
	if n.back != nil {
		n.below(n.back, rankOf)
	}
	for _, b := range n.branches {
		n.below(b.next, rankOf)
	}
	for _, e := range n.endings {
		n.lowest = min(n.lowest, e.settle(rankOf))
	}
	n.partial.sort(func(a, b *branch) int { return cmp.Compare(a.next.lowest, b.next.lowest) })
	n.spanning.sort(func(a, b *ending) int { return cmp.Compare(a.rank, b.rank) })
}

func (n *node) below(next *node, rankOf []int) {
	next.finish(rankOf)
	n.lowest = min(n.lowest, next.lowest)
}

func (g *goal) settle(rankOf []int) int {
	if g.entry >= 0 {
		g.rank = rankOf[g.entry]
	}
	return g.rank
}

// A search looks for the patterns that match a URI.
type search struct {
	best int            // the search looks only for patterns that rank before it
	each func(rank int) // called with each match; if nil, a match lowers best to its rank
}

func (s *search) found(rank int) {
	switch {
	case rank >= s.best:
	case s.each != nil:
		s.each(rank)
	default:
		s.best = rank
	}
}

// find searches from a node. rest is the part of the URI that follows.
func (n *node) find(rest string, s *search) {
	text, more, _ := strings.Cut(rest, "/")
	last := len(text) == len(rest)
	if next := n.literals[text]; next != nil {
		next.step(more, last, s)
	}
	n.partial.candidates(text, func(b *branch) bool {
		if b.next.lowest >= s.best {
			return false
		}
		if b.segment.match(text, nil) {
			b.next.step(more, last, s)
		}
		return true
	})
	if n.any != nil && text != "" {
		n.any.step(more, last, s)
	}
	if n.back != nil {
		n.back.findBack(rest, s)
	}
}

// step continues after a segment that matches.
func (n *node) step(more string, last bool, s *search) {
	switch {
	case n.lowest >= s.best:
	case last:
		s.found(n.rank)
	default:
		n.find(more, s)
	}
}

// findBack searches from a node after a spanning variable. rest is the part of the URI before the
// node; the spanning variable takes at least one byte of it.
func (n *node) findBack(rest string, s *search) {
	if n.lowest >= s.best {
		return
	}
	if cut := strings.LastIndexByte(rest, '/'); cut >= 0 {
		text, before := rest[cut+1:], rest[:cut]
		if next := n.literals[text]; next != nil {
			next.findBack(before, s)
		}
		n.partial.candidates(text, func(b *branch) bool {
			if b.next.lowest >= s.best {
				return false
			}
			if b.segment.match(text, nil) {
				b.next.findBack(before, s)
			}
			return true
		})
		if n.any != nil && text != "" {
			n.any.findBack(before, s)
		}
	}
	n.spanning.candidates(rest, func(e *ending) bool {
		if e.rank >= s.best {
			return false
		}
		if e.pattern.matchSpan(rest, nil) {
			s.found(e.rank)
		}
		return true
	})
}
