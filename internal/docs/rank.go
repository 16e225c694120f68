package docs

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
)

const (
	maxTerms    = 24 // different words of a query that are looked up
	maxPrefixed = 32 // words that begin with its last word
)

// Parameters of BM25, as usual.
const (
	k1 = 1.2
	b  = 0.75
)

// fewWords is the minimum length that ranking assumes for a passage, so that a heading without text
// is not the best answer.
const fewWords = 24

// A term is a word of a query with the postings of all words that it matches.
type term struct {
	word  string // as written, folded
	stem  string
	from  []int // in index.terms
	share []float32
}

// parse finds the words of a query in the index. It drops stop words unless there are no others.
func (x *index) parse(query string) []term {
	var terms, stops []term
	seen := make(map[string]bool)
	new(splitter).words(query, func(word []byte, _ int) {
		t := term{word: string(word), stem: string(stem(slices.Clone(word)))}
		switch {
		case seen[t.stem] || len(seen) >= maxTerms:
			return
		case stopWords[t.word]:
			stops = append(stops, t)
		default:
			terms = append(terms, t)
		}
		seen[t.stem] = true
	})
	if len(terms) == 0 {
		terms = stops
	}
	for i := range terms {
		x.find(&terms[i], i == len(terms)-1)
	}
	return terms
}

// find looks up a term and, if it is the last one, also the words that begin with it.
func (x *index) find(t *term, last bool) {
	add := func(i int, share float32) {
		if !slices.Contains(t.from, i) {
			t.from, t.share = append(t.from, i), append(t.share, share)
		}
	}
	if i, ok := slices.BinarySearch(x.terms, t.stem); ok {
		add(i, 1)
	}
	if !last || len(t.word) < 2 {
		return
	}
	share := float32(0.8)
	if len(t.from) > 0 {
		share = 0.2 // it is a complete word
	}
	first, _ := slices.BinarySearch(x.terms, t.word)
	for i := first; i < len(x.terms) && i < first+maxPrefixed && strings.HasPrefix(x.terms[i], t.word); i++ {
		add(i, share)
	}
	// The stem of the complete word may be shorter than the typed prefix: "configura" and
	// "configur".
	for n := len(t.word) - 1; len(t.from) == 0 && n >= max(4, len(t.word)-4); n-- {
		if i, ok := slices.BinarySearch(x.terms, t.word[:n]); ok {
			add(i, share)
		}
	}
}

// A board holds the sums of a search. Its values are 0 between searches.
type board struct {
	scores []float32
	count  []uint8 // terms that a passage holds
	latest []uint8 // the last such term, from 1
}

var boards = sync.Pool{New: func() any { return new(board) }}

// A scored is a passage with its score.
type scored struct {
	passage uint32
	score   float32
}

func (a scored) compare(b scored) int {
	return cmp.Or(-cmp.Compare(a.score, b.score), cmp.Compare(a.passage, b.passage))
}

// rank returns the best passages that contain any of the terms, best first, at most perDoc of each
// document.
func (x *index) rank(terms []term, limit, perDoc int) []scored {
	bd := boards.Get().(*board)
	defer boards.Put(bd)
	n := len(x.passages)
	if len(bd.scores) < n {
		bd.scores, bd.count, bd.latest = make([]float32, n), make([]uint8, n), make([]uint8, n)
	}
	matched := 0
	for i, t := range terms {
		if len(t.from) > 0 {
			matched++
			x.addUp(bd, t, uint8(i+1))
		}
	}
	if matched == 0 {
		return nil
	}
	// The passages of a document are adjacent, so one pass finds the best of each document and of
	// all.
	var best, ofDoc []scored
	for p := 0; p < n; {
		doc := x.passages[p].doc
		ofDoc = ofDoc[:0]
		for ; p < n && x.passages[p].doc == doc; p++ {
			if score := bd.scores[p]; score > 0 {
				score *= float32(bd.count[p]) / float32(len(terms))
				ofDoc = insert(ofDoc, scored{uint32(p), score}, perDoc)
				bd.scores[p], bd.count[p], bd.latest[p] = 0, 0, 0
			}
		}
		for _, f := range ofDoc {
			best = insert(best, f, limit)
		}
	}
	return best
}

// insert inserts f into a sorted list and keeps the best entries up to limit.
func insert(list []scored, f scored, limit int) []scored {
	if len(list) == limit && f.compare(list[limit-1]) >= 0 {
		return list
	}
	at, _ := slices.BinarySearchFunc(list, f, scored.compare)
	list = slices.Insert(list, at, f)
	return list[:min(len(list), limit)]
}

// addUp adds the score of a term to the passages that contain it.
func (x *index) addUp(bd *board, t term, number uint8) {
	var holders float64
	for _, i := range t.from {
		holders += float64(x.starts[i+1] - x.starts[i])
	}
	all := float64(len(x.passages))
	holders = min(holders, all)
	idf := float32(math.Log(1 + (all-holders+0.5)/(holders+0.5)))
	perWord := k1 * b * float32(all) / float32(max(x.words, 1)) // one over the average length
	for k, i := range t.from {
		worth := t.share[k] * idf * (k1 + 1)
		for at := x.starts[i]; at < x.starts[i+1]; at++ {
			p, often := x.where[at], float32(x.weights[at])
			bd.scores[p] += worth * often / (often + k1*(1-b) + perWord*float32(max(x.passages[p].words, fewWords)))
			if bd.latest[p] != number { // several words may match a term
				bd.latest[p] = number
				bd.count[p]++
			}
		}
	}
}
