package docs

import (
	"crypto/sha256"
	"encoding/binary"
	"io"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A docWriter writes the passages of one document.
type docWriter struct {
	*writer
	doc uint32
	// the path without its extension, below the folder for documentation
	path, title string
	above       []excerpt.Heading // the headings above the passage, outermost first
	heading     string            // of the passage
	pdf         bool
	page        string // of a PDF file, as its heading has it
	some        bool   // passages have been written
	later       bool   // a passage of the section has been written
	// the words of the path and the title, from the first passage of each index
	context []uint32
	front   int // offset of the text after the front matter

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

// Documents of the same text are copies if they have at least leastCopied bytes: shorter ones may be the same by chance.
const leastCopied = 200

// document adds a document with its text. A document without text can still be found by its path.
func (w *writer) document(d *document, text string) {
	p := w.begin(d, text)
	if len(text) >= leastCopied {
		sum := sha256.New()
		// in pieces: the text may be large
		_, _ = io.Copy(sum, io.LimitReader(strings.NewReader(text), int64(len(text))))
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

// enterPDF notes the page that a heading of a PDF file begins, whose name says nothing about the text. It returns false for other headings.
func (p *docWriter) enterPDF(h excerpt.Heading) bool {
	if !p.pdf || h.Level != 2 || !pageHeading().MatchString(h.Text) {
		return false
	}
	p.page = h.Text
	// else a section of the last page goes on
	if n := len(p.above); n == 0 || p.above[n-1].Level < h.Level {
		p.heading, p.above, p.later = "", nil, false
	}
	return true
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

const (
	// bytes; longer sections are split at a paragraph, so that a passage is about one thing
	passageSize = 1200
	passageMost = 4096 // bytes; longer paragraphs are split at the end of a line or word
)

// section splits a text that begins at the end of the previous one into passages. Each passage except the first of a
// document begins at a heading or after a blank line, if there is one within the size limit.
func (p *docWriter) section(text string) {
	for text != "" {
		next := len(text)
		if next > passageSize {
			next = splitAt(text)
		}
		part := text[:next]
		if strings.TrimSpace(part) != "" {
			p.passage(part)
		}
		// code ends with its section
		if p.fence = excerpt.FenceAfter(part, p.fence); next == len(text) {
			p.fence = ""
		}
		p.line += strings.Count(part, "\n")
		p.offset += next
		text = text[next:]
	}
}

// splitAt returns where to split a text that is too long for one passage.
func splitAt(text string) int {
	for offset := 0; offset < len(text); {
		i := strings.Index(text[offset:min(len(text), passageMost)], "\n\n")
		if i < 0 {
			break
		}
		offset += i + 2
		if offset >= passageSize/2 {
			return offset
		}
	}
	if len(text) <= passageMost {
		return len(text)
	}
	window := text[:passageMost]
	if i := strings.LastIndexByte(window, '\n'); i > passageMost/2 {
		return i + 1
	}
	if i := strings.LastIndexByte(window, ' '); i > passageMost/2 {
		return i + 1
	}
	return len(excerpt.Cut(text, passageMost))
}

// ownHeading matches an item of a list that is a link to a heading of its document.
var ownHeading = lazyregexp.New(`^\s*(?:[-*+]|[0-9]{1,9}[.)])\s+\[[^\]]*\]\(#[^)\s]*\)\s*$`)

// leadsDown reports whether a line is part of a table of contents, whose words are found where it leads.
func leadsDown(line string) bool {
	return strings.Contains(line, "](#") && ownHeading().MatchString(line)
}

// defined returns the term that a line of Markdown defines, or "": the first cell of a table row,
// bold text or code before text in a list item, or a line before a line that begins with a colon.
func defined(line, below string) string {
	if strings.HasPrefix(below, ": ") || strings.HasPrefix(below, ":\t") {
		return line
	}
	line = strings.TrimLeft(line, " \t")
	if len(line) < 3 {
		return ""
	}
	switch line[0] {
	case '|':
		cell, _, _ := strings.Cut(line[1:], "|")
		return cell
	case '-', '*', '+':
		if line[1] != ' ' && line[1] != '\t' {
			return ""
		}
		item := strings.TrimLeft(line[2:], " \t")
		for _, mark := range []string{"**", "__", "`"} {
			if rest, ok := strings.CutPrefix(item, mark); ok {
				if term, text, _ := strings.Cut(rest, mark); strings.TrimSpace(text) != "" {
					return term
				}
			}
		}
	}
	return ""
}

// baseName returns the name of a document without extension, and without a leading number that
// orders it: "setup" for "guides/02-setup". A file that stands for its folder has the name of the
// folder, without a version: "chat" for "npm/chat@1.2.0/README".
func baseName(p string) string {
	dir, name := path.Split(p)
	if rest := strings.TrimLeft(name, "0123456789"); len(rest) > 1 && len(rest) < len(name) && strings.IndexByte("-_.", rest[0]) >= 0 {
		name = rest[1:]
	}
	if dir != "" && slices.Contains(forFolder, strings.ToLower(name)) {
		dir = path.Clean(dir)
		if i := strings.LastIndexByte(dir, '@'); i > 0 && dir[i-1] != '/' && !strings.Contains(dir[i:], "/") {
			dir = dir[:i]
		}
		return baseName(dir)
	}
	return name
}

// forFolder are the names of files that stand for their folders.
var forFolder = []string{"_index", "about", "index", "intro", "introduction", "overview", "readme"}
