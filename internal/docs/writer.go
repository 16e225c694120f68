package docs

import (
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/about"
	"github.com/mcp-docs-server/mcp-docs-server/internal/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/frontmatter"
)

// termWeight is what a word in the term of a definition counts in addition.
const termWeight = 4

// maxPostings is the number of postings that a writer collects before it sorts them into a separate
// index. A posting takes 12 bytes, and 5 after sorting.
const maxPostings = 1 << 20

// bytesPerPosting is how much text has one posting, nearly.
const bytesPerPosting = 10

// A writer builds indexes of some documents. Several indexes may hold parts of one document.
type writer struct {
	done     []*index
	out      *index
	splitter splitter
	known    table             // words as written → number of their stem
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

// A weight in an index holds the count of a word in the text of a passage, and marks for the names
// that contain it.
const (
	maxCount = 1<<4 - 1 // for BM25, more makes nearly no difference

	inName    = 1 << 4 // the file name, in the first passage of a document
	inTitle   = 1 << 5 // the title in the front matter, in the first passage
	inHeading = 1 << 6 // the heading of the passage
	inContext = 1 << 7 // the headings above it, the title, the path
)

// newWriter returns a writer for about that many bytes of text.
func newWriter(size int64) *writer {
	return &writer{
		out: new(index), known: newTable(), numbers: make(map[string]uint32, 1<<10),
		postings: make([]posting, 0, min(size/bytesPerPosting, maxPostings)),
	}
}

// number returns the number of a word's stem.
func (w *writer) number(word []byte) uint32 {
	hash := w.known.hash(word)
	if s := w.known.find(word, hash); s.size > 0 {
		return s.number
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
	w.known.add(word, hash, n)
	return n
}

// words calls yield with the number of each word of text.
func (w *writer) words(text string, yield func(n uint32)) {
	var lower [maxWord]byte
	other := func(word []byte, _ int) { yield(w.number(word)) }
	normal := false
	for i := 0; i < len(text); {
		class := classes[text[i]]
		if class == 0 && text[i] < utf8.RuneSelf {
			i++
			continue
		}
		end := 0
		if class&(small|capital) != 0 {
			end = plain(text, i)
		}
		if end == 0 || end-i > maxWord {
			if !normal {
				normal = true
				if !ascii(text[i:]) {
					text, i = normalized(text[i:]), 0
				}
			}
			i = w.splitter.next(text, i, other)
			continue
		}
		word := append(lower[:0], text[i:end]...)
		word[0] |= 0x20
		yield(w.number(word))
		i = end
	}
}

// add counts the words of text in the current passage and returns their number.
func (w *writer) add(text string, weight uint8) int {
	count := 0
	w.words(text, func(n uint32) {
		count++
		if n&stopBit != 0 {
			return
		}
		t := w.tally[n]
		if t == 0 {
			w.touched = append(w.touched, n)
		}
		w.tally[n] = t&^maxCount | min(t&maxCount+weight, maxCount)
	})
	return count
}

// mark marks the words of a name in the current passage.
func (w *writer) mark(text string, where uint8) {
	w.words(text, func(n uint32) {
		n &^= stopBit
		if w.tally[n] == 0 {
			w.touched = append(w.touched, n)
		}
		w.tally[n] |= where
	})
}

// text counts the words of the current passage's Markdown, without definitions of links, and
// returns their number.
func (w *writer) text(body string) int {
	count, start := 0, 0
	for at := 0; at < len(body); {
		end := len(body)
		if i := strings.IndexByte(body[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		line := body[at:end]
		if definesLink(line) {
			count += w.add(body[start:at], 1)
			start = end
		} else if term := defined(line, body[end:]); term != "" {
			w.add(term, termWeight)
		}
		at = end
	}
	return count + w.add(body[start:], 1)
}

// A docWriter writes the passages of one document.
type docWriter struct {
	*writer
	doc         uint32
	path, title string            // the path without its extension
	above       []excerpt.Heading // the headings above the passage, outermost first
	heading     string            // of the passage
	some        bool              // passages are written
	front       int               // offset of the text behind the front matter
}

// begin starts a document whose text starts with head.
func (w *writer) begin(d *document, head string) *docWriter {
	p := &docWriter{writer: w, doc: uint32(len(w.out.docs))}
	w.out.docs = append(w.out.docs, d)
	p.path, _ = cutExtension(d.path)
	if !d.isMarkdown() {
		return p
	}
	front, _ := frontmatter.Find(head)
	p.title = about.Titled(front.Titles().Title)
	p.heading = p.title
	p.front = front.End
	return p
}

// opens reports whether a document starts with the heading, except for front matter. The front
// matter then belongs to the passage of the heading, so that the first passage has the document's
// text.
func (p *docWriter) opens(above string, h excerpt.Heading) bool {
	return p.front > 0 && p.front <= h.Start && h.Start <= passageMost/2 && strings.TrimSpace(above[p.front:]) == ""
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
	w.mark(p.heading, inHeading)
	if !p.some {
		w.mark(baseName(p.path), inName)
		w.mark(p.title, inTitle)
	}
	p.some = true
	w.mark(p.path, inContext)
	w.mark(p.title, inContext)
	if n := len(p.above); n > 0 {
		for _, a := range p.above[:n-1] {
			w.mark(a.Text, inContext)
		}
	}
	number := uint32(len(w.out.passages))
	words := min(w.text(body), math.MaxUint16)
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
	var headings []excerpt.Heading
	if d.isMarkdown() { // a comment in YAML looks like a heading
		headings = excerpt.Headings(text)
	}
	for _, h := range headings {
		if c.at > 0 || !p.opens(text[:h.Start], h) {
			c.section(text[c.at:h.Start], false, p.passage)
		}
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
			if h.Start > c.at && (c.at > 0 || !p.opens(text[:h.Start], h)) { // nothing was cut off before offset 0
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
	*w = *newWriter(0)
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
