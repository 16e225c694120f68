package guard

import (
	"bytes"
	"strings"
)

// A finder finds a set of marks in one pass over bytes, in upper and lower case alike. Of each mark it knows three bytes in a row
// that are rare elsewhere, by their five lowest bits, in which both cases are the same. Where such a triple stands, and that is
// at one place in a few hundred, the marks that have it are compared. A step depends on the one before by a shift only, so that
// this is twice as fast as an automaton of all marks, which has to load its next state each time.
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

// newFinder makes a finder of 255 marks at the most, of three bytes at least.
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

// commonness is a number that is the larger, the more often bytes stand in a row. Programs are full of zeros, and texts of words.
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

// lower is an ASCII letter in lower case; other bytes are what they are.
func lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

// run calls found with each mark and the index where it stands in data, where its triple ends in data[from:end].
func (f *finder) run(data []byte, from, end int, found func(mark, at int)) {
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

// compare looks for the marks with a triple that ends at last.
func (f *finder) compare(data []byte, triple uint32, last int, found func(mark, at int)) {
	for _, m := range f.marks[f.group[triple]] {
		at := last - m.last
		if at >= 0 && at+len(m.folds) <= len(data) && equalFold(data[at:at+len(m.folds)], m.folds) {
			found(m.mark, at)
		}
	}
}

// equalFold reports whether bytes are folded ones in upper or lower case.
func equalFold(data, folded []byte) bool {
	for i, b := range data {
		if lower(b) != folded[i] {
			return false
		}
	}
	return true
}

// wide is a mark as it stands in UTF-16, of either byte order.
func wide(mark string) []byte {
	return bytes.Join(bytes.Split([]byte(mark), nil), []byte{0})
}
