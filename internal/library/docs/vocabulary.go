package docs

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Indexed reports whether the index is ready.
func (l *Library) Indexed() bool { return l.Len() == 0 || l.index.Load() != nil }

// Await waits for the index as a search does: for a second if it is being built. The error is the
// error of ctx.
func (l *Library) Await(ctx context.Context) error {
	if l.Indexed() {
		return nil
	}
	_, err := l.await(ctx, false, indexWait)
	return err
}

// Figures describe the size of an index. All are 0 until the index is ready.
type Figures struct {
	Documents, Passages int
	Words               int // in all passages
	Terms               int // different words, reduced to their stems
}

// Figures returns the figures of the index.
func (l *Library) Figures() Figures {
	x := l.peek()
	documents := 0
	for _, d := range x.docs {
		if d.uri == "" {
			documents++
		}
	}
	return Figures{documents, len(x.passages), x.words, len(x.terms)}
}

func (l *Library) peek() *index {
	if l != nil {
		if x := l.index.Load(); x != nil {
			return x
		}
	}
	return new(index)
}

// A Keyword is a word that describes the subject of many of the documents.
type Keyword struct {
	Word      string // in lower case, as headings and file names spell it
	Documents int    // that contain it
}

const (
	// keywordCandidates bounds for how many terms the postings are counted, for each wanted
	// keyword.
	keywordCandidates = 20
	// nameWorth is the weight of a document with the word in a heading, its title or its name; a
	// document with the word only in its text has the weight 1.
	nameWorth = 6
	// spellings bounds how many names are read to find how a term is spelled.
	spellings = 64
)

// Keywords returns the words by which the documents could be found, best first: the words in
// headings, titles and file names with the highest product of their frequency in all texts and the
// logarithm of how few documents contain them. A word that all documents contain still counts a
// little. Keywords reads only the index, which holds no text but headings. It first selects terms
// by their number of postings, so it takes one pass over the vocabulary.
func (l *Library) Keywords(most int) []Keyword {
	x := l.peek()
	type candidate struct {
		term, documents int
		score           float64
	}
	byScore := func(a, b candidate) int { return cmp.Or(-cmp.Compare(a.score, b.score), cmp.Compare(a.term, b.term)) }
	passages, limit := float64(len(x.passages)), keywordCandidates*most
	var rough []candidate // sorted
	for i, term := range x.terms {
		holders := float64(x.starts[i+1] - x.starts[i])
		c := candidate{term: i, score: holders * math.Log(1+passages/holders)}
		if len(rough) == limit && c.score <= rough[limit-1].score || !keyword(term) {
			continue
		}
		place, _ := slices.BinarySearchFunc(rough, c, byScore)
		rough = slices.Insert(rough, place, c)
		rough = rough[:min(len(rough), limit)]
	}
	// The number of the last candidate that each document contains, and of the last one in its
	// names.
	seen, seenNamed := make([]int, len(x.docs)), make([]int, len(x.docs))
	for n := range rough {
		c := &rough[n]
		count, named := 0, 0
		for j := x.starts[c.term]; j < x.starts[c.term+1]; j++ {
			weight, doc := x.weights[j], x.passages[x.where[j]].doc
			count += int(weight & maxCount)
			if weight&(inName|inTitle|inHeading) != 0 && seenNamed[doc] != n+1 { // a long section is many passages
				seenNamed[doc] = n + 1
				named++
			}
			if seen[doc] != n+1 {
				seen[doc] = n + 1
				c.documents++
			}
		}
		if c.score = 0; named > 0 {
			c.score = float64(count+nameWorth*named) * math.Log((float64(len(x.docs))*1.5+1)/float64(c.documents))
		}
	}
	slices.SortFunc(rough, byScore)
	var out []Keyword
	for _, c := range rough {
		if len(out) == most || c.score == 0 {
			break
		}
		if word := x.spelling(c.term); word != "" && !slices.ContainsFunc(out, func(k Keyword) bool { return k.Word == word }) {
			out = append(out, Keyword{word, c.documents})
		}
	}
	return out
}

// keyword reports whether a stem may belong to a keyword.
func keyword(term string) bool {
	if len(term) < 3 || utf8.RuneCountInString(term) < 2 || stopWords[term] || commonStems()[term] {
		return false
	}
	return strings.IndexFunc(term, unicode.IsLetter) == 0
}

// commonStems are the stems of words that are frequent in headings but do not describe a subject.
var commonStems = sync.OnceValue(func() map[string]bool {
	stems := make(map[string]bool)
	for w := range strings.FieldsSeq("about above after again all also always another any because before behind below between both " +
		"but cannot does down each either else even ever every few first get gets give given gives goes had has have here how " +
		"into itself just know last least less like made make makes many may might more most much must need needs never new next " +
		"none not nothing now off once one ones only other others our out over own own please same says see should since some such " +
		"than their them then there these they thing things this those through two under until use used user uses using very want " +
		"was way ways well were what when where whether which while who whom whose why will with without would yes yet") {
		stems[w], stems[string(stem([]byte(w)))] = true, true
	}
	return stems
})

// spelling returns the most frequent word of a term in headings, titles and file names, or "" if
// the term occurs there only as a whole identifier.
func (x *index) spelling(term int) string {
	var named []uint32
	for j := x.starts[term]; j < x.starts[term+1]; j++ {
		if x.weights[j]&(inName|inTitle|inHeading) != 0 {
			named = append(named, x.where[j])
		}
	}
	slices.Sort(named) // postings are in the order of edits
	counts := make(map[string]int)
	var s splitter
	for _, passage := range named[:min(len(named), spellings)] {
		p := x.passages[passage]
		name, _ := cutExtension(x.docs[p.doc].path)
		for _, text := range [...]string{p.heading, baseName(name)} {
			last := -1
			s.words(text, func(word []byte, begin int) {
				if begin > last && string(stem(slices.Clone(word))) == x.terms[term] {
					counts[string(word)]++
				}
				last = begin
			})
		}
	}
	best := ""
	for word, n := range counts {
		if m := counts[best]; best == "" || n > m || n == m && (len(word) < len(best) || len(word) == len(best) && word < best) {
			best = word
		}
	}
	return best
}
