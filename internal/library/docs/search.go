package docs

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/analysis"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// A Hit is a page that matches a query, with the passage of its best wording.
type Hit struct {
	// below the documents' folder; "" for a text of a source
	Path        string `json:"path,omitempty"`
	URI         string `json:"uri,omitempty"` // of a text of a source
	Kind        string `json:"kind"`          // document, resource, prompt or capture
	Title       string `json:"title"`         // of the page, or ""
	Description string `json:"description"`   // in its front matter, or ""
	Passage
	More    []Passage `json:"more"` // of the same page, best first
	Score   float64   `json:"-"`
	Foreign bool      `json:"-"` // see [Text]
	// of a document of a dependency, whose Path begins with [dependencies.Folder]
	Package *dependencies.Package `json:"-"`
}

// A Passage is a part of a page. Its Snippet is empty if the file has changed since it was indexed.
type Passage struct {
	// of the snippet in the text that [Library.Text] returns, from 1
	Line    int    `json:"line"`
	Heading string `json:"heading"` // the nearest heading above the passage, or ""
	Snippet string `json:"text"`    // the beginning of what matches

	body  excerpt.Focus  // the whole passage, for readers, and its snippet
	top   int            // line of the text
	stems map[string]int // of the query's words, with their worth
	last  int            // line of the passage
}

// Results answer a query.
type Results struct {
	// best first, one for each page, its translations and its other versions
	Hits []Hit `json:"hits"`
	// false: some documents are still being read, and were not searched
	Indexed bool      `json:"-"`
	Missing []Missing `json:"missing"` // words that no document has
	// no document has any word: the hits have words that replace them
	Absent bool `json:"-"`
	// what the packages that the query names lack, in sentences
	Named   []string `json:"-"`
	Dropped []string `json:"-"`    // words that were not searched: there are too many
	Weak    bool     `json:"weak"` // the best hit is perhaps about something else

	Unmatched []string `json:"unmatched"` // parts of the filter that select no document
	Nothing   bool     `json:"-"`         // the filter selects no document
	first     foundPage
}

// A Missing is a word of a query that no document has, or a phrase in quotation marks.
type Missing struct {
	Word    string   `json:"word"`
	Instead []string `json:"instead,omitempty"` // the words that were searched instead
}

// weakScore is what the first page must be worth in its two best wordings. Below it, the page is perhaps about something else. Drawn on
// 55 questions about one project with wordings written without seeing it: 8 % of the right first pages are below it, and 40 % of the
// first pages where the right ones are missing. With wordings of somebody who knows the project, these are 2 % and 24 %, and in three
// other projects 2 to 5 %, and 28 to 68 %.
const weakScore = 1.5

const (
	maxQuery    = 4 << 10 // bytes of a query that are used
	hitsPerFile = 3       // passages of a page

	// indexWait is how long the answer to a query waits for an index that is being built, and shortWait how long others wait. The
	// index of a usual project is ready within a second.
	indexWait = 20 * time.Second
	shortWait = time.Second
)

// maxHits bounds the number of hits, regardless of the request.
const maxHits = 100

// Search is [Library.Find] for one wording.
func (l *Library) Search(ctx context.Context, query string, limit int) (hits []Hit, indexed bool, err error) {
	r, err := l.Find(ctx, Query{Words: query}, limit)
	return r.Hits, r.Indexed, err
}

// Find returns at most limit pages. If [Library.Index] was not called before, Find builds the index. If a build is running,
// Find waits for it as long as the query says, and then does not search its documents. The error is ctx.Err().
func (l *Library) Find(ctx context.Context, q Query, limit int) (r Results, err error) {
	r = Results{Hits: []Hit{}, Indexed: true, Missing: []Missing{}, Unmatched: []string{}}
	if l == nil || limit <= 0 {
		return r, nil
	}
	all, only, _ := l.wordings(q)
	if len(all) == 0 {
		return r, nil
	}
	shelves, err := l.shelves(ctx, q, only)
	if err != nil {
		return Results{}, err
	}
	r.Indexed = !slices.Contains(shelves, nil)
	shelves = slices.DeleteFunc(shelves, func(s *shelf) bool { return s == nil })
	if len(shelves) == 0 {
		return r, ctx.Err()
	}
	if r.Indexed {
		if r.Unmatched, r.Nothing = l.unmatched(only, shelves); r.Nothing {
			return r, ctx.Err()
		}
	}
	lists, looks := make([][]foundPage, len(all)), make([][]*look, len(all))
	for i, w := range all {
		w.alone = len(all) == 1
		for _, s := range shelves {
			pages, found, err := s.look(ctx, w)
			if err != nil {
				return Results{}, err
			}
			lists[i], looks[i] = append(lists[i], pages...), append(looks[i], found)
		}
		if len(shelves) > 1 {
			slices.SortStableFunc(lists[i], func(a, b foundPage) int { return cmp.Compare(b.score, a.score) })
		}
	}
	pages, last := merged(lists), looks[len(all)-1] // the last wording has all words
	for _, p := range pages[:min(limit, len(pages))] {
		r.Hits = append(r.Hits, p.hit(ctx, last[slices.Index(shelves, p.shelf)].asked))
	}
	// without the wording of all words
	r.missing(ctx, slices.Concat(looks[:max(1, len(looks)-1)]...))
	for _, l := range last {
		if l.deps != nil && l.only != nil {
			r.Named = l.absences()
		}
	}
	if len(pages) > 0 {
		r.first = pages[0]
		r.Weak = r.first.sure < weakScore
	}
	return r, ctx.Err()
}

// shelves returns the indexes that a query searches; nil is one that is not ready.
func (l *Library) shelves(ctx context.Context, q Query, only *filter) (shelves []*shelf, err error) {
	if l.builder != nil {
		x, err := l.await(ctx, only != nil, max(q.Wait, shortWait))
		if err != nil {
			return nil, err
		}
		if shelves = append(shelves, nil); x != nil {
			shelves[0] = &shelf{index: x, library: l, only: only}
		}
	}
	if l.deps != nil && (only == nil || len(only.languages)+len(only.versions) == 0) {
		s, err := l.deps.shelf(ctx, q)
		if err != nil {
			return nil, err
		}
		shelves = append(shelves, s)
	}
	return shelves, nil
}

// missing sets which words no document has, and which were not searched.
func (r *Results) missing(ctx context.Context, looks []*look) {
	var words []string // of the wordings
	found, pairs, instead := make(map[string]bool), make(map[string]bool), make(map[string][]string)
	for _, l := range looks {
		r.Dropped = union(r.Dropped, l.dropped...)
		for _, t := range l.asked {
			pairs[t.word] = pairs[t.word] || !t.replaced
			if t.said == "" {
				continue
			}
			words = union(words, t.said)
			if !t.replaced && !t.part() {
				found[t.said] = true
				continue
			}
			for _, from := range t.from {
				if word := l.spelled(ctx, from); word != "" {
					instead[t.said] = union(instead[t.said], word)
				}
			}
		}
	}
	r.Absent = len(words) > 0
	for _, word := range words {
		if r.Absent = r.Absent && !found[word]; !found[word] {
			r.Missing = append(r.Missing, Missing{word, instead[word]})
			continue
		}
		for _, part := range uncovered(word, pairs) {
			r.Missing = append(r.Missing, Missing{Word: part})
		}
	}
}

// union adds the items that a list does not have to it.
func union[T comparable](list []T, items ...T) []T {
	for _, item := range items {
		if !slices.Contains(list, item) {
			list = append(list, item)
		}
	}
	return list
}

// uncovered returns the parts of a text without spaces between words whose characters are in no pair that a document has. pairs
// says of the pairs that were looked up whether a document has them.
func uncovered(text string, pairs map[string]bool) []string {
	runes := []rune(text)
	has := func(at int) bool {
		if at < 0 || at+2 > len(runes) {
			return false
		}
		known, asked := pairs[string(runes[at:at+2])]
		return known || !asked && analysis.Spaceless(runes[at]) && analysis.Spaceless(runes[at+1])
	}
	rest := slices.Clone(runes)
	for i, r := range runes {
		// in other scripts, such characters are endings
		if has(i-1) || has(i) || !unicode.In(r, unicode.Han, unicode.Katakana) && r != 'ー' {
			rest[i] = ' '
		}
	}
	return slices.DeleteFunc(strings.Fields(string(rest)), func(part string) bool { return utf8.RuneCountInString(part) < 2 })
}
