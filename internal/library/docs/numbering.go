package docs

import (
	"strings"
	"unicode/utf8"
	"unsafe"
)

// name gives a stem the next number.
func (w *writer) name(stem string) uint32 {
	w.stems = append(w.stems, stem)
	w.tally = append(w.tally, 0)
	return uint32(len(w.stems) - 1)
}

// words returns the number of each word of text, until the next call.
func (w *writer) words(text string) []uint32 {
	text, w.found = normalized(text), w.found[:0]
	for i := 0; i < len(text); {
		// Most words are small letters and digits that nothing joins to others: the splitter would take longer for them.
		end := i
		for end < len(text) && classes[text[end]]&(small|digit) != 0 {
			end++
		}
		if n := end - i; n > 0 && n <= maxWord && end < len(text) && text[end] < utf8.RuneSelf && classes[text[end]] == 0 && strings.IndexByte("'_-.", text[end]) < 0 {
			w.found = append(w.found, w.number(text[i:end]))
			i = end + 1
			continue
		}
		i = w.splitter.next(text, i, func(word []byte, _ int) {
			w.found = append(w.found, w.number(unsafe.String(unsafe.SliceData(word), len(word))))
		})
	}
	return w.found
}

// number returns the number of the stem of a word, marked if it is a stop word.
func (w *writer) number(word string) uint32 {
	n, known := w.known[word]
	if known {
		return n
	}
	word = strings.Clone(word)
	stemmed := string(stem([]byte(word)))
	if n, known = w.numbers[stemmed]; !known {
		n = w.name(stemmed)
		w.numbers[stemmed] = n
	}
	if stopWords[word] {
		n |= stopBit
	}
	w.known[word] = n
	return n
}
