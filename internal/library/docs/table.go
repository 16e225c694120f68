package docs

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

// A table holds the numbers of words. It is a hash table that stores words of up to 16 bytes, as
// nearly all are, as two integers: a lookup compares no strings, and usually touches one line of
// the processor's cache.
type table struct {
	seed  letters // secret, so that an author of documents cannot choose words with the same hash
	slots []slot  // open addressing; their number is a power of two
	used  int
	long  map[string]*slot
}

// letters are a word of up to 16 bytes, padded with zeros. No word contains a zero.
type letters struct{ first, next uint64 }

// A slot is empty if its word is. It takes 24 bytes.
type slot struct {
	word   letters
	stem   uint32 // the number of its stem, or 0
	number uint32 // the number of the word if it is a stem itself, or 0
}

const shortWord = 16

func newTable() table {
	return table{
		seed: letters{rand.Uint64(), rand.Uint64() | 1}, slots: make([]slot, 1<<12), long: make(map[string]*slot),
	}
}

// lettersOf returns a word of up to 16 bytes.
func lettersOf(word []byte) letters {
	var b [shortWord]byte
	copy(b[:], word)
	return letters{binary.LittleEndian.Uint64(b[:8]), binary.LittleEndian.Uint64(b[8:])}
}

// bytes appends the word to b.
func (w letters) bytes(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, w.first), w.next)
	if w.next == 0 {
		return b[:len(b)-8-bits.LeadingZeros64(w.first)/8]
	}
	return b[:len(b)-bits.LeadingZeros64(w.next)/8]
}

// hash returns the slot at which the search for a word begins.
func (t *table) hash(word letters) uint64 {
	high, low := bits.Mul64(word.first^t.seed.first, word.next^t.seed.next)
	return (high ^ low) & uint64(len(t.slots)-1)
}

// slotOf returns the slot of a word of up to 16 bytes, or an empty slot for it.
func (t *table) slotOf(word letters) *slot {
	for i := t.hash(word); ; i = (i + 1) & uint64(len(t.slots)-1) {
		s := &t.slots[i]
		if s.word == word || s.word.first == 0 {
			return s
		}
	}
}

// enter returns the slot of a word of any length, and makes it if necessary. The slot is valid
// until the next call.
func (t *table) enter(word []byte) *slot {
	if len(word) > shortWord {
		s := t.long[string(word)]
		if s == nil {
			s = new(slot)
			t.long[string(word)] = s
		}
		return s
	}
	w := lettersOf(word)
	s := t.slotOf(w)
	if s.word == w {
		return s
	}
	if 3*t.used >= 2*len(t.slots) {
		old := t.slots
		t.slots = make([]slot, 2*len(old))
		for _, s := range old {
			if s.word.first != 0 {
				*t.slotOf(s.word) = s
			}
		}
		s = t.slotOf(w)
	}
	t.used++
	s.word = w
	return s
}
