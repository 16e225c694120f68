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

// The overlap of a query with a name, from 0 to 1, is squared and multiplied by these. The score of
// the text is 1 at most.
const (
	titleBonus   = 2
	headingBonus = 1
)

// What a word in the names of a passage, and in the names above it, adds to its count in the text.
const (
	namedWeight   = 4
	contextWeight = 2
)

// othersShare is the share of the scores of a document's other passages that each passage gets: of
// two similar passages, the one whose document says more about the query comes first.
const othersShare = 0.05

// elsewhere is what the marks of a posting add to the count of the word, by weight / (maxCount +
// 1).
var elsewhere = func() (w [16]float32) {
	for marks := range w {
		for i, weight := range [...]float32{namedWeight, namedWeight, namedWeight, contextWeight} { // in the order of the marks
			if marks>>i&1 != 0 {
				w[marks] += weight
			}
		}
	}
	return w
}()

// A term is a word of a query with the postings of all words that it matches.
type term struct {
	word  string // as written, folded
	stem  string
	whole bool  // an identifier whose parts are terms too
	from  []int // in index.terms
	share []float32
	idf   float32
}

// parse finds the words of a query in the index. It drops stop words unless there are no others.
func (x *index) parse(query string) []term {
	var terms, stops []term
	seen := make(map[string]bool)
	last := -1
	new(splitter).words(query, func(word []byte, at int) {
		t := term{word: string(word), stem: string(stem(slices.Clone(word))), whole: at <= last}
		last = at
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
		terms[i].idf = x.idf(terms[i].from)
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

// A board holds the sums of a search, by passage. All values are zero between searches.
type board []tally

// A tally is what one passage contains of the terms of a query.
type tally struct {
	score  float32
	named  float32 // idf of the terms in its names and in those above it
	name   float32 // number of terms in the file name
	title  float32 // in the title
	head   float32 // in the heading
	count  uint8   // terms that the passage contains
	latest uint8   // the last such term, from 1
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
func (x *index) rank(terms []term, limit, perDoc int, only *filter) []scored {
	bd := boards.Get().(*board)
	defer boards.Put(bd)
	n := len(x.passages)
	if len(*bd) < n {
		*bd = make(board, n)
	}
	var all float32 // idf of the terms
	matched := 0
	for i, t := range terms {
		all += t.idf
		if len(t.from) > 0 {
			matched++
			x.addUp(*bd, t, uint8(i+1))
		}
	}
	if matched == 0 {
		return nil
	}
	scale := 1 / (all * (k1 + 1) * float32(len(terms)))
	// The passages of a document are adjacent, so one pass finds the best of each document and of
	// all.
	var best, ofDoc []scored
	for p := 0; p < n; {
		start, doc := p, x.passages[p].doc
		var sum float32
		for ; p < n && x.passages[p].doc == doc; p++ {
			t := &(*bd)[p]
			if t.count == 0 {
				continue
			}
			t.score *= scale * float32(t.count)
			if t.named > 0 {
				t.score += t.bonus(x.passages[p].named, t.named/all)
			}
			sum += t.score
		}
		if sum == 0 {
			continue
		}
		ofDoc = ofDoc[:0]
		selected := only.selects(x.docs[doc])
		for i := start; i < p; i++ {
			if t := &(*bd)[i]; t.count > 0 {
				if !selected {
					*t = tally{}
					continue
				}
				ofDoc = insert(ofDoc, scored{uint32(i), t.score + othersShare*(sum-t.score)}, perDoc)
				*t = tally{}
			}
		}
		for _, f := range ofDoc {
			best = insert(best, f, limit)
		}
	}
	return best
}

// bonus returns the score of a passage for its names. ofQuery is the share of the query that is in
// them or in those above it.
func (t *tally) bonus(words naming, ofQuery float32) float32 {
	ofQuery = min(ofQuery, 1)
	overlap := func(found float32, words uint8) float32 {
		if found == 0 || words == 0 {
			return 0
		}
		ofName := min(found/float32(words), 1)
		return 2 * ofQuery * ofName / (ofQuery + ofName)
	}
	title, heading := max(overlap(t.name, words.name), overlap(t.title, words.title)), overlap(t.head, words.heading)
	return titleBonus*title*title + headingBonus*heading*heading
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

// idf returns the inverse document frequency of a word that matches these terms.
func (x *index) idf(from []int) float32 {
	var holders float64
	for _, i := range from {
		holders += float64(x.starts[i+1] - x.starts[i])
	}
	all := float64(len(x.passages))
	holders = min(holders, all)
	return float32(math.Log(1 + (all-holders+0.5)/(holders+0.5)))
}

// addUp adds the score of a term to the passages that contain it.
func (x *index) addUp(bd board, t term, number uint8) {
	perWord := k1 * b * float32(len(x.passages)) / float32(max(x.words, fewWords*len(x.passages))) // one over the average length
	for k, i := range t.from {
		share := t.share[k]
		worth := share * t.idf * (k1 + 1)
		for at := x.starts[i]; at < x.starts[i+1]; at++ {
			weight, passage := x.weights[at], x.where[at]
			p := &bd[passage]
			often := float32(weight&maxCount) + elsewhere[weight/(maxCount+1)]
			p.score += worth * often / (often + k1*(1-b) + perWord*float32(max(x.passages[passage].words, fewWords)))
			if p.latest != number { // several words may match a term
				p.latest = number
				p.count++
			}
			if weight <= maxCount {
				continue
			}
			p.named += share * t.idf
			if t.whole { // its parts are counted
				continue
			}
			if weight&inName != 0 {
				p.name += share
			}
			if weight&inTitle != 0 {
				p.title += share
			}
			if weight&inHeading != 0 {
				p.head += share
			}
		}
	}
}
