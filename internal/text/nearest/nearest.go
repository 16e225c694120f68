// Package nearest finds the known words that a person probably meant.
//
// A candidate is close to a word in one of three ways, best first:
//
//  1. Few edits apart. An edit inserts, drops or replaces one character or
//     swaps two neighbours. Up to a third of the word's characters may differ,
//     at least one and at most [maxEdits], and never all of them.
//  2. One begins with the other.
//  3. One contains the other.
//
// For the last two ways, the contained word has at least [minShared] characters, so that "a" does
// not suggest half the list. Case is ignored. Equally close candidates are ordered by the
// difference of their lengths, then by name, so the answer does not depend on the order of the
// candidates.
//
// The words may come from an untrusted client: only the first [maxBytes] bytes of each word are
// compared, and the edits are counted until they are too many.
package nearest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

const (
	maxBytes  = 256 // longer words are compared by their beginning
	maxEdits  = 6   // more differences than this are not a typing error
	minShared = 3   // characters a prefix or a contained word needs
)

// Of returns at most limit candidates close to word, the closest first and each once. It returns
// nil if none is close.
func Of(word string, candidates []string, limit int) []string {
	if limit <= 0 {
		return nil
	}
	w := fold(word)
	var found []match
	for _, c := range candidates {
		if m, ok := compare(w, c); ok {
			found = append(found, m)
		}
	}
	slices.SortFunc(found, func(a, b match) int {
		return cmp.Or(
			cmp.Compare(a.rank, b.rank),
			cmp.Compare(a.gap, b.gap),
			strings.Compare(a.name, b.name),
		)
	})
	found = slices.CompactFunc(found, func(a, b match) bool { return a.name == b.name })
	var names []string
	for _, m := range found[:min(limit, len(found))] {
		names = append(names, m.name)
	}
	return names
}

// One returns the closest candidate, and false when none is close.
func One(word string, candidates []string) (string, bool) {
	names := append(Of(word, candidates, 1), "")
	return names[0], len(names) > 1
}

// Meant returns the end of a message about an unknown word: a suggestion from the known words.
func Meant(word string, known []string) string {
	if near, ok := One(word, known); ok {
		return "; did you mean " + near + "?"
	}
	return ""
}

// NotOneOf returns the message that a value is not one of the allowed values. It shows only the
// start of a long value.
func NotOneOf(value string, allowed []string) string {
	return fmt.Sprintf("is %.60q, must be one of %s%s", value, strings.Join(allowed, ", "), Meant(value, allowed))
}

// match is a candidate with its sort keys.
type match struct {
	name string
	rank int // edits, or a rank above any number of edits
	gap  int // difference in length, in characters
}

const (
	rankPrefix   = maxEdits + 1
	rankContains = maxEdits + 2
)

func compare(w []rune, candidate string) (match, bool) {
	c := fold(candidate)
	m := match{name: candidate, gap: max(len(w), len(c)) - min(len(w), len(c))}
	if limit := min(max(1, len(w)/3), maxEdits, max(len(w), len(c))-1); m.gap <= limit {
		if m.rank = distance(w, c, limit); m.rank <= limit {
			return m, true
		}
	}
	short, long := w, c
	if len(short) > len(long) {
		short, long = long, short
	}
	if len(short) < minShared {
		return match{}, false
	}
	at := strings.Index(string(long), string(short))
	if m.rank = rankPrefix; at > 0 {
		m.rank = rankContains
	}
	return m, at >= 0
}

// fold returns the characters of s that are compared, in lower case.
func fold(s string) []rune { return []rune(strings.Map(unicode.ToLower, excerpt.Cut(s, maxBytes))) }

// distance returns the number of edits between a and b where no character is edited twice (optimal string alignment), or another number
// above limit.
func distance(a, b []rune, limit int) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			d := min(last[j]+1, row[j]+1, last[j+1]+1)
			if a[i] == b[j] {
				d = min(d, last[j])
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, before[j-1]+1)
			}
			row[j+1] = d
		}
		if min(slices.Min(last), slices.Min(row)) > limit { // a swap reaches over one row
			return limit + 1
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
