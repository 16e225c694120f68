package docs

import (
	"math"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/excerpt"
)

// How much a word counts that stands in a heading, in a heading above that, or in the path.
const (
	headingWeight = 5
	aboveWeight   = 2
	pathWeight    = 2
	nameWeight    = 4 // of the path again, for the first passage: who asks for a document's name wants its beginning
)

// A writer makes the index of some documents.
type writer struct {
	out      *index
	splitter splitter
	known    map[string]uint32 // words as they are written → number of their stem
	numbers  map[string]uint32 // stems → number
	stems    []string          // by number
	buffer   []byte

	tally    []uint8  // by number: weight in the passage that is being written
	touched  []uint32 // the numbers that are not 0 there
	postings []posting
}

type posting struct {
	stem, passage uint32
	weight        uint8
}

// stopBit marks the number of a word that counts in headings and paths only.
const stopBit = 1 << 31

// stopWords are so frequent that they tell no passage from another. They are a third of all words of a text.
var stopWords = func() map[string]bool {
	words := make(map[string]bool)
	for w := range strings.FieldsSeq("a an and are as at be by can do does for from has have how i if in is it its my of on or that the then there this to was what when where which will with you your") {
		words[w] = true
	}
	return words
}()

func newWriter() *writer {
	return &writer{out: new(index), known: make(map[string]uint32), numbers: make(map[string]uint32)}
}

// number returns the number of a word's stem.
func (w *writer) number(word []byte) uint32 {
	if n, ok := w.known[string(word)]; ok {
		return n
	}
	key := string(word)
	w.buffer = stem(append(w.buffer[:0], word...))
	n, ok := w.numbers[string(w.buffer)]
	if !ok {
		n = uint32(len(w.stems))
		s := key // most words are their own stem
		if string(w.buffer) != key {
			s = string(w.buffer)
		}
		w.stems = append(w.stems, s)
		w.tally = append(w.tally, 0)
		w.numbers[s] = n
	}
	if stopWords[key] {
		n |= stopBit
	}
	w.known[key] = n
	return n
}

// add counts the words of text in the passage that is being written and returns how many there are.
func (w *writer) add(text string, weight uint8, all bool) int {
	count := 0
	w.splitter.words(text, func(word []byte, _ int) {
		count++
		n := w.number(word)
		if n&stopBit != 0 {
			if !all {
				return
			}
			n &^= stopBit
		}
		t := w.tally[n]
		if t == 0 {
			w.touched = append(w.touched, n)
		}
		w.tally[n] = uint8(min(int(t)+int(weight), math.MaxUint8))
	})
	return count
}

// document takes in a document. It is found by its path even if it has no text.
func (w *writer) document(d *document, text string) {
	doc := uint32(len(w.out.docs))
	w.out.docs = append(w.out.docs, d)
	headings := excerpt.Headings(text)
	parts := spans(text, headings)
	if len(parts) == 0 {
		parts = []span{{heading: -1, line: 1}}
	}
	name, _ := cutExtension(d.path)
	var title string
	if front, _ := excerpt.FrontMatter(text); front != "" {
		title = frontTitle(front)
	}
	var above []int // the headings above the passage, outermost first
	for i, s := range parts {
		body := text[s.start:s.end]
		w.add(name, pathWeight, true)
		if i == 0 {
			w.add(name, nameWeight, true)
		}
		if title != "" {
			w.add(title, aboveWeight, true)
		}
		heading := title
		if s.heading >= 0 {
			h := headings[s.heading]
			if i == 0 || parts[i-1].heading != s.heading {
				above = slices.DeleteFunc(above, func(a int) bool { return headings[a].Level >= h.Level })
				above = append(above, s.heading)
			}
			heading = h.Text
			w.add(h.Text, headingWeight, true)
			for _, a := range above[:len(above)-1] {
				w.add(headings[a].Text, aboveWeight, true)
			}
		}
		if i == 0 || parts[i-1].heading != s.heading {
			heading = strings.Clone(heading) // the text must not stay in memory for it
		} else {
			heading = w.out.passages[len(w.out.passages)-1].heading
		}
		number := uint32(len(w.out.passages))
		words := min(w.add(body, 1, false), math.MaxUint16)
		w.out.passages = append(w.out.passages, passage{
			heading: heading, doc: doc, offset: uint32(s.start), size: uint32(len(body)), line: uint32(s.line), words: uint16(words),
		})
		w.out.words += words
		for _, n := range w.touched {
			w.postings = append(w.postings, posting{n, number, w.tally[n]})
			w.tally[n] = 0
		}
		w.touched = w.touched[:0]
	}
}

// frontTitle returns the title that front matter gives.
func frontTitle(front string) string {
	for line := range strings.Lines(front) {
		if value, ok := strings.CutPrefix(line, "title:"); ok {
			return excerpt.Cut(strings.Trim(strings.TrimSpace(value), `"'`), 300)
		}
	}
	return ""
}

// index sorts what was written. The writer is of no use afterwards.
func (w *writer) index() *index {
	order := make([]uint32, 0, len(w.stems)) // numbers by stem
	counts := make([]uint32, len(w.stems))
	for _, p := range w.postings {
		counts[p.stem]++
	}
	for n, c := range counts {
		if c > 0 { // stop words may have been met in vain
			order = append(order, uint32(n))
		}
	}
	slices.SortFunc(order, func(a, b uint32) int { return strings.Compare(w.stems[a], w.stems[b]) })
	out := w.out
	out.terms = make([]string, len(order))
	out.starts = make([]uint32, len(order)+1)
	at := counts // from here on: where the next posting of a stem goes
	var next uint32
	for i, n := range order {
		out.terms[i], out.starts[i] = w.stems[n], next
		at[n], next = next, next+counts[n]
	}
	out.starts[len(order)] = next
	out.where, out.weights = make([]uint32, next), make([]uint8, next)
	for _, p := range w.postings {
		out.where[at[p.stem]], out.weights[at[p.stem]] = p.passage, p.weight
		at[p.stem]++
	}
	return out
}
