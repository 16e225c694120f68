package docs

import (
	"encoding/binary"
	"hash/crc32"
	"math"
)

// indexFormat begins a saved index. It changes when the format changes, or what the index of a text is.
const indexFormat = "docs index 2\n"

// Save returns the index of the dependencies, or nil if it is not ready or [Dependencies.Restore] has just made it.
func (d *Dependencies) Save() []byte {
	if d == nil || d.library == nil {
		return nil
	}
	x := d.library.indexed(true)
	if x == nil || x == d.restored {
		return nil
	}
	return x.save()
}

// Restore uses the index that Save returned, perhaps for other documents. Only documents that are new since then will be
// read. It is called before anything else uses d, and does nothing if d has an index or data is not a whole index.
func (d *Dependencies) Restore(data []byte) {
	l := d.library
	if l.builder == nil || len(l.builder.last.docs) > 0 {
		return
	}
	same := 0
	x := restore(data, func(path string, size, modTime int64) *document {
		if was := l.files[path]; was != nil && was.size == size && was.modTime == modTime {
			same++
			return was
		}
		return &document{path: path, size: size, modTime: modTime} // the next index will not have it
	})
	if x == nil {
		return
	}
	l.builder.last = x
	if same == len(x.docs) && same == len(l.docs) {
		d.restored = x
		l.index.Store(x)
	}
}

// save returns the index as bytes: its numbers, then its strings, then a checksum.
func (x *index) save() []byte {
	b := make([]byte, 0, len(indexFormat)+5*len(x.where)+16*len(x.terms)+32*len(x.passages))
	var texts []byte
	number := func(n int) { b = binary.AppendUvarint(b, uint64(n)) }
	str := func(s string) { number(len(s)); texts = append(texts, s...) }
	b = append(b, indexFormat...)
	number(len(x.docs))
	for _, d := range x.docs {
		str(d.path)
		number(int(d.size))
		b = binary.AppendVarint(b, d.modTime)
	}
	number(len(x.passages))
	for i := range x.passages {
		p := &x.passages[i]
		number(int(p.doc))
		number(int(p.offset))
		number(int(p.size))
		number(int(p.line))
		words := int(p.words) << 2
		if p.code {
			words |= 1
		}
		if p.later {
			words |= 2
		}
		number(words)
		str(p.heading)
	}
	number(len(x.terms))
	for i, term := range x.terms {
		str(term)
		number(int(x.starts[i+1] - x.starts[i]))
	}
	number(len(x.where))
	for _, n := range x.where {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return seal(append(append(b, x.weights...), texts...))
}

// seal appends a checksum.
func seal(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

// A loading index is bytes that are read from the front. After an error, all numbers are 0.
type loading struct {
	data []byte
	bad  bool
}

// number reads a number of at most most.
func (l *loading) number(most uint64) int {
	n, size := binary.Uvarint(l.data)
	if size <= 0 || n > most {
		l.data, l.bad = nil, true
		return 0
	}
	l.data = l.data[size:]
	return int(n)
}

// take reads n bytes.
func (l *loading) take(n int) []byte {
	if n < 0 || n > len(l.data) {
		l.data, l.bad = nil, true
		return nil
	}
	taken := l.data[:n]
	l.data = l.data[n:]
	return taken
}

// restore returns the index that was saved, or nil if the bytes are not a whole index. document returns a document for
// each that was saved.
func restore(data []byte, document func(path string, size, modTime int64) *document) *index {
	if len(data) < len(indexFormat)+4 || string(data[:len(indexFormat)]) != indexFormat {
		return nil
	}
	end := len(data) - 4
	if crc32.Checksum(data[:end], crc32.MakeTable(crc32.Castagnoli)) != binary.LittleEndian.Uint32(data[end:]) {
		return nil
	}
	l := loading{data: data[len(indexFormat):end]}
	most := uint64(end) // nothing has more items than bytes
	var lengths []int   // of all strings, in their order
	str := func() { lengths = append(lengths, l.number(most)) }
	type saved struct{ size, modTime int64 }
	docs := make([]saved, l.number(most))
	for i := range docs {
		str()
		docs[i].size = int64(l.number(math.MaxInt64))
		modTime, size := binary.Varint(l.data)
		docs[i].modTime = modTime
		l.take(size)
	}
	x := &index{passages: make([]passage, l.number(most))}
	for i := range x.passages {
		p := &x.passages[i]
		p.doc, p.offset, p.size = uint32(l.number(most)), uint32(l.number(maxIndexed)), uint32(l.number(maxIndexed))
		p.line = uint32(l.number(maxIndexed))
		words := l.number(4*math.MaxUint16 + 3)
		p.words, p.code, p.later = uint16(words>>2), words&1 != 0, words&2 != 0
		str()
		x.words += int(p.words)
		// The passages of a document are adjacent, and documents are in the order of their passages.
		if int(p.doc) >= len(docs) || i > 0 && (p.doc < x.passages[i-1].doc || p.doc > x.passages[i-1].doc+1) || i == 0 && p.doc != 0 {
			return nil
		}
	}
	x.terms = make([]string, l.number(most))
	x.starts = make([]uint32, 1, len(x.terms)+1)
	for i := range x.terms {
		str()
		x.starts = append(x.starts, x.starts[i]+uint32(l.number(most)))
	}
	x.where = make([]uint32, l.number(most/5))
	raw := l.take(4 * len(x.where))
	x.weights = append(x.weights, l.take(len(x.where))...)
	if l.bad || int(x.starts[len(x.terms)]) != len(x.where) {
		return nil
	}
	for i := range x.where {
		if x.where[i] = binary.LittleEndian.Uint32(raw[4*i:]); int(x.where[i]) >= len(x.passages) {
			return nil
		}
	}
	texts := string(l.data)
	next := func() (s string) {
		n := lengths[0]
		lengths = lengths[1:]
		if n > len(texts) {
			l.bad = true
			return ""
		}
		s, texts = texts[:n], texts[n:]
		return s
	}
	for _, d := range docs {
		x.docs = append(x.docs, document(next(), d.size, d.modTime))
	}
	for i := range x.passages {
		x.passages[i].heading = next()
	}
	for i := range x.terms {
		if x.terms[i] = next(); i > 0 && x.terms[i] <= x.terms[i-1] {
			l.bad = true
		}
	}
	if l.bad {
		return nil
	}
	x.weigh()
	return x
}
