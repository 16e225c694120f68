package docs

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"hash/crc32"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/analysis"
)

// A piece holds the passages of a document in one of several parts of an index. The pieces of a document are in the order of
// the parts.
type piece struct {
	doc        *document
	part       int
	start, end int
}

// gone is the number of a passage that is not kept.
const gone = ^uint32(0)

// merge makes an index of the indexes of some documents. It drops the passages of documents that are not kept, and the terms
// that only they had.
func merge(parts []*index, keep func(*document) bool) *index {
	out := new(index)
	numbers := out.arrange(parts, keep)
	postings, terms := 0, 0
	for _, p := range parts {
		postings, terms = postings+len(p.where), max(terms, len(p.terms))
	}
	out.where, out.weights = make([]uint32, postings), make([]uint8, postings)
	out.terms, out.starts = make([]string, 0, terms), make([]uint32, 0, terms+1)
	end, next := uint32(0), make([]int, len(parts)) // next: the next term of each part
	for {
		term, found := "", false
		for i, p := range parts {
			if n := next[i]; n < len(p.terms) && (!found || p.terms[n] < term) {
				term, found = p.terms[n], true
			}
		}
		if !found {
			break
		}
		start := end
		for i, p := range parts {
			if n := next[i]; n < len(p.terms) && p.terms[n] == term {
				end = out.take(p, n, numbers[i], end)
				next[i]++
			}
		}
		if end > start {
			out.terms, out.starts = append(out.terms, term), append(out.starts, start)
		}
	}
	out.starts = append(out.starts, end)
	out.where, out.weights = out.where[:end], out.weights[:end]
	out.weigh()
	return out
}

// take copies the postings of a term of a part, for passages that are kept. It returns the place of the next posting.
func (x *index) take(part *index, term int, numbers []uint32, next uint32) uint32 {
	begin, end := part.starts[term], part.starts[term+1]
	weights := part.weights[begin:end]
	for i, passage := range part.where[begin:end] {
		if number := numbers[passage]; number != gone {
			x.where[next], x.weights[next] = number, weights[i]
			next++
		}
	}
	return next
}

// arrange gives an index the documents and passages of parts that are kept. It returns the new numbers of the passages of
// each part.
func (x *index) arrange(parts []*index, keep func(*document) bool) (numbers [][]uint32) {
	var kept []piece
	size := 0
	for i, p := range parts {
		size += len(p.passages)
		numbers = append(numbers, slices.Repeat([]uint32{gone}, len(p.passages)))
		for start := 0; start < len(p.passages); {
			doc, end := p.passages[start].Document, start+1
			for end < len(p.passages) && p.passages[end].Document == doc {
				end++
			}
			if keep(p.docs[doc]) {
				kept = append(kept, piece{p.docs[doc], i, start, end})
			}
			start = end
		}
	}
	// The order is the order of the paths, which does not depend on the order of edits: it decides between
	// passages with the same rank.
	slices.SortStableFunc(kept, func(a, b piece) int { return strings.Compare(a.doc.path, b.doc.path) })
	x.passages = make([]IndexedPassage, 0, size)
	for _, k := range kept {
		if n := len(x.docs); n == 0 || x.docs[n-1] != k.doc {
			x.docs = append(x.docs, k.doc)
		}
		for n := k.start; n < k.end; n++ {
			numbers[k.part][n] = uint32(len(x.passages))
			passage := parts[k.part].passages[n]
			passage.Document = uint32(len(x.docs) - 1)
			x.passages = append(x.passages, passage)
		}
	}
	return numbers
}

// weigh counts the passages, their words and the holders of each term, and sets the weights of the names of all passages. Stop
// words have no weight. Texts of sources next to documents are not counted, so that documents keep their scores.
func (x *index) weigh() {
	x.identify()
	x.holders = make([]uint32, len(x.terms))
	x.texts = !slices.ContainsFunc(x.docs, func(d *document) bool { return d.uri == "" })
	x.counted, x.words = 0, 0
	for i := range x.passages {
		p := &x.passages[i]
		if p.named = (naming{}); x.counts(uint32(i)) {
			x.counted++
			x.words += int(p.Words)
		}
	}
	for i, term := range x.terms {
		begin, end := x.starts[i], x.starts[i+1]
		var marks uint8
		for j, weight := range x.weights[begin:end] {
			marks |= weight
			if weight&^inContext != 0 && x.counts(x.where[int(begin)+j]) {
				x.holders[i]++
			}
		}
		if marks&(inName|inTitle|inHeading) == 0 || analysis.StopStems()[term] {
			continue
		}
		nameWeight := x.nameWeight(i)
		for j, weight := range x.weights[begin:end] {
			if weight&(inName|inTitle|inHeading) != 0 {
				x.passages[x.where[int(begin)+j]].named.add(weight, nameWeight)
			}
		}
	}
}

// identify finds the documents that are the same page.
func (x *index) identify() {
	x.same = make([]uint32, len(x.docs))
	first := make(map[any]uint32)
	for i, d := range x.docs {
		var ids []any
		if page := d.page(); page != nil {
			ids = append(ids, page.Key)
		}
		if digest := d.digest.Load(); digest != 0 {
			ids = append(ids, digest)
		}
		x.same[i] = uint32(i)
		for _, id := range ids {
			if j, known := first[id]; known {
				x.same[i] = min(x.same[i], j)
			}
		}
		for _, id := range ids {
			first[id] = x.same[i]
		}
	}
}

// counts reports whether a passage counts when rarity is computed.
func (x *index) counts(passage uint32) bool {
	return x.texts || x.docs[x.passages[passage].Document].uri == ""
}

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
		// the next index will not have it
		return &document{path: d.Path, size: d.Size, modTime: d.ModTime}
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
	// numbers are written without an error
	s.Where, _ = binary.Append(nil, binary.LittleEndian, x.where)
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
