package docs

import (
	"bytes"
	"math/bits"
	"unicode/utf8"
)

// name gives a stem the next number.
func (w *writer) name(stem string) uint32 {
	w.stems = append(w.stems, stem)
	w.tally = append(w.tally, 0)
	return uint32(len(w.stems) - 1)
}

// number returns the number of a word's stem.
func (w *writer) number(word []byte) uint32 {
	s := w.known.enter(word)
	if s.stem != 0 {
		return s.stem
	}
	w.buffer = stem(append(w.buffer[:0], word...))
	same := bytes.Equal(w.buffer, word)
	if !same {
		s = w.known.enter(w.buffer)
	}
	if s.number == 0 {
		s.number = w.name(string(w.buffer))
	}
	n := s.number
	if stopWords[string(word)] {
		n |= stopBit
	}
	if !same {
		s = w.known.enter(word)
	}
	s.stem = n
	return n
}

// words returns the number of each word of text, until the next call.
func (w *writer) words(text string) []uint32 {
	found := w.found[:0]
	normal := false
	for i := 0; i < len(text); {
		c := text[i]
		if classes[c] == 0 && c < utf8.RuneSelf {
			i++
			continue
		}
		if word, length := plain(text, i); length > 0 {
			n := w.known.slotOf(word).stem
			if n == 0 {
				n = w.number(word.bytes(w.word[:0]))
			}
			found = append(found, n)
			i += length
			continue
		}
		if !normal {
			normal = true
			// A mark may be one character with the byte before it, which is not in a word.
			if i = max(i-1, 0); !ascii(text[i:]) {
				text, i = normalized(text[i:]), 0
			}
			continue
		}
		found, i = w.next(text, i, found)
	}
	w.found = found
	return found
}

// next appends the numbers of the words that [splitter.next] finds at i, and returns where the text
// continues.
func (w *writer) next(text string, i int, found []uint32) ([]uint32, int) {
	i = w.splitter.next(text, i, func(word []byte, _ int) { found = append(found, w.number(word)) })
	return found, i
}

// plain returns the word at i and its length if it is plain, as most words are: up to 16 small
// letters and digits, of which the first may be a capital, which [splitter.next] would yield as one
// word. Otherwise the length is 0.
func plain(text string, i int) (word letters, length int) {
	word.first = eight(text, i) | 0x20 // in ASCII, this bit turns a capital into a small letter; digits already have it
	length = inWord(word.first)
	if length < 8 {
		word.first &= 1<<(8*length) - 1
	} else {
		word.next = eight(text, i+8)
		more := inWord(word.next)
		if more < 8 {
			word.next &= 1<<(8*more) - 1
		}
		length += more
	}
	end := i + length
	if end >= len(text) {
		return word, length
	}
	switch c := text[end]; {
	case !joins[c]:
		return word, length
	case c == '_' || c == '-' || c == '.':
		if end+1 == len(text) || c == '.' && classes[text[end-1]] != digit {
			return word, length
		}
		if next := text[end+1]; next < utf8.RuneSelf && (classes[next] == 0 || c == '.' && classes[next] != digit) {
			return word, length
		}
	}
	return word, 0
}

// joins holds the bytes that may continue a word after small letters and digits.
var joins = func() (j [256]bool) {
	for c := range j {
		j[c] = c >= utf8.RuneSelf || classes[c] != 0
	}
	j['\''], j['_'], j['-'], j['.'] = true, true, true, true
	return j
}()

// eight returns the eight bytes at i as a little-endian number, padded with zeros at the end of the
// text.
func eight(text string, i int) (b uint64) {
	if i+8 <= len(text) {
		s := text[i : i+8]
		return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	}
	for k := i; k < len(text); k++ {
		b |= uint64(text[k]) << (8 * (k - i))
	}
	return b
}

// inWord returns how many of eight bytes, from the lowest, are small letters or digits.
func inWord(b uint64) int {
	const each, top = 0x0101010101010101, 0x8080808080808080
	low := b &^ top
	letter := (low + (0x80-'a')*each) &^ (low + (0x80-'z'-1)*each)
	number := (low + (0x80-'0')*each) &^ (low + (0x80-'9'-1)*each)
	return bits.TrailingZeros64(^((letter|number)&^b)&top) / 8
}
