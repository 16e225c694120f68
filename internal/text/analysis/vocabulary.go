package analysis

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"
)

//go:embed words.txt
var wordsFile string

var wordLists = strings.Split(wordsFile, "\n\n")

// StopWords are too frequent to distinguish passages. They are a third of all words of a text.
var StopWords = set(wordLists[0])

// VagueWords do not say what a document is about: they ask for it, or say what kind of document is wanted. They are frequent
// in headings, and rare in some documents. A word like that counts little, and is not reported as missing.
var VagueWords = set(wordLists[1])

// SameStems are the stems of groups of words by which people and documents name the same thing. They are for questions in everyday words: a
// passage that has another word of a group counts, if it has not the word itself.
var SameStems = sync.OnceValue(func() (groups [][]string) {
	for group := range strings.Lines(wordLists[2]) {
		groups = append(groups, slices.Sorted(maps.Keys(stemsOf(set(group))())))
	}
	return groups
})

// StopStems are the stems of [StopWords].
var StopStems, vagueStems = stemsOf(StopWords), stemsOf(VagueWords)

func stemsOf(words map[string]bool) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		stems := make(map[string]bool, len(words))
		for w := range words {
			stems[Stem(w)] = true
		}
		return stems
	})
}

// set returns the words of a text.
func set(words string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// Specific reports whether a stem is of a word that says what a document is about.
func Specific(stem string) bool {
	return !StopStems()[stem] && !vagueStems()[stem]
}
