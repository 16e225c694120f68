package secret

import "bytes"

// A finder finds a set of marks in one pass over bytes, ignoring case. For each mark it stores a
// triple: its last three bytes, reduced to their five lowest bits, which
// are the same in both cases. It compares the marks of a triple only where that triple occurs,
// which is once in a few hundred bytes. Each step depends on the previous one only by a shift,
// which makes this twice as fast as an automaton of all marks that loads its next state in each
// step.
type finder struct {
	triples [triples / 64]uint64 // a bit for each triple of a mark
	group   [triples]uint8       // by triple; 0 for none
	marks   [][]numbered         // by group
}

const triples = 1 << 15

// A numbered is a mark with its number.
type numbered struct {
	number int
	mark   []byte
}

// newFinder returns a finder for at most 255 marks of at least three bytes each.
func newFinder(marks [][]byte) *finder {
	f := &finder{marks: make([][]numbered, 1)}
	for i, mark := range marks {
		var h uint32
		for _, b := range mark[len(mark)-3:] {
			h = h<<5 | uint32(b&31)
		}
		f.triples[h/64] |= 1 << (h % 64)
		if f.group[h] == 0 {
			f.group[h] = uint8(len(f.marks))
			f.marks = append(f.marks, nil)
		}
		f.marks[f.group[h]] = append(f.marks[f.group[h]], numbered{i, mark})
	}
	return f
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
		if offset := last + 1 - len(m.mark); offset >= 0 && bytes.EqualFold(data[offset:last+1], m.mark) {
			found(m.number, offset)
		}
	}
}
