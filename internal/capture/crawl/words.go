package crawl

import (
	"hash/fnv"
	"slices"
	"strings"
	"unicode"
)

// mostWords is how many words of a page are kept to compare it with others.
const mostWords = 256

// A sample is the words of a text with the smallest hashes, in order. Two samples have the same choice of words up to
// the smaller of their last hashes, so what holds for these words nearly holds for all.
type sample []uint32

// sampleOf returns the sample of Markdown. Headings do not count: pages that differ in nothing else are one page.
func sampleOf(markdown string) sample {
	var s sample
	for line := range strings.Lines(markdown) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for word := range strings.FieldsFuncSeq(strings.ToLower(line), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			h := fnv.New32a()
			h.Write([]byte(word))
			s = append(s, h.Sum32())
		}
	}
	slices.Sort(s)
	s = slices.Compact(s)
	return slices.Clone(s[:min(len(s), mostWords)])
}

// has reports whether a text has nine tenths of the words of another one.
func (s sample) has(other sample) bool {
	both, all := 0, 0
	for _, h := range other {
		if len(s) == mostWords && h > s[mostWords-1] {
			break // s does not say
		}
		all++
		if _, ok := slices.BinarySearch(s, h); ok {
			both++
		}
	}
	return all > 0 && both*10 >= all*9
}
