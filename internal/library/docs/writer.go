package docs

import (
	"crypto/sha256"
	"encoding/binary"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
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
	splitter splitter
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

// A docWriter writes the passages of one document.
type docWriter struct {
	*writer
	doc         uint32
	path, title string            // the path without its extension, below the folder for documentation
	above       []excerpt.Heading // the headings above the passage, outermost first
	heading     string            // of the passage
	pdf         bool
	page        string   // of a PDF file, as its heading has it
	some        bool     // passages have been written
	later       bool     // a passage of the section has been written
	context     []uint32 // the words of the path and the title, from the first passage of each index
	front       int      // offset of the text after the front matter

	offset, line int    // of the next passage, from 0 and from 1
	fence        string // of the code in which it begins, or ""
}

// begin starts a document whose text starts with head.
func (w *writer) begin(d *document, head string) *docWriter {
	p := &docWriter{writer: w, doc: uint32(len(w.out.docs)), line: 1}
	w.out.docs = append(w.out.docs, d)
	p.path, _ = cutExtension(d.path)
	if !d.isMarkdown() {
		return p
	}
	front, _ := frontmatter.Find(head)
	if page := d.page(); page != nil {
		p.title, p.pdf = page.Title, d.isPDF()
		p.path, _ = cutExtension(page.Below())
	} else {
		title, _ := settings.Titles(front)
		p.title = loader.ShortTitle(title)
	}
	p.heading = p.title
	p.front = frontmatter.After(head).End
	return p
}

// opens reports whether only front matter precedes the first heading of a document. The front
// matter then belongs to the passage of the heading, so that the first passage has the document's
// text.
func (p *docWriter) opens(above string, h excerpt.Heading) bool {
	return p.front > 0 && p.front <= h.Start && h.Start <= passageMost/2 && strings.TrimSpace(above[p.front:]) == ""
}

// enter starts the section of a heading. It copies the heading, so that the text around it can be
// freed.
func (p *docWriter) enter(h excerpt.Heading) {
	if p.enterPDF(h) {
		return
	}
	h.Text, h.Slug = strings.Clone(h.Text), ""
	p.heading = h.Text
	p.above = slices.DeleteFunc(p.above, func(a excerpt.Heading) bool { return a.Level >= h.Level })
	p.above = append(p.above, h)
	p.later = false
}

// passage writes the next passage.
func (p *docWriter) passage(body string) {
	w := p.writer
	if p.some && w.full() {
		d := w.out.docs[p.doc]
		w.flush()
		w.out.docs, p.doc, p.context = append(w.out.docs, d), 0, nil
	}
	if p.context == nil {
		p.context = slices.Clone(w.words(p.path))
		p.context = append(p.context, w.words(p.title)...)
	}
	w.mark(p.heading, inHeading)
	if !p.some {
		w.mark(baseName(p.path), inName)
		w.mark(p.title, inTitle)
	}
	p.some = true
	w.markAll(p.context, inContext)
	if n := len(p.above); n > 0 {
		for _, a := range p.above[:n-1] {
			w.mark(a.Text, inContext)
		}
	}
	words, heading := min(w.text(body), math.MaxUint16), p.heading
	if p.page != "" {
		heading = strings.TrimSuffix(p.page+": "+heading, ": ")
	}
	w.out.passages = append(w.out.passages, IndexedPassage{
		Heading: heading, Document: p.doc, Offset: uint32(p.offset), Size: uint32(len(body)), Line: uint32(p.line), Words: uint16(words), Code: p.fence != "", Later: p.later,
	})
	p.later = true
	for _, n := range w.touched {
		w.postings = append(w.postings, posting(n<<8|uint32(w.tally[n])))
		w.tally[n] = 0
	}
	w.ends = append(w.ends, len(w.postings))
	w.touched = w.touched[:0]
}

// Documents of the same text are copies if they have at least leastCopied bytes: shorter ones may be the same by chance.
const leastCopied = 200

// document adds a document with its text. A document without text can still be found by its path.
func (w *writer) document(d *document, text string) {
	p := w.begin(d, text)
	if len(text) >= leastCopied {
		sum := sha256.New()
		_, _ = io.Copy(sum, io.LimitReader(strings.NewReader(text), int64(len(text)))) // in pieces: the text may be large
		d.digest.Store(binary.LittleEndian.Uint64(sum.Sum(nil)))
	}
	var headings []excerpt.Heading
	if d.isMarkdown() { // a comment in YAML looks like a heading
		headings = excerpt.Headings(text)
	}
	for _, h := range headings {
		if p.offset > 0 || !p.opens(text[:h.Start], h) {
			p.section(text[p.offset:h.Start])
		}
		p.enter(h)
	}
	p.section(text[p.offset:])
	if !p.some {
		p.offset, p.line = 0, 1
		p.passage("")
	}
	if w.full() {
		w.flush()
	}
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
	places := make([]uint32, len(w.stems)) // the number of postings of each stem, and then the place of the next one
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
