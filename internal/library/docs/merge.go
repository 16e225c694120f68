package docs

import (
	"slices"
	"strings"
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
