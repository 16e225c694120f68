package docs

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"hash/crc32"
)

// indexFormat begins a saved index. It changes when the format changes, or what the index of a text is.
const indexFormat = "docs index 8\n"

// A savedIndex is an index as encoding/gob reads and writes it fast.
type savedIndex struct {
	Documents      []savedDocument
	Passages       []IndexedPassage
	Terms          []string
	Starts         []uint32
	Where, Weights []byte // 4 bytes and 1 for each posting
}

type savedDocument struct {
	Path          string
	Size, ModTime int64
	Digest        uint64
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
	x := restore(data, func(d savedDocument) *document {
		if was := l.kept(d.Path, d.Size, d.ModTime, false); was != nil {
			same++
			return was
		}
		return &document{path: d.Path, size: d.Size, modTime: d.ModTime} // the next index will not have it
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
	s := savedIndex{Passages: x.passages, Terms: x.terms, Starts: x.starts, Weights: x.weights}
	s.Where, _ = binary.Append(nil, binary.LittleEndian, x.where) // numbers are written without an error
	for _, d := range x.docs {
		s.Documents = append(s.Documents, savedDocument{d.path, d.size, d.modTime, d.digest.Load()})
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
func restore(data []byte, document func(savedDocument) *document) *index {
	end := len(data) - 4
	if end < 0 || checksum(data[:end]) != binary.LittleEndian.Uint32(data[end:]) {
		return nil
	}
	encoded, ok := bytes.CutPrefix(data[:end], []byte(indexFormat))
	var s savedIndex
	if !ok || gob.NewDecoder(bytes.NewReader(encoded)).Decode(&s) != nil {
		return nil
	}
	x := &index{passages: s.Passages, terms: s.Terms, starts: s.Starts, where: make([]uint32, len(s.Weights)), weights: s.Weights}
	if _, err := binary.Decode(s.Where, binary.LittleEndian, x.where); err != nil {
		return nil
	}
	for _, d := range s.Documents {
		x.docs = append(x.docs, document(d))
		x.docs[len(x.docs)-1].digest.Store(d.Digest)
	}
	x.weigh()
	return x
}
