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
	maxPrefixed = 32 // words that its last word may be the beginning of
)

// Parameters of BM25, as usual.
const (
	k1 = 1.2
	b  = 0.75
)

// fewWords is what a passage is taken to have at least, lest a heading with no text below be the best answer.
const fewWords = 24

// A term is a word of a query with the postings of all it stands for.
type term struct {
	word  string // as it is written, folded
	stem  string
	from  []int // in index.terms
	share []float32
}

// parse finds the words of a query in the index. Those that say nothing are left out unless there are no others.
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

// find looks a term up, and if it is the last also the words that begin with it.
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
		share = 0.2 // it is a word already
	}
	first, _ := slices.BinarySearch(x.terms, t.word)
	for i := first; i < len(x.terms) && i < first+maxPrefixed && strings.HasPrefix(x.terms[i], t.word); i++ {
		add(i, share)
	}
	// The stem of the word it will be may be shorter than what is typed by now: "configura" and "configur".
	for n := len(t.word) - 1; len(t.from) == 0 && n >= max(4, len(t.word)-4); n-- {
		if i, ok := slices.BinarySearch(x.terms, t.word[:n]); ok {
			add(i, share)
		}
	}
}

// A board is where a search adds up. Its values are 0 between searches.
type board struct {
	scores []float32
	count  []uint8 // terms that a passage holds
	latest []uint8 // the last of them, from 1
}

var boards = sync.Pool{New: func() any { return new(board) }}

// A found is a passage with its score.
type found struct {
	passage uint32
	score   float32
}

func (a found) compare(b found) int {
	return cmp.Or(-cmp.Compare(a.score, b.score), cmp.Compare(a.passage, b.passage))
}

// rank returns the best passages that hold any of the terms, best first, and at most perDoc of a document.
func (x *index) rank(terms []term, limit, perDoc int) []found {
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
	// Documents' passages follow each other, so that one pass finds the best of each and of all.
	var best, ofDoc []found
	for p := 0; p < n; {
		doc := x.passages[p].doc
		ofDoc = ofDoc[:0]
		for ; p < n && x.passages[p].doc == doc; p++ {
			if score := bd.scores[p]; score > 0 {
				score *= float32(bd.count[p]) / float32(len(terms))
				ofDoc = insert(ofDoc, found{uint32(p), score}, perDoc)
				bd.scores[p], bd.count[p], bd.latest[p] = 0, 0, 0
			}
		}
		for _, f := range ofDoc {
			best = insert(best, f, limit)
		}
	}
	return best
}

// insert keeps the best of what it is given, in order.
func insert(list []found, f found, limit int) []found {
	if len(list) == limit && f.compare(list[limit-1]) >= 0 {
		return list
	}
	at, _ := slices.BinarySearchFunc(list, f, found.compare)
	list = slices.Insert(list, at, f)
	return list[:min(len(list), limit)]
}

// addUp adds what a term is worth to the passages that hold it.
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
			if bd.latest[p] != number { // several words may stand for a term
				bd.latest[p] = number
				bd.count[p]++
			}
		}
	}
}
