package docs

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/analysis"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// A Query asks for passages.
type Query struct {
	// free text, with filters such as path:guides and phrases in quotation marks
	Words        string
	Alternatives []string // other wordings for the same, best first
	// of folders and documents, and patterns: the passages are of these; nil: of all
	Paths []string

	Wait time.Duration // for an index that is being built; at least a second
}

const (
	maxAlternatives = 5
	maxRanked       = 100 // documents of each wording that are merged
)

// mergedAfter is added to the rank of a document in the list of each wording, from 0. The inverses are summed up.
const mergedAfter = 3

// A wording is what one list of documents is found by.
type wording struct {
	text    string   // without quotation marks
	phrases []string // that stood in them
	signed  []string // words with signs at their edges, such as C++, .NET and --flag
	most    int      // words that are looked up
	alone   bool     // no other wording has other words for the same
}

// wordings returns the wordings of a query and, if there are several, one of all their words. The filters of all apply together.
func (l *Library) wordings(q Query) (all []wording, f *filter, err error) {
	var words []string
	for i, text := range append([]string{q.Words}, q.Alternatives[:min(len(q.Alternatives), maxAlternatives)]...) {
		rest, only, problem := l.filtered(excerpt.Cut(text, maxQuery))
		if i == 0 {
			f, err = only, problem
		}
		if rest != "" && !slices.Contains(words, rest) {
			words = append(words, rest)
			all = append(all, unquoted(rest))
		}
	}
	if len(all) > 1 {
		var joined strings.Builder
		for _, w := range all {
			joined.WriteString(w.text + " . ")
		}
		all = append(all, wording{text: joined.String(), most: maxJoined})
	}
	for _, p := range q.Paths {
		f = cmp.Or(f, newFilter())
		_ = f.add(l, p) // a pattern that is not valid selects nothing
	}
	return all, f, err
}

// maxPhrases is how many phrases of a wording must be there letter by letter; the words of others are words.
const maxPhrases = 4

// unquoted splits a text into its words and the phrases in quotation marks.
func unquoted(text string) wording {
	w := wording{most: maxTerms}
	for rest := strings.NewReplacer("“", `"`, "”", `"`).Replace(text); rest != ""; {
		before, after, _ := strings.Cut(rest, `"`)
		phrase, behind, closed := strings.Cut(after, `"`)
		w.text += before
		w.signed = append(w.signed, signedWords(before)...)
		if rest = after; closed {
			rest = behind
			w.text += phrase
			if phrase = folded(phrase); phrase != "" && len(w.phrases) < maxPhrases && !slices.Contains(w.phrases, phrase) {
				w.phrases = append(w.phrases, phrase)
			}
		}
	}
	w.signed = w.signed[:min(len(w.signed), maxPhrases)]
	return w
}

// signedWords returns the words of a text that begin or end with a sign of ASCII that does not belong to the sentence, and signs that stand
// together.
func signedWords(text string) (words []string) {
	for _, word := range strings.Fields(strings.ReplaceAll(text, "`", "")) {
		if strings.ContainsFunc(word, analysis.IsWord) {
			word = strings.TrimRight(strings.TrimLeft(word, "([{<'"), ".,;:!?()[]{}<>'")
		} else if len(word) < 2 || strings.Trim(word, "-.") == "" {
			continue
		}
		if word != "" && (isSign(word[0]) || isSign(word[len(word)-1])) && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

func isSign(c byte) bool { return c > ' ' && c < 0x7f && !analysis.IsWord(rune(c)) }

// folded returns a text in the form in which phrases are compared: in lower case, with single spaces, without the marks of code.
func folded(text string) string {
	return strings.ToLower(norm.NFC.String(excerpt.OneLine(strings.ReplaceAll(text, "`", ""))))
}

// A shelf is an index that a search looks through.
type shelf struct {
	*index
	library  *Library
	only     *filter
	deps     *Dependencies // nil: the documents are of the project
	verified int           // documents that were read to find phrases
}

// A look is a wording with its words in the index of a shelf.
type look struct {
	*shelf
	wording
	asked   []term
	dropped []string // words that are not asked for
}

// A foundPage is a document that a wording found, and its best passages.
type foundPage struct {
	*look
	ranked ranked
	score  float32
	// the sum of its scores in its two best wordings, without the score of all words
	sure float32
}

func (p foundPage) doc() *document { return p.docs[p.passages[p.ranked[0].passage].Document] }

// identity returns what a page has in common with its translations, other versions and copies.
func (p foundPage) identity() any {
	return [2]any{p.index, p.same[p.passages[p.ranked[0].passage].Document]}
}

// aloneSure is how sure a page is of a query without alternatives, which has words that no document has, relative to its score.
const aloneSure = 16

// signedBonus puts the pages that have a word of a query with its signs before others.
const signedBonus = 100

// otherShare is what the score of a page is multiplied with that only an old version or another language has, for a query
// without a filter: the default version may say the same on another page.
const otherShare = 0.5

// look returns the best documents of a shelf for a wording.
func (s *shelf) look(ctx context.Context, w wording) (pages []foundPage, l *look, err error) {
	l = &look{shelf: s, wording: w}
	l.asked, l.dropped = s.parse(w.text, w.most)
	if w.alone {
		s.broaden(l.asked)
	}
	var written []uint32
	if w.most == maxTerms && len(w.phrases) == 0 && several(l.asked) {
		if written, _, err = s.having(ctx, folded(strings.Trim(w.text, " .?!")), inProse); err != nil {
			return nil, nil, err
		}
	}
	parts, err := l.phrased(ctx)
	if err != nil {
		return nil, nil, err
	}
	if len(s.passages) == 0 || len(l.asked) == 0 {
		return nil, l, nil
	}
	seen := make(map[any]bool)
	for i, part := range parts {
		for _, r := range s.rank(ctx, ranking{l.asked, s.only, part, written, s.library.share}, maxRanked, hitsPerFile) {
			p := foundPage{l, r, r[0].score, 0}
			if page := p.doc().page(); s.only == nil && page != nil && page.Tree.Other {
				p.score *= otherShare
			}
			if i < len(parts)-1 {
				p.score += signedBonus
			}
			if p.sure = p.score; w.alone {
				p.sure *= aloneSure
			}
			if id := p.identity(); !seen[id] {
				seen[id] = true
				pages = append(pages, p)
			}
		}
	}
	slices.SortStableFunc(pages, func(a, b foundPage) int { return cmp.Compare(b.score, a.score) })
	return pages, l, ctx.Err()
}

// merged merges the lists of several wordings, the first of which counts twice. Each page is judged by the wording that has
// it highest; the last list, of all words, counts for that only if no other has the page. Its passages are
// merged from all lists in the same way, because the words of one wording may all stand in its introduction.
func merged(lists [][]foundPage) []foundPage {
	if len(lists) == 1 {
		return lists[0]
	}
	type sum struct {
		foundPage
		found       []foundPage // in each list that has the page
		rank, order int
		sure, next  float32 // the two best scores
	}
	sums := make(map[any]*sum)
	for i, list := range lists {
		for rank, p := range list {
			id := p.identity()
			s := sums[id]
			if s == nil {
				s = &sum{foundPage: p, rank: rank, order: len(sums)}
				s.score = 0
				sums[id] = s
			}
			weight := float32(1)
			if i == 0 {
				weight = 2
			}
			s.score += weight / float32(mergedAfter+rank)
			if i == 0 && p.score >= signedBonus {
				s.score += signedBonus
			}
			s.found = append(s.found, p)
			if i < len(lists)-1 {
				s.sure, s.next = max(s.sure, p.sure), max(s.next, min(s.sure, p.sure))
			}
			if rank < s.rank && i < len(lists)-1 {
				p.score = s.score
				s.foundPage, s.rank = p, rank
			}
		}
	}
	all := slices.Collect(maps.Values(sums))
	slices.SortFunc(all, func(a, b *sum) int { return cmp.Or(cmp.Compare(b.score, a.score), a.order-b.order) })
	pages := make([]foundPage, len(all))
	for i, s := range all {
		pages[i] = s.foundPage
		pages[i].ranked, pages[i].sure = together(s.doc(), s.found), s.sure+s.next
	}
	return pages
}

// together merges the passages of a document.
func together(d *document, found []foundPage) (best ranked) {
	for _, p := range found {
		if p.doc() != d { // another version
			continue
		}
		for rank, s := range p.ranked {
			s.score = 1 / float32(mergedAfter+rank)
			if i := slices.IndexFunc(best, func(b scored) bool { return b.passage == s.passage }); i >= 0 {
				best[i].score += s.score
			} else {
				best = append(best, s)
			}
		}
	}
	slices.SortFunc(best, scored.compare)
	return best[:min(len(best), hitsPerFile)]
}

// spellings is how many passages are read to find how a term is spelled.
const spellings = 64

// spelled returns a term of the index as a text writes it, or "" if no text has it any more.
func (s *shelf) spelled(ctx context.Context, number int) (spelling string) {
	var holders []uint32 // postings are in the order of edits
	for j := s.starts[number]; j < s.starts[number+1]; j++ {
		// without a count, the word is only in names above the passage
		if s.weights[j]&maxCount > 0 {
			holders = append(holders, s.where[j])
		}
	}
	slices.Sort(holders)
	for _, i := range holders[:min(len(holders), spellings)] {
		p := s.passages[i]
		text, _ := s.library.passage(ctx, s.docs[p.Document], p, new(string))
		var sp analysis.Splitter
		sp.Words(text, func(word []byte, offset int) {
			if spelling == "" && analysis.Stem(string(word)) == s.terms[number] {
				spelling = strings.ToLower(text[offset:sp.End])
			}
		})
		if spelling != "" {
			break
		}
	}
	return spelling
}
