package docs

import (
	"slices"
	"strings"
)

// A piece holds the passages of a document in one of several runs, or in the last index, which comes after
// the runs. The pieces of a document are in the order of the runs.
type piece struct {
	doc        *document
	from       int
	start, end int
}

// A freshTerm is a stem in a run that has postings.
type freshTerm struct {
	run    uint32
	number uint32
}

// merge makes an index of runs and of the last index. It drops the passages of documents of the last
// index that are not kept, and the terms that only they had.
func merge(last *index, runs []*run, keep func(*document) bool) *index {
	out := new(index)
	kept, numbers := out.arrange(last, runs, keep)

	// places holds the number of postings by run and stem, and then the place of the next posting.
	places, total, stems := make([][]uint32, len(runs)), len(last.where), 0
	for i, r := range runs {
		total, stems = total+r.count, stems+len(r.stems)
		places[i] = make([]uint32, len(r.stems))
		for _, postings := range r.postings {
			for _, p := range postings {
				places[i][p.stem()]++
			}
		}
	}
	fresh := make([]freshTerm, 0, stems)
	for i := range runs {
		for n, c := range places[i] {
			if c > 0 { // a stop word may have no postings
				fresh = append(fresh, freshTerm{uint32(i), uint32(n)})
			}
		}
	}
	term := func(f freshTerm) string { return runs[f.run].stems[f.number] }
	slices.SortFunc(fresh, func(a, b freshTerm) int { return strings.Compare(term(a), term(b)) })
	terms := len(last.terms)
	for i, f := range fresh {
		if i == 0 || term(f) != term(fresh[i-1]) {
			terms++
		}
	}
	out.terms, out.starts = make([]string, 0, terms), make([]uint32, 0, terms+1)
	out.where, out.weights = make([]uint32, total), make([]uint8, total)
	next := uint32(0)
	for n := 0; n < len(last.terms) || len(fresh) > 0; {
		until := len(last.terms)
		if len(fresh) > 0 {
			until = n + smaller(last.terms[n:], term(fresh[0]))
		}
		for ; n < until; n++ { // nearly all, after the change of one document
			start := next
			if next = out.take(last, n, numbers, next); next > start {
				out.terms, out.starts = append(out.terms, last.terms[n]), append(out.starts, start)
			}
		}
		if len(fresh) == 0 {
			break
		}
		word := term(fresh[0])
		out.terms, out.starts = append(out.terms, word), append(out.starts, next)
		if n < len(last.terms) && last.terms[n] == word {
			next = out.take(last, n, numbers, next)
			n++
		}
		for len(fresh) > 0 && term(fresh[0]) == word {
			count := &places[fresh[0].run][fresh[0].number]
			*count, next = next, next+*count
			fresh = fresh[1:]
		}
	}
	out.starts = append(out.starts, next)
	out.where, out.weights = out.where[:next], out.weights[:next]

	number := uint32(0)
	for _, k := range kept {
		if k.from == len(runs) {
			number += uint32(k.end - k.start)
			continue
		}
		r, places := runs[k.from], places[k.from]
		for _, postings := range r.postings[k.start:k.end] {
			for _, p := range postings {
				to := places[p.stem()]
				places[p.stem()] = to + 1
				out.where[to], out.weights[to] = number, p.weight()
			}
			number++
		}
	}
	out.weigh()
	return out
}

// take copies the postings of a term from the last index, for passages that are kept. It returns the place of
// the next posting.
func (x *index) take(last *index, term int, numbers []uint32, next uint32) uint32 {
	begin, end := last.starts[term], last.starts[term+1]
	weights := last.weights[begin:end]
	for i, passage := range last.where[begin:end] {
		if number := numbers[passage]; number != gone {
			x.where[next], x.weights[next] = number, weights[i]
			next++
		}
	}
	return next
}

// smaller returns how many sorted terms are less than a term, in time that grows with the logarithm of the
// result.
func smaller(terms []string, term string) int {
	most := 1
	for most < len(terms) && terms[most-1] < term {
		most *= 2
	}
	n, _ := slices.BinarySearch(terms[:min(most, len(terms))], term)
	return n
}

// gone is the number of a passage that is not kept.
const gone = ^uint32(0)

// arrange gives an index the documents and passages of runs, and those of the last index that are kept. It
// returns their pieces in order, and the new numbers of the passages of the last index.
func (x *index) arrange(last *index, runs []*run, keep func(*document) bool) (kept []piece, numbers []uint32) {
	split := func(from int, docs []*document, passages []passage) {
		for start := 0; start < len(passages); {
			doc, end := passages[start].doc, start+1
			for end < len(passages) && passages[end].doc == doc {
				end++
			}
			if from < len(runs) || keep(docs[doc]) {
				kept = append(kept, piece{docs[doc], from, start, end})
			}
			start = end
		}
	}
	size := len(last.passages)
	for i, r := range runs {
		split(i, r.docs, r.passages)
		size += len(r.passages)
	}
	split(len(runs), last.docs, last.passages)
	// The order is the order of the paths, which does not depend on the order of edits: it decides between
	// passages with the same rank.
	slices.SortStableFunc(kept, func(a, b piece) int { return strings.Compare(a.doc.path, b.doc.path) })
	numbers = slices.Repeat([]uint32{gone}, len(last.passages))
	x.passages = make([]passage, 0, size)
	for _, k := range kept {
		if n := len(x.docs); n == 0 || x.docs[n-1] != k.doc {
			x.docs = append(x.docs, k.doc)
		}
		from := last.passages
		if k.from < len(runs) {
			from = runs[k.from].passages
		}
		for n := k.start; n < k.end; n++ {
			if k.from == len(runs) {
				numbers[n] = uint32(len(x.passages))
			}
			passage := from[n]
			passage.doc = uint32(len(x.docs) - 1)
			x.passages = append(x.passages, passage)
			x.words += int(passage.words)
		}
	}
	x.passages = slices.Clip(x.passages)
	return kept, numbers
}

// A run is the postings of some documents as a writer finds them. [merge] sorts them by their terms.
type run struct {
	docs     []*document
	passages []passage
	words    int         // in all passages
	postings [][]posting // of each passage
	count    int         // of postings
	stems    []string    // by number
}

// A posting is the number of a stem and, in the lowest byte, its weight in a passage. It takes 4
// bytes, and 5 in an index.
type posting uint32

func (p posting) stem() uint32  { return uint32(p >> 8) }
func (p posting) weight() uint8 { return uint8(p) }

// maxPostings bounds a run, so that the numbers of its stems, with those of one passage more, fit into 24 bits.
const maxPostings = 1 << 20

// full reports whether the next passage should be in another run.
func (r *run) full() bool { return r.count >= maxPostings }

// add adds a passage with its stems and their weights.
func (r *run) add(p passage, stems []uint32, weights []uint8) {
	postings := make([]posting, len(stems))
	for i, n := range stems {
		postings[i] = posting(n<<8 | uint32(weights[n]))
	}
	r.passages, r.postings = append(r.passages, p), append(r.postings, postings)
	r.words, r.count = r.words+int(p.words), r.count+len(stems)
}
