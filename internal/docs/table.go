package docs

import "hash/maphash"

// A table numbers words. It is a hash table for words that are short and looked up much more
// often than added, which a map of strings takes twice as long for.
type table struct {
	seed    maphash.Seed
	slots   []slot // open addressing; their number is a power of two
	used    int
	letters []byte // of all words
}

// A slot is empty if its size is 0. It takes 16 bytes.
type slot struct {
	hash, at, number uint32
	size             uint8
}

func newTable() table { return table{seed: maphash.MakeSeed(), slots: make([]slot, 1<<12)} }

// hash returns the hash of a word, which nobody can foresee.
func (t *table) hash(word []byte) uint32 { return uint32(maphash.Bytes(t.seed, word)) }

// find returns the slot of a word with this hash: that which has it, or an empty one.
func (t *table) find(word []byte, hash uint32) *slot {
	mask := uint32(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.size == 0 || s.hash == hash && string(t.letters[s.at:][:s.size]) == string(word) {
			return s
		}
	}
}

// add adds a word of at most 255 bytes that the table does not have.
func (t *table) add(word []byte, hash, number uint32) {
	if 2*t.used >= len(t.slots) {
		old := t.slots
		t.slots = make([]slot, 2*len(old))
		mask := uint32(len(t.slots) - 1)
		for _, s := range old {
			if s.size > 0 {
				i := s.hash & mask
				for t.slots[i].size > 0 {
					i = (i + 1) & mask
				}
				t.slots[i] = s
			}
		}
	}
	*t.find(word, hash) = slot{hash, uint32(len(t.letters)), number, uint8(len(word))}
	t.letters = append(t.letters, word...)
	t.used++
}
