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

// Await waits for the index as a search does: for a second if it is being built. The error is that
// of ctx.
func (l *Library) Await(ctx context.Context) error {
	if l.Indexed() {
		return nil
	}
	_, err := l.await(ctx, false)
	return err
}

// Figures say how much an index holds. All are 0 until it is ready.
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

// A Keyword is a word that says what many of the documents are about.
type Keyword struct {
	Word      string // in lower case, as headings and file names spell it
	Documents int    // that contain it
}

const (
	// keywordCandidates bounds how many terms are looked at more closely, for each keyword that is
	// wanted: their postings are counted.
	keywordCandidates = 20
	// nameWorth is what a document with the word in a heading, in its title or its name counts,
	// where a word in a text counts 1.
	nameWorth = 6
	// spellings bounds how many names are read to find how a term is spelled.
	spellings = 64
)

// Keywords returns the words by which the documents could be found, best first: those in headings,
// titles and file names, with the highest product of how often a word stands anywhere and of the
// logarithm of how few documents have it. A word that all documents have still counts a little. The
// index alone is read, which holds no text but headings; its vocabulary is sifted by numbers of
// postings first, so that it takes one pass over the vocabulary.
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
		at, _ := slices.BinarySearchFunc(rough, c, byScore)
		rough = slices.Insert(rough, at, c)
		rough = rough[:min(len(rough), limit)]
	}
	// The numbers of the last candidates that a document contains, and that are in its names.
	seen, seenNamed := make([]int, len(x.docs)), make([]int, len(x.docs))
	for n := range rough {
		c := &rough[n]
		count, named := 0, 0
		for at := x.starts[c.term]; at < x.starts[c.term+1]; at++ {
			weight, doc := x.weights[at], x.passages[x.where[at]].doc
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

// commonStems are the stems of words that headings have, but that say nothing of what they are
// about.
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

// spelling returns the word that most headings, titles and file names have for a term, or "" if it
// is only an identifier as a whole.
func (x *index) spelling(term int) string {
	var named []uint32
	for at := x.starts[term]; at < x.starts[term+1]; at++ {
		if x.weights[at]&(inName|inTitle|inHeading) != 0 {
			named = append(named, x.where[at])
		}
	}
	slices.Sort(named) // postings are in the order of edits
	counts := make(map[string]int)
	var s splitter
	for _, at := range named[:min(len(named), spellings)] {
		p := x.passages[at]
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
