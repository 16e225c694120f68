package docs

import (
	"strings"
)

// matches returns where the words with these stems are in a text: ascending offsets of their starts
// and ends. Words that only a space or an underscore separates are one match.
func matches(text string, stems map[string]int) [][2]int {
	var spans [][2]int
	var buffer []byte
	last := -1
	var s splitter
	s.words(text, func(word []byte, offset int) {
		if offset < last { // an identifier as a whole; its parts came before
			return
		}
		last = offset
		buffer = stem(append(buffer[:0], word...))
		if _, ok := stems[string(buffer)]; !ok {
			return
		}
		end := s.end
		if n := len(spans); n > 0 && (spans[n-1][1] >= offset || spans[n-1][1]+1 == offset && strings.ContainsRune(" _", rune(text[offset-1]))) {
			spans[n-1][1] = max(end, spans[n-1][1])
			return
		}
		spans = append(spans, [2]int{offset, end})
	})
	return spans
}
