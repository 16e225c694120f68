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
	Word     string // in lower case, as headings and file names spell it
	Passages int    // that contain it
}

const (
	// nameWorth is the weight of a passage with the word in its heading, title or file name; a passage with the
	// word only in its text has the weight of the word's count.
	nameWorth = 6
	// spellings bounds how many names are read to find how a term is spelled.
	spellings = 64
)

// Keywords returns the words by which the documents could be found, best first: the words in
// headings, titles and file names with the highest product of their frequency in all passages and the
// logarithm of how few passages contain them. A word that all passages contain still counts a
// little. Keywords reads only the index, which holds no text but headings, in one pass.
func (l *Library) Keywords(most int) []Keyword {
	x := l.peek()
	type candidate struct {
		term, holders int
		score         float64
	}
	var all []candidate
	for i, term := range x.terms {
		if !keyword(term) {
			continue
		}
		count, named := 0, 0
		for _, weight := range x.weights[x.starts[i]:x.starts[i+1]] {
			if count += int(weight & maxCount); weight&(inName|inTitle|inHeading) != 0 {
				named++
			}
		}
		if holders := int(x.starts[i+1] - x.starts[i]); named > 0 {
			all = append(all, candidate{i, holders, float64(count+nameWorth*named) * math.Log((float64(len(x.passages))*1.5+1)/float64(holders))})
		}
	}
	slices.SortFunc(all, func(a, b candidate) int { return cmp.Or(-cmp.Compare(a.score, b.score), cmp.Compare(a.term, b.term)) })
	var out []Keyword
	for _, c := range all {
		if len(out) == most {
			break
		}
		if word := x.spelling(c.term); word != "" && !slices.ContainsFunc(out, func(k Keyword) bool { return k.Word == word }) {
			out = append(out, Keyword{word, c.holders})
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
