package maptool

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// ranked returns the URLs with a word of a search in URL or title; those with more words come first.
func ranked(list []item, search string) []item {
	words := strings.FieldsFunc(strings.ToLower(search), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) == 0 {
		return nil
	}
	type match struct {
		item
		words int
	}
	var found []match
	for _, it := range list {
		text, n := strings.ToLower(it.URL+" "+it.Title), 0
		for _, w := range words {
			if strings.Contains(text, w) {
				n++
			}
		}
		if n > 0 {
			found = append(found, match{it, n})
		}
	}
	slices.SortStableFunc(found, func(a, b match) int { return cmp.Compare(b.words, a.words) })
	kept := make([]item, len(found))
	for i, m := range found {
		kept[i] = m.item
	}
	return kept
}
