package docs

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"path"
	"slices"
	"sync"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// Parameters of BM25. Passages are of similar length, so length counts less than usual.
const (
	k1 = 1.2
	b  = 0.5
)

// fewWords is the minimum length that ranking assumes for a passage, so that a heading without text
// is not the best answer.
const fewWords = 24

// titleBonus is how much more the overlap of a query with a title counts than with a heading, whose square, from 0 to 1, is
// added to the score. The score of the text is at most 0.75.
const titleBonus = 2.4

// writtenBonus is added to the score of a passage that has the query word for word: more than half of its words in a title add,
// and less than a title of all its words adds.
const writtenBonus = 0.5

// markedWeight is how much each mark of a posting adds to the count of the word in the text.
const markedWeight = 2

// othersShare returns the share of the scores of a document's other passages that each of n passages gets: of two similar
// passages, the one in the document with more about the query comes first.
func othersShare(n int) float32 { return 0.4 / float32(math.Sqrt(float64(n))) }

// crowded returns what remains of the score of one of n passages of a document that lacks some terms of the query, which count
// twice: one of many passages has the other terms by chance. Programs in other languages compute the same square roots.
func crowded(score float32, n, lacking int) float32 {
	root := float64(n)
	for range 6 {
		root = math.Sqrt(root)
	}
	for range lacking {
		score /= float32(root)
	}
	return score
}

// The shares of documents that are not of the class main, of texts of sources next to documents, and of documents whose names begin
// with a date.
const (
	otherClass  = 0.45
	lastClass   = 0.2
	sourceShare = 0.3
	datedShare  = 0.9
	// of a page of few words, such as a redirect, unless it stands for its folder
	thinShare = 0.85
)

var dated = lazyregexp.New(`^[12][0-9]{3}-?[01][0-9]-?[0-3][0-9](?:[^0-9]|$)`)

// share returns what the scores of a document of so many words are multiplied with.
func (l *Library) share(d *document, words int) float32 {
	share := float32(1)
	switch p := d.page(); {
	case d.uri != "" && l.Len() > 0:
		share = sourceShare
	case p != nil && p.Class == site.Other:
		share = otherClass
	case p != nil && p.Class == site.Last:
		share = lastClass
	}
	if dated().MatchString(path.Base(d.path)) {
		share *= datedShare
	}
	if words < fewWords && !isIndex(d.path) {
		share *= thinShare
	}
	return share
}

// A board holds the sums of a search, by passage. All values are zero between searches.
type board []tally

// A tally is what one passage contains of the terms of a query.
type tally struct {
	score  float32
	named  float32 // idf of the terms in its names and in the names above it
	found  naming  // weights of the terms in its names
	count  uint8   // terms that the passage contains
	same   uint8   // terms for which the passage has only words that mean the same
	latest uint8   // the last of these terms, from 1
}

// has returns how many terms a passage contains, doubled: a word that means the same counts half.
func (t *tally) has() int { return 2*int(t.count) - int(t.same) }

// toOthers returns how much of the score counts for other passages of the document. Nearly every passage of a long document has
// some words of a long query, so a passage with less than half of the words counts less.
func (t *tally) toOthers(terms int) float32 {
	return t.score * min(1, float32(t.has())/float32(terms))
}

var boards = sync.Pool{New: func() any { return new(board) }}

// A scored is a passage with its score.
type scored struct {
	passage uint32
	score   float32
}

// A ranked is a document with its best passages, best first.
type ranked []scored

func (a scored) compare(b scored) int {
	return cmp.Or(-cmp.Compare(a.score, b.score), cmp.Compare(a.passage, b.passage))
}

func (a ranked) compare(b ranked) int { return a[0].compare(b[0]) }

// A ranking orders documents by the terms of a wording.
type ranking struct {
	terms   []term
	only    *filter  // nil: all documents
	within  []uint32 // the only passages that count; nil: all
	written []uint32 // passages that have the query word for word
	// what the scores of a document with this many words are multiplied with
	share func(*document, int) float32
}

// rank returns the best documents, at most limit, by their best passages that contain any of the terms, with at most perDoc passages of
// each. It returns none if ctx has ended: matching a filter may take long.
func (x *index) rank(ctx context.Context, r ranking, limit, perDoc int) []ranked {
	bd := boards.Get().(*board)
	defer boards.Put(bd)
	n := len(x.passages)
	if len(*bd) < n {
		*bd = make(board, n)
	}
	var all float32 // idf of the terms
	matched, naming := 0, r.only.naming(r.terms)
	for i, t := range r.terms {
		all += t.idf
		if len(t.from) > 0 || len(t.passages) > 0 {
			matched++
			x.addUp(*bd, t, uint8(i+1))
		}
	}
	if matched == 0 {
		return nil
	}
	// The passages of a document are adjacent, so one pass finds the best of each document and of
	// all.
	var best []ranked
	var ofDoc ranked
	for p := 0; p < n; {
		start := p
		var sum float32
		var found, words int
		p, found, words, sum = x.settle(*bd, r, start, all)
		if sum == 0 {
			continue
		}
		ofDoc = ofDoc[:0]
		doc := x.docs[x.passages[start].Document]
		others := othersShare(found)
		selected, ofClass := ctx.Err() == nil && r.only.selects(doc), r.share(doc, words)
		for i := start; i < p; i++ {
			t := &(*bd)[i]
			if t.count == 0 {
				continue
			}
			if selected {
				score := ofClass * crowded(t.score+others*(sum-t.toOthers(len(r.terms))), found, 2*len(r.terms)-t.has())
				if r.only != nil && r.only.shares != nil {
					score *= r.only.ofPackage(doc, x.passages[i].Heading, float32(i-start)/float32(p-start), naming >= 0 && (int(t.count-t.same) > naming || naming == len(r.terms)))
				}
				ofDoc = insert(ofDoc, scored{uint32(i), score}, perDoc, scored.compare)
			}
			*t = tally{}
		}
		if len(ofDoc) > 0 && (len(best) < limit || ofDoc.compare(best[limit-1]) < 0) {
			best = insert(best, slices.Clone(ofDoc), limit, ranked.compare)
		}
	}
	return best
}

// settle makes scores of the tallies of the document whose first passage is start. all is the idf of all terms. It returns the passage after the
// document, how many of its passages count, its words, and what each passage adds to the others.
func (x *index) settle(bd board, r ranking, start int, all float32) (p, found, words int, sum float32) {
	scale := 0.5 / (all * (k1 + 1))
	for p = start; p < len(x.passages) && x.passages[p].Document == x.passages[start].Document; p++ {
		words += int(x.passages[p].Words)
		t := &bd[p]
		if t.count > 0 && r.within != nil {
			if _, ok := slices.BinarySearch(r.within, uint32(p)); !ok {
				*t = tally{}
			}
		}
		if t.count == 0 {
			continue
		}
		share := float32(t.has()) / float32(2*len(r.terms))
		t.score *= scale * (1 + share/2)
		if t.named > 0 {
			t.score += share * t.bonus(x.passages[p].named, t.named/all)
		}
		if _, ok := slices.BinarySearch(r.written, uint32(p)); ok {
			t.score += writtenBonus
		}
		sum += t.toOthers(len(r.terms))
		found++
	}
	return p, found, words, sum
}

// bonus returns the score of a passage for its names. ofQuery is the share of the query in its
// names or the names above it.
func (t *tally) bonus(names naming, ofQuery float32) float32 {
	ofQuery = min(ofQuery, 1)
	overlap := func(found, name float32) float32 {
		if found == 0 || name == 0 {
			return 0
		}
		ofName := min(found/name, 1)
		return 2 * ofQuery * ofName / (ofQuery + ofName)
	}
	title, heading := max(overlap(t.found.name, names.name), overlap(t.found.title, names.title)), overlap(t.found.heading, names.heading)
	return titleBonus*title*title + heading*heading
}

// insert inserts an item into a sorted list and keeps the best entries up to limit.
func insert[T any](list []T, item T, limit int, compare func(a, b T) int) []T {
	if len(list) == limit && compare(item, list[limit-1]) >= 0 {
		return list
	}
	place, _ := slices.BinarySearchFunc(list, item, compare)
	list = slices.Insert(list, place, item)
	return list[:min(len(list), limit)]
}

// idf returns the inverse document frequency of a word that matches these terms.
func (x *index) idf(from []int) float32 { return x.rarity(x.holding(from)) }

// rarity returns the inverse document frequency of a word that so many passages have.
func (x *index) rarity(holders int) float32 {
	all := float64(x.counted)
	n := min(float64(holders), all)
	return float32(math.Log(1 + (all-n+0.5)/(n+0.5)))
}

// holding returns the number of passages that contain one of these terms.
func (x *index) holding(from []int) int {
	n := 0
	for _, i := range from {
		n += int(x.holders[i])
	}
	return n
}

// nameWeight returns the weight of a term in a name. Rare words have more weight, but each word has
// some.
func (x *index) nameWeight(i int) float32 { return 3 + x.idf([]int{i}) }

// addUp adds the score of a term to the passages that contain it.
func (x *index) addUp(bd board, t term, number uint8) {
	for _, passage := range t.passages {
		p := &bd[passage]
		p.score += t.idf
		p.count++
	}
	// the inverse of the average length
	perWord := k1 * b * float32(x.counted) / float32(max(x.words, fewWords*x.counted))
	for k, i := range t.from {
		share := t.share[k]
		worth, nameWeight := share*t.idf*(k1+1), share*x.nameWeight(i)
		for j := x.starts[i]; j < x.starts[i+1]; j++ {
			weight, passage := x.weights[j], x.where[j]
			p := &bd[passage]
			same := k >= len(t.from)-t.same
			if same && p.latest == number {
				continue
			}
			often := float32(weight&maxCount) + markedWeight*float32(bits.OnesCount8(weight&^maxCount))
			p.score += worth * often / (often + k1*(1-b) + perWord*float32(max(x.passages[passage].Words, fewWords)))
			if p.latest != number { // several words may match a term
				p.latest = number
				if p.count++; same {
					p.same++
				}
			}
			if weight <= maxCount || same {
				continue
			}
			// of a whole identifier, the parts are counted
			if p.named += share * t.idf; !t.whole {
				p.found.add(weight, nameWeight)
			}
		}
	}
}
