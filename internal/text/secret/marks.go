package secret

import "strings"

// A finder finds a set of marks in one pass over bytes, ignoring case. For each mark it stores a
// triple: three adjacent bytes that are rare elsewhere, reduced to their five lowest bits, which
// are the same in both cases. It compares the marks of a triple only where that triple occurs,
// which is once in a few hundred bytes. Each step depends on the previous one only by a shift,
// which makes this twice as fast as an automaton of all marks that loads its next state in each
// step.
type finder struct {
	triples [triples / 64]uint64 // a bit for each triple of a mark
	group   [triples]uint8       // by triple; 0 for none
	marks   [][]markedByte       // by group
}

const triples = 1 << 15

// A markedByte is a mark and the index of the last byte of its triple.
type markedByte struct {
	mark  int
	folds []byte // the mark in lower case
	last  int
}

// newFinder returns a finder for at most 255 marks of at least three bytes each.
func newFinder(marks [][]byte) *finder {
	f := &finder{marks: make([][]markedByte, 1)}
	for i, mark := range marks {
		best, least := 2, -1
		for last := 2; last < len(mark); last++ {
			if n := commonness(mark[last-2 : last+1]); least < 0 || n < least {
				best, least = last, n
			}
		}
		var h uint32
		for _, b := range mark[best-2 : best+1] {
			h = h<<5 | uint32(b&31)
		}
		f.triples[h/64] |= 1 << (h % 64)
		folds := make([]byte, len(mark))
		for i, b := range mark {
			folds[i] = lower(b)
		}
		if f.group[h] == 0 {
			f.group[h] = uint8(len(f.marks))
			f.marks = append(f.marks, nil)
		}
		f.marks[f.group[h]] = append(f.marks[f.group[h]], markedByte{i, folds, best})
	}
	return f
}

// commonness returns a larger number for adjacent bytes that occur more often. Programs are full of
// zeros, and texts are full of words.
func commonness(row []byte) int {
	const letters = "qzjxkvbpgfywmculdrhsnioate" // the most common last
	product := 1
	for _, b := range row {
		product *= 2 + strings.IndexByte(letters, lower(b))
		if b == 0 || b == ' ' {
			product *= 20
		}
	}
	return product
}

// lower returns an ASCII letter in lower case, and other bytes unchanged.
func lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

// run calls found with each mark whose triple ends in data[from:end], and with the offset of the
// mark in data.
func (f *finder) run(data []byte, from, end int, found func(mark, offset int)) {
	var h uint32
	for _, b := range data[max(0, from-2):from] {
		h = h<<5 | uint32(b&31)
	}
	for i, b := range data[from:end] {
		h = h<<5 | uint32(b&31)
		if t := h % triples; f.triples[t/64]>>(t%64)&1 != 0 {
			f.compare(data, t, from+i, found)
		}
	}
}

// compare finds the marks whose triple ends at last.
func (f *finder) compare(data []byte, triple uint32, last int, found func(mark, offset int)) {
	for _, m := range f.marks[f.group[triple]] {
		offset := last - m.last
		if offset >= 0 && offset+len(m.folds) <= len(data) && equalFold(data[offset:offset+len(m.folds)], m.folds) {
			found(m.mark, offset)
		}
	}
}

// equalFold reports whether bytes equal folded, ignoring case.
func equalFold(data, folded []byte) bool {
	for i, b := range data {
		if lower(b) != folded[i] {
			return false
		}
	}
	return true
}
