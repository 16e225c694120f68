package docs

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/analysis"
)

// maxVerified is how many documents are read to find the phrases of a query in them. A phrase of rarer words is found in any number of
// documents.
const maxVerified = 2000

// maxStopped is how many documents are read to find a phrase of stop words, which nearly all passages have.
const maxStopped = 200

// maxWritten is how many passages are read to find a wording without quotation marks in them. More passages with the same words
// count as equal.
const maxWritten = 32

// phrased adds the phrases of the wording to what is asked, and returns the passages in which it is searched, one list after the other; nil: all.
func (l *look) phrased(ctx context.Context) ([][]uint32, error) {
	var within, signed []uint32
	for i, phrase := range slices.Concat(l.phrases, l.wording.signed) {
		as, said := anywhere, `"`+phrase+`"`
		if i >= len(l.phrases) {
			as, said = withSigns, phrase
		}
		passages, known, err := l.having(ctx, folded(phrase), as)
		switch {
		case err != nil:
			return nil, err
		// the word without signs is reported, or not all documents were read
		case !known && as == withSigns:
			continue
		case as == anywhere:
			within = both(within, passages)
		}
		l.asked = append(l.asked, term{word: phrase, said: said, replaced: len(passages) == 0, passages: passages, idf: l.rarity(len(passages))})
		for _, p := range passages {
			first, _ := slices.BinarySearchFunc(l.passages, l.passages[p].Document, func(p IndexedPassage, d uint32) int { return cmp.Compare(p.Document, d) })
			for ; as == withSigns && first < len(l.passages) && l.passages[first].Document == l.passages[p].Document; first++ {
				signed = append(signed, uint32(first))
			}
		}
	}
	if slices.Sort(signed); len(both(within, signed)) > 0 {
		return [][]uint32{both(within, signed), within}, nil
	}
	return [][]uint32{within}, nil
}

// both returns the passages of two lists that are in both, or one list if the other is empty.
func both(a, b []uint32) []uint32 {
	if len(a) == 0 || len(b) == 0 {
		return append(a, b...)
	}
	return slices.DeleteFunc(slices.Clone(b), func(p uint32) bool { _, ok := slices.BinarySearch(a, p); return !ok })
}

// several reports whether at least two terms say what is asked.
func several(terms []term) bool {
	return len(slices.DeleteFunc(slices.Clone(terms), func(t term) bool { return t.said == "" })) > 1
}

// A manner is how a phrase must stand in a text.
type manner uint8

const (
	anywhere  manner = iota
	inProse          // outside of links, whose texts are about other pages
	withSigns        // its letters are not parts of longer words
)

func (m manner) states(text, phrase string) bool {
	parts := strings.Split(text, phrase)
	for i, after := range parts[1:] {
		link := strings.IndexAny(after, "[]")
		before, _ := utf8.DecodeLastRuneInString(parts[i])
		next, _ := utf8.DecodeRuneInString(after)
		switch {
		case m == inProse && link >= 0 && after[link] == ']':
		case m == withSigns && (isSpaced(before) && !isSign(phrase[0]) || isSpaced(next) && !isSign(phrase[len(phrase)-1])):
		default:
			return true
		}
	}
	return false
}

// isSpaced reports whether a character is part of a word of a script that separates words by spaces.
func isSpaced(r rune) bool { return analysis.IsWord(r) && !analysis.Spaceless(r) }

// having returns the passages that have a phrase letter by letter, except for the case of letters and the width of spaces. known is false
// if a word of the phrase is in no document, or if there are too many passages to read.
func (s *shelf) having(ctx context.Context, phrase string, as manner) (passages []uint32, known bool, err error) {
	var stems []int
	stops := false
	known = true
	new(analysis.Splitter).Words(analysis.Normalize(phrase), func(word []byte, _ int) {
		stops = stops || analysis.StopWords[string(word)]
		n, ok := s.lookUp(analysis.Stem(string(word)))
		if known = known && (ok || analysis.StopWords[string(word)]); ok && !analysis.StopWords[string(word)] {
			stems = append(stems, n)
		}
	})
	candidates := s.common(stems)
	if !known || as == inProse && len(candidates) > maxWritten {
		return nil, false, nil
	}
	whole := ""
	last, before := ^uint32(0), s.verified
	for _, number := range candidates {
		p := s.passages[number]
		d := s.docs[p.Document]
		if p.Document != last {
			if last = p.Document; !s.only.selects(d) {
				whole = ""
				continue
			}
			if s.verified++; s.verified > maxVerified || stops && len(stems) == 0 && s.verified-before > maxStopped || ctx.Err() != nil {
				return passages, len(passages) > 0, ctx.Err()
			}
			whole, _ = s.library.indexable(ctx, d) // what cannot be read has no phrase
		}
		if end := int(p.Offset + p.Size); end <= len(whole) {
			front, shown, _ := readers(whole[p.Offset:end], p)
			if as.states(folded(front+shown), phrase) {
				passages = append(passages, number)
			}
		}
	}
	return passages, true, nil
}

// common returns the passages that have all terms, in their order; all passages without terms.
func (x *index) common(terms []int) (passages []uint32) {
	if len(terms) == 0 {
		for i := range x.passages {
			passages = append(passages, uint32(i))
		}
		return passages
	}
	count := make(map[uint32]int)
	for i, t := range terms {
		for _, p := range x.where[x.starts[t]:x.starts[t+1]] {
			if count[p] == i {
				count[p]++
			}
		}
	}
	for p, n := range count {
		if n == len(terms) {
			passages = append(passages, p)
		}
	}
	slices.Sort(passages)
	return passages
}
