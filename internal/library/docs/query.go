package docs

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/analysis"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

const (
	maxTerms    = 24  // different words of a wording that are looked up
	maxParsed   = 200 // from which they are chosen
	maxJoined   = 48  // of all wordings together
	maxPrefixed = 32  // words that a term begins or ends

	shortestPart = 5 // letters of a word that is looked for in compounds
	longSpelling = 6 // letters of a word that may be misspelled

	// A word in at most maxRare passages, and at most one in rarePart of all passages, may be two
	// words that others write separately. In even fewer passages, it may be misspelled.
	maxRare, rarePart             = 10, 200
	maxMisspelled, misspelledPart = 1, 1000
)

// The share with which a word of the index counts if it stands for a word of a query; the word
// itself has the share 1.
const (
	prefixShare  = 0.8 // begins with the word, which no passage contains
	joinedShare  = 0.4 // the word and the next one, written as one
	halfShare    = 0.4 // one of two words that the word consists of
	similarShare = 0.3 // differs by one letter, or by the order of two letters
	sameShare    = 0.5 // means the same
	vagueShare   = 0.4 // for a vague word: this share of its weight
)

// A term is a word of a query with the postings of all words that it matches.
type term struct {
	word  string // as written, folded
	stem  string
	whole bool // an identifier whose parts are terms too
	// the words of the user that it is from: without spaces between them, or a phrase; "": a stop word or vague
	said  string
	from  []int // in index.terms
	share []float32
	same  int // how many of from, the last ones, mean the same
	idf   float32

	replaced bool     // no passage has it, and from are other words
	passages []uint32 // with the phrase that the term is; nil: it is a word
}

// camel finds identifiers such as useFetch.
var camel = lazyregexp.New(`^[^"]*[a-z][A-Z]`)

// part reports whether the term is a part of an identifier, whose parts alone say nothing about whether it is there.
func (t *term) part() bool { return !t.whole && camel().MatchString(t.said) }

// add adds a word of the index.
func (t *term) add(i int, share float32) {
	if !slices.Contains(t.from, i) {
		t.from, t.share = append(t.from, i), append(t.share, share)
	}
}

// parse finds the words of a query in the index. It drops stop words if there are others, and of more words than most those that most
// passages have.
func (x *index) parse(query string, most int) (terms []term, dropped []string) {
	terms = termsOf(analysis.Normalize(query))
	holders := func(t term) (n int) {
		if i, ok := x.lookUp(t.stem); ok {
			n = int(x.holders[i])
		}
		if t.said == "" {
			n += x.counted
		}
		return n
	}
	for len(terms) > most {
		commonest := 0
		for i, t := range terms {
			if holders(t) > holders(terms[commonest]) {
				commonest = i
			}
		}
		if said := terms[commonest].said; said != "" {
			dropped = union(dropped, said)
		}
		terms = slices.Delete(terms, commonest, commonest+1)
	}
	for i := range terms {
		t := &terms[i]
		if n, ok := x.lookUp(t.stem); ok {
			t.add(n, 1)
		}
		if x.extend(t, i == len(terms)-1); i > 0 {
			x.join(&terms[i-1], t)
		}
	}
	for i := range terms {
		t := &terms[i]
		t.replaced = len(t.from) == 0 && !x.compounds(t)
		vague := analysis.VagueWords[t.word]
		if !t.whole && !vague {
			x.respell(t)
		}
		if t.idf = x.idf(t.from); vague {
			t.idf *= vagueShare
		}
	}
	return terms, dropped
}

// termsOf returns the words of a query, each once: its stop words only if it has no others.
func termsOf(query string) (terms []term) {
	var stops []term
	seen := make(map[string]bool)
	last := -1
	new(analysis.Splitter).Words(query, func(word []byte, offset int) {
		t := term{word: string(word), stem: analysis.Stem(string(word)), whole: offset <= last}
		last = offset
		switch {
		case seen[t.stem] || len(terms) >= maxParsed:
			return
		case analysis.StopWords[t.word]:
			stops = append(stops, t)
		default:
			if said := around(query, offset); !analysis.VagueWords[strings.ToLower(said)] {
				t.said = said
			}
			terms = append(terms, t)
		}
		seen[t.stem] = true
	})
	if len(terms) == 0 {
		return stops
	}
	return terms
}

// broaden adds the words that mean the same to each term. A term that some passage has keeps its weight.
func (x *index) broaden(terms []term) {
	for i := range terms {
		t := &terms[i]
		own := len(t.from)
		for _, group := range analysis.SameStems() {
			if !slices.Contains(group, t.stem) {
				continue
			}
			for _, s := range group {
				if n, ok := x.lookUp(s); ok {
					t.add(n, sameShare)
				}
			}
		}
		if t.same = len(t.from) - own; own == 0 {
			t.idf = x.idf(t.from)
		}
	}
}

// around returns the letters and digits around a place in a text, with the marks inside of an identifier.
func around(text string, at int) string {
	inside := func(r rune) bool { return analysis.IsWord(r) || r == '_' || r == '-' || r == '.' || r == '\'' }
	end := len(text)
	if i := strings.IndexFunc(text[at:], func(r rune) bool { return !inside(r) }); i >= 0 {
		end = at + i
	}
	start := strings.LastIndexFunc(text[:at], func(r rune) bool { return !inside(r) }) + 1
	for start > 0 && start < at && !utf8.RuneStart(text[start]) {
		start++
	}
	return strings.Trim(text[start:end], "_-.'")
}

// lookUp returns the number of a stem in index.terms.
func (x *index) lookUp(stem string) (int, bool) { return slices.BinarySearch(x.terms, stem) }

// extend adds the words that begin with a term that no passage has. A short one must be the last one of a query, which may not be
// complete, or a part between signs.
func (x *index) extend(t *term, last bool) {
	r, size := utf8.DecodeRuneInString(t.word)
	character := last && size == len(t.word) && analysis.Spaceless(r)
	if len(t.word) < 2 || len(t.from) > 0 && !character {
		return
	}
	first, _ := x.lookUp(t.word)
	long := last || utf8.RuneCountInString(t.word) >= shortestPart
	for i := first; i < len(x.terms) && i < first+maxPrefixed && strings.HasPrefix(x.terms[i], t.word); i++ {
		if next, _ := utf8.DecodeRuneInString(x.terms[i][len(t.word):]); long || !unicode.IsLetter(next) {
			t.add(i, prefixShare)
		}
	}
	if character {
		for i := 0; i < len(x.terms) && len(t.from) < maxPrefixed; i++ {
			// the last character of a run occurs only in the pair with the previous one
			if strings.HasSuffix(x.terms[i], t.word) {
				t.add(i, prefixShare)
			}
		}
	}
}

// compounds adds the words that a term ends, and reports whether a word has it between signs.
func (x *index) compounds(t *term) (between bool) {
	long := utf8.RuneCountInString(t.word) >= shortestPart
	for i, word := range x.terms {
		n := strings.LastIndex(word, t.word)
		if n <= 0 || len(t.from) == maxPrefixed {
			continue
		}
		if between = between || word[n-1] == '.'; word[n-1] == '.' || long && n+len(t.word) == len(word) {
			t.add(i, halfShare)
		}
	}
	return between
}

// join adds to two adjacent words the word that they form together: "rate limit" is "ratelimit".
func (x *index) join(a, b *term) {
	if a.whole || b.whole || utf8.RuneCountInString(a.word+b.word) > analysis.MaxWord {
		return
	}
	if i, ok := x.lookUp(analysis.Stem(a.word + b.word)); ok {
		a.add(i, joinedShare)
		b.add(i, joinedShare)
	}
}

// respell adds to a rare word the two words that it consists of, or else the words that it may be
// misspelled for.
func (x *index) respell(t *term) {
	if utf8.RuneCountInString(t.word) < 4 || strings.ContainsAny(t.word, "0123456789") {
		return
	}
	holders := x.holding(t.from)
	if holders > min(maxRare, x.counted/rarePart) {
		return
	}
	const shortest = 3 // bytes of each of two words
	var first, second, most int
	for n := shortest; n <= len(t.word)-shortest; n++ {
		i, ok := x.lookUp(analysis.Stem(t.word[:n]))
		if !ok {
			continue
		}
		j, ok := x.lookUp(analysis.Stem(t.word[n:]))
		if !ok {
			continue
		}
		if common := min(x.holders[i], x.holders[j]); int(common) > most && x.together(i, j) {
			first, second, most = i, j, int(common)
		}
	}
	if most > 0 {
		t.add(first, halfShare)
		t.add(second, halfShare)
		return
	}
	if holders > min(maxMisspelled, x.counted/misspelledPart) {
		return
	}
	// People rarely mistype the first letter, and without it all words would have to be compared.
	_, size := utf8.DecodeRuneInString(t.stem)
	initial := t.stem[:size]
	from, _ := x.lookUp(initial)
	var near []int
	for i := from; i < len(x.terms) && strings.HasPrefix(x.terms[i], initial); i++ {
		if similar(x.terms[i], t.stem) && analysis.Specific(x.terms[i]) {
			near = append(near, i)
		}
	}
	// several similar words say nothing
	if len(near) == 1 && len(t.from) == 0 && utf8.RuneCountInString(t.word) >= longSpelling {
		t.add(near[0], similarShare)
	}
}

// together reports whether a passage has two words, neither of which is in nearly all passages.
func (x *index) together(i, j int) bool {
	return analysis.Specific(x.terms[i]) && analysis.Specific(x.terms[j]) && len(x.common([]int{i, j})) > 0
}

// similar reports whether two words differ by one letter, or by the order of two neighbours.
func similar(a, b string) bool {
	if len(a)-len(b) > utf8.UTFMax || len(b)-len(a) > utf8.UTFMax {
		return false
	}
	x, y := []rune(a), []rune(b)
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	return len(x) <= 1 && len(y) <= 1 || len(x) == 2 && len(y) == 2 && x[0] == y[1] && x[1] == y[0]
}
