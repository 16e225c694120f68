package docs

import (
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/analysis"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// termWeight is how much a word in a defined term adds to its count.
const termWeight = 4

// A writer writes indexes of some documents. Many postings become several indexes, which may hold
// parts of one document.
type writer struct {
	done     []*index
	out      *index    // of which only documents and passages are written
	postings []posting // of its passages
	ends     []int     // in postings, of each passage
	splitter analysis.Splitter
	known    map[string]uint32 // numbers of words as written
	numbers  map[string]uint32 // numbers of stems
	stems    []string          // by number; the first number is 1
	found    []uint32          // by words

	tally   []uint8  // by number: weight in the current passage
	touched []uint32 // the numbers whose tally is not 0
}

// A posting is the number of a stem and, in the lowest byte, its weight in a passage. It takes 4
// bytes, and 5 in an index.
type posting uint32

func (p posting) stem() uint32  { return uint32(p >> 8) }
func (p posting) weight() uint8 { return uint8(p) }

// maxPostings bounds an index of a writer, so that the numbers of its stems, and of one passage more, fit into 24 bits.
const maxPostings = 1 << 20

// full reports whether the next passage should be in another index.
func (w *writer) full() bool { return len(w.postings) >= maxPostings }

// stopBit marks the number of a word that counts only in headings and paths.
const stopBit = 1 << 31

// A weight in an index holds the count of a word in the text of a passage, and marks for the names
// that contain it.
const (
	maxCount = 1<<4 - 1 // a larger count makes nearly no difference in BM25

	inName    = 1 << 4 // the file name, in the first passage of a document
	inTitle   = 1 << 5 // the title in the front matter, in the first passage
	inHeading = 1 << 6 // the heading of the passage
	inContext = 1 << 7 // the headings above it, the title, the path
)

func newWriter() *writer {
	w := &writer{out: new(index), known: make(map[string]uint32), numbers: make(map[string]uint32)}
	w.name("")
	return w
}

// name gives a stem the next number.
func (w *writer) name(stem string) uint32 {
	w.stems = append(w.stems, stem)
	w.tally = append(w.tally, 0)
	return uint32(len(w.stems) - 1)
}

// words returns the number of each word of text, until the next call.
func (w *writer) words(text string) []uint32 {
	w.found = w.found[:0]
	w.splitter.Words(analysis.Normalize(text), func(word []byte, _ int) { w.found = append(w.found, w.number(word)) })
	return w.found
}

// number returns the number of the stem of a word, marked if it is a stop word.
func (w *writer) number(letters []byte) uint32 {
	n, known := w.known[string(letters)]
	if known {
		return n
	}
	word := string(letters)
	stem := analysis.Stem(word)
	if n, known = w.numbers[stem]; !known {
		n = w.name(stem)
		w.numbers[stem] = n
	}
	if analysis.StopWords[word] {
		n |= stopBit
	}
	w.known[word] = n
	return n
}

// add counts the words of text in the current passage and returns their number.
func (w *writer) add(text string, weight uint8) int {
	words := w.words(text)
	for _, n := range words {
		if n&stopBit != 0 {
			continue
		}
		t := w.tally[n]
		if t == 0 {
			w.touched = append(w.touched, n)
		}
		w.tally[n] = t&^maxCount | min(t&maxCount+weight, maxCount)
	}
	return len(words)
}

// mark marks the words of a name in the current passage.
func (w *writer) mark(text string, where uint8) { w.markAll(w.words(text), where) }

func (w *writer) markAll(words []uint32, where uint8) {
	for _, n := range words {
		n &^= stopBit
		if w.tally[n] == 0 {
			w.touched = append(w.touched, n)
		}
		w.tally[n] |= where
	}
}

// text counts the words of the current passage's Markdown, without definitions of links and tables of contents, and
// returns their number.
func (w *writer) text(body string) int {
	count, start := 0, 0
	for offset := 0; offset < len(body); {
		end := len(body)
		if i := strings.IndexByte(body[offset:], '\n'); i >= 0 {
			end = offset + i + 1
		}
		line := body[offset:end]
		if excerpt.DefinesLink(line) || leadsDown(line) {
			count += w.add(body[start:offset], 1)
			start = end
		} else if term := defined(line, body[end:]); term != "" {
			w.add(term, termWeight)
		}
		offset = end
	}
	return count + w.add(body[start:], 1)
}

// indexes returns the finished indexes. The writer must not be used afterwards.
func (w *writer) indexes() []*index {
	if len(w.out.docs) > 0 {
		w.flush()
	}
	return w.done
}

// flush starts another index. Its words are numbered again, so that the words of earlier ones need
// not stay in memory.
func (w *writer) flush() {
	next := newWriter()
	next.done = append(w.done, w.sorted())
	*w = *next
}

// sorted returns the current index with its postings sorted by their terms.
func (w *writer) sorted() *index {
	// the number of postings of each stem, and then the place of the next one
	places := make([]uint32, len(w.stems))
	for _, p := range w.postings {
		places[p.stem()]++
	}
	var numbers []uint32
	for n, count := range places {
		if count > 0 { // a stop word may have no postings
			numbers = append(numbers, uint32(n))
		}
	}
	slices.SortFunc(numbers, func(a, b uint32) int { return strings.Compare(w.stems[a], w.stems[b]) })
	x, next := w.out, uint32(0)
	for _, n := range numbers {
		x.terms, x.starts = append(x.terms, w.stems[n]), append(x.starts, next)
		places[n], next = next, next+places[n]
	}
	x.starts = append(x.starts, next)
	x.where, x.weights = make([]uint32, next), make([]uint8, next)
	begin := 0
	for passage, end := range w.ends {
		for _, p := range w.postings[begin:end] {
			to := places[p.stem()]
			places[p.stem()] = to + 1
			x.where[to], x.weights[to] = uint32(passage), p.weight()
		}
		begin = end
	}
	return x
}
