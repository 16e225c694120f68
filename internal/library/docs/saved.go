package docs

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"hash/crc32"
	"slices"
)

// indexFormat begins a saved index. It changes when the format changes, or what the index of a text is.
const indexFormat = "docs index 4\n"

// A savedIndex is an index in columns, which encoding/gob reads and writes fastest.
type savedIndex struct {
	Paths           []string // of the documents, as the next two
	Sizes, ModTimes []int64

	Docs, Offsets, Lengths, Lines []uint32 // of the passages, as the next three
	Words                         []uint16
	Code, Later                   []bool
	Headings                      []string

	Terms          []string
	Starts         []uint32
	Where, Weights []byte // 4 bytes and 1 for each posting
}

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

// save returns the index as bytes, with a checksum at the end.
func (x *index) save() []byte {
	s := savedIndex{Terms: x.terms, Starts: x.starts, Weights: x.weights}
	s.Where, _ = binary.Append(nil, binary.LittleEndian, x.where) // numbers are written without an error
	for _, d := range x.docs {
		s.Paths, s.Sizes, s.ModTimes = append(s.Paths, d.path), append(s.Sizes, d.size), append(s.ModTimes, d.modTime)
	}
	for _, p := range x.passages {
		s.Docs, s.Offsets, s.Lengths, s.Lines = append(s.Docs, p.doc), append(s.Offsets, p.offset), append(s.Lengths, p.size), append(s.Lines, p.line)
		s.Words, s.Code, s.Later, s.Headings = append(s.Words, p.words), append(s.Code, p.code), append(s.Later, p.later), append(s.Headings, p.heading)
	}
	b := bytes.NewBufferString(indexFormat)
	if gob.NewEncoder(b).Encode(s) != nil {
		return nil
	}
	return seal(b.Bytes())
}

// seal appends a checksum.
func seal(b []byte) []byte { return binary.LittleEndian.AppendUint32(b, checksum(b)) }

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// restore returns the index that was saved, or nil if the bytes are not a whole index. document returns a document for
// each that was saved.
func restore(data []byte, document func(path string, size, modTime int64) *document) *index {
	end := len(data) - 4
	if end < 0 || checksum(data[:end]) != binary.LittleEndian.Uint32(data[end:]) {
		return nil
	}
	encoded, ok := bytes.CutPrefix(data[:end], []byte(indexFormat))
	var s savedIndex
	if !ok || gob.NewDecoder(bytes.NewReader(encoded)).Decode(&s) != nil {
		return nil
	}
	x := &index{passages: make([]passage, len(s.Docs)), terms: s.Terms, starts: s.Starts, where: make([]uint32, len(s.Weights)), weights: s.Weights}
	if _, err := binary.Decode(s.Where, binary.LittleEndian, x.where); err != nil || !s.whole(x.where) {
		return nil
	}
	for i, path := range s.Paths {
		x.docs = append(x.docs, document(path, s.Sizes[i], s.ModTimes[i]))
	}
	for i := range x.passages {
		x.passages[i] = passage{heading: s.Headings[i], doc: s.Docs[i], offset: s.Offsets[i], size: s.Lengths[i], line: s.Lines[i],
			words: s.Words[i], code: s.Code[i], later: s.Later[i]}
		x.words += int(s.Words[i])
	}
	x.weigh()
	return x
}

// whole reports whether the columns belong to an index.
func (s *savedIndex) whole(where []uint32) bool {
	docs, passages, terms := len(s.Paths), len(s.Docs), len(s.Terms)
	for _, n := range []int{len(s.Offsets), len(s.Lengths), len(s.Lines), len(s.Words), len(s.Code), len(s.Later), len(s.Headings)} {
		if n != passages {
			return false
		}
	}
	if len(s.Sizes) != docs || len(s.ModTimes) != docs || !slices.IsSorted(s.Terms) ||
		len(s.Starts) != terms+1 || s.Starts[0] != 0 || int(s.Starts[terms]) != len(where) || !slices.IsSorted(s.Starts) {
		return false
	}
	last := uint32(0) // the passages of a document are adjacent, and documents are in the order of their passages
	for _, doc := range s.Docs {
		if int(doc) >= docs || doc != last && doc != last+1 {
			return false
		}
		last = doc
	}
	return !slices.ContainsFunc(where, func(passage uint32) bool { return int(passage) >= passages })
}
