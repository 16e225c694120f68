package docs

import (
	"io"
	"math"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/about"
	"github.com/mcp-docs-server/mcp-docs-server/internal/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/frontmatter"
)

// Weights of a word in a heading, in a heading above that, or in the path.
const (
	headingWeight = 5
	aboveWeight   = 2
	pathWeight    = 2
	nameWeight    = 4 // of the path again, in the first passage: a query for a document's name should find its beginning
)

// maxPostings is the number of postings that a writer collects before it sorts them into a separate
// index. A posting takes 12 bytes, and 5 after sorting.
const maxPostings = 1 << 20

// A writer builds indexes of some documents. Several indexes may hold parts of one document.
type writer struct {
	done     []*index
	out      *index
	splitter splitter
	known    map[string]uint32 // words as written → number of their stem
	numbers  map[string]uint32 // stems → number
	stems    []string          // by number
	buffer   []byte

	tally    []uint8  // by number: weight in the current passage
	touched  []uint32 // the numbers whose tally is not 0
	postings []posting
}

type posting struct {
	stem, passage uint32
	weight        uint8
}

// stopBit marks the number of a word that counts only in headings and paths.
const stopBit = 1 << 31

// stopWords are so frequent that they do not distinguish passages. They are a third of all words of
// a text.
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
		s := key // most words equal their stem
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

// add counts the words of text in the current passage and returns their number.
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

// A docWriter writes the passages of one document.
type docWriter struct {
	*writer
	doc         uint32
	name, title string
	above       []excerpt.Heading // the headings above the passage, outermost first
	heading     string            // of the passage
	some        bool              // passages are written
}

// begin starts a document whose text starts with head.
func (w *writer) begin(d *document, head string) *docWriter {
	p := &docWriter{writer: w, doc: uint32(len(w.out.docs))}
	w.out.docs = append(w.out.docs, d)
	p.name, _ = cutExtension(d.path)
	front, _ := frontmatter.Find(head)
	p.title = about.Titled(front.Titles().Title)
	p.heading = p.title
	return p
}

// enter starts the section of a heading. It copies the heading, so that the text around it can be
// freed.
func (p *docWriter) enter(h excerpt.Heading) {
	h.Text, h.Slug = strings.Clone(h.Text), ""
	p.heading = h.Text
	p.above = slices.DeleteFunc(p.above, func(a excerpt.Heading) bool { return a.Level >= h.Level })
	p.above = append(p.above, h)
}

// passage writes the passage at an offset and line.
func (p *docWriter) passage(body string, at, line int) {
	w := p.writer
	if p.some && len(w.postings) >= maxPostings {
		d := w.out.docs[p.doc]
		w.flush()
		w.out.docs, p.doc = append(w.out.docs, d), 0
	}
	w.add(p.name, pathWeight, true)
	if !p.some {
		w.add(p.name, nameWeight, true)
	}
	p.some = true
	if p.title != "" {
		w.add(p.title, aboveWeight, true)
	}
	if n := len(p.above); n > 0 {
		w.add(p.heading, headingWeight, true)
		for _, a := range p.above[:n-1] {
			w.add(a.Text, aboveWeight, true)
		}
	}
	number := uint32(len(w.out.passages))
	words := min(w.add(body, 1, false), math.MaxUint16)
	w.out.passages = append(w.out.passages, passage{
		heading: p.heading, doc: p.doc, offset: uint32(at), size: uint32(len(body)), line: uint32(line), words: uint16(words),
	})
	w.out.words += words
	for _, n := range w.touched {
		w.postings = append(w.postings, posting{n, number, w.tally[n]})
		w.tally[n] = 0
	}
	w.touched = w.touched[:0]
}

// end ends a document. A document without text can still be found by its path.
func (p *docWriter) end() {
	if !p.some {
		p.passage("", 0, 1)
	}
	if len(p.postings) >= maxPostings {
		p.flush()
	}
}

// document adds a document whose text is in memory.
func (w *writer) document(d *document, text string) {
	p, c := w.begin(d, text), cutter{line: 1}
	for _, h := range excerpt.Headings(text) {
		c.section(text[c.at:h.Start], false, p.passage)
		p.enter(h)
	}
	c.section(text[c.at:], false, p.passage)
	p.end()
}

// stream adds a document of UTF-8 in pieces of size bytes, which is at least the maximum size of
// front matter.
func (w *writer) stream(d *document, r io.Reader, size int) error {
	var p *docWriter
	var outline excerpt.Outliner
	c := cutter{line: 1}
	piece := make([]byte, size)
	text, begin, outlined := "", 0, 0 // offset of the text, and of the part that the outline has not read
	for ended := false; !ended; {
		n, err := io.ReadFull(r, piece)
		if ended = err == io.EOF || err == io.ErrUnexpectedEOF; err != nil && !ended {
			return err
		}
		text += string(piece[:n])
		if p == nil {
			p = w.begin(d, text)
		}
		fresh := text[outlined-begin:]
		if i := strings.LastIndexByte(fresh, '\n'); !ended && (i >= 0 || len(fresh) < 2*size) { // otherwise a line is very long
			fresh = fresh[:i+1]
		}
		headings := outline.Add(fresh)
		outlined += len(fresh)
		for _, h := range headings {
			if h.Start > c.at {
				c.section(text[c.at-begin:h.Start-begin], false, p.passage)
			}
			p.enter(h)
		}
		settled := outline.Settled()
		if ended {
			settled = outlined
		}
		if settled > c.at {
			c.section(text[c.at-begin:settled-begin], !ended, p.passage)
		}
		text, begin = text[c.at-begin:], c.at
	}
	p.end()
	return nil
}

// indexes returns the finished indexes. The writer must not be used afterwards.
func (w *writer) indexes() []*index {
	if len(w.out.docs) > 0 {
		w.flush()
	}
	return w.done
}

// flush starts another index. Its words are numbered from 0, so that the words of earlier indexes
// need not stay in memory.
func (w *writer) flush() {
	w.done = append(w.done, w.index())
	postings := w.postings[:0]
	done := w.done
	*w = *newWriter()
	w.done, w.postings = done, postings
}

// index sorts the postings since the last flush.
func (w *writer) index() *index {
	order := make([]uint32, 0, len(w.stems)) // numbers by stem
	counts := make([]uint32, len(w.stems))
	for _, p := range w.postings {
		counts[p.stem]++
	}
	for n, c := range counts {
		if c > 0 { // a stop word may have no postings
			order = append(order, uint32(n))
		}
	}
	slices.SortFunc(order, func(a, b uint32) int { return strings.Compare(w.stems[a], w.stems[b]) })
	out := w.out
	out.terms = make([]string, len(order))
	out.starts = make([]uint32, len(order)+1)
	at := counts // from here on: the position of the next posting of a stem
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
