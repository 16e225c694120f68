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
// compared, and the edits are counted inside a band around the diagonal.
package nearest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
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
	names := Of(word, candidates, 1)
	if len(names) == 0 {
		return "", false
	}
	return names[0], true
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
	limit := min(max(1, len(w)/3), maxEdits, max(len(w), len(c))-1)
	if d, ok := distance(w, c, limit); ok {
		m.rank = d
		return m, true
	}
	short, long := w, c
	if len(short) > len(long) {
		short, long = long, short
	}
	if len(short) < minShared {
		return match{}, false
	}
	switch strings.Index(string(long), string(short)) {
	case -1:
		return match{}, false
	case 0:
		m.rank = rankPrefix
	default:
		m.rank = rankContains
	}
	return m, true
}

// fold returns the characters of s that are compared, in lower case.
func fold(s string) []rune {
	if len(s) > maxBytes {
		cut := maxBytes
		for cut > maxBytes-utf8.UTFMax && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut]
	}
	folded := []rune(s)
	for i, r := range folded {
		folded[i] = unicode.ToLower(r)
	}
	return folded
}

// distance returns the number of edits between a and b where no character is
// edited twice (optimal string alignment), and false when it exceeds limit.
func distance(a, b []rune, limit int) (int, bool) {
	if limit < 0 || len(a)-len(b) > limit || len(b)-len(a) > limit {
		return 0, false
	}
	// Cells further than limit from the diagonal cannot lead to an answer. They hold over, which is
	// larger than any answer.
	over := limit + 1
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		before[j], last[j], row[j] = over, min(j, over), over
	}
	for i := 1; i <= len(a); i++ {
		from, to := max(1, i-limit), min(len(b), i+limit)
		row[from-1] = over
		if from == 1 {
			row[0] = min(i, over)
		}
		best := row[from-1]
		for j := from; j <= to; j++ {
			d := last[j-1]
			if a[i-1] != b[j-1] {
				d++
			}
			d = min(d, row[j-1]+1, last[j]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			row[j] = min(d, over)
			best = min(best, row[j])
		}
		if to < len(b) {
			row[to+1] = over
		}
		// A swap reaches over one row, so the previous row must also be hopeless.
		if best == over && slices.Min(last) == over {
			return 0, false
		}
		before, last, row = last, row, before
	}
	return last[len(b)], last[len(b)] <= limit
}
