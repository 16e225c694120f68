package webpage

import (
	"errors"
	"fmt"
	"io"
	"runtime/metrics"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxDepth is the maximum nesting of elements. Deeper elements become siblings of their parents.
const maxDepth = 200

// parse parses HTML, and flattens deep nesting for recursive functions. The notes say what is missing.
func parse(text string) (doc *html.Node, notes []string, err error) {
	t := newTokens(text)
	if doc, err = t.tree(); err != nil {
		t = newTokens(shallow(text))
		t.plain = true
		notes = append(notes, "Elements of the page are nested too deeply: only headings, paragraphs and code are here.")
		doc, err = t.tree()
	}
	if err != nil {
		return nil, nil, err
	}
	if t.cut {
		notes = append(notes, fmt.Sprintf("The page is cut: it takes too much memory or time, so only the first %d of %d bytes were read.", t.from, len(t.text)))
	}
	reveal(doc, text)
	if !flatten(doc, maxNodes) {
		notes = append(notes, fmt.Sprintf("The page is cut: only the first %d of its elements and texts were read.", maxNodes))
	}
	return doc, notes, nil
}

// A tokens is an [io.Reader] that gives the HTML to the parser a few tokens at a time, so that the parser stops
// when its tree exceeds a bound. One tag can create as many elements as are open,
// up to 512, and a text can be appended to one of any length. So neither the size of a page nor the number of its
// tags limits the size of its tree.
type tokens struct {
	meter *meter
	text  string
	z     *html.Tokenizer
	from  int  // the parser has read the text up to here
	to    int  // the end of the tokens to read next
	plain bool // the text is [shallow]
	cut   bool // the parser gets no more text
}

const mostTokens = 2 << 10 // bytes

var errStrange = errors.New("its tree takes too much memory")

func newTokens(text string) *tokens {
	return &tokens{meter: newMeter(), text: text, z: html.NewTokenizer(strings.NewReader(text))}
}

// tree parses the HTML.
func (t *tokens) tree() (*html.Node, error) {
	return html.ParseWithOptions(t, html.ParseOptionEnableScripting(false))
}

// Read gives the parser the next tokens.
func (t *tokens) Read(p []byte) (int, error) {
	if t.from == t.to {
		switch full, strange := t.meter.look(t.from); {
		case full || strange && t.plain:
			t.cut = true
			return 0, io.EOF
		case strange:
			return 0, errStrange
		}
		for t.to-t.from < mostTokens && t.to < len(t.text) {
			if t.z.Next() == html.ErrorToken {
				t.to = len(t.text)
			} else {
				t.to += len(t.z.Raw())
			}
		}
		if t.from == t.to {
			return 0, io.EOF
		}
	}
	n := copy(p, t.text[t.from:t.to])
	t.from += n
	return n, nil
}

// shallow returns HTML with no tags of elements that can be in each other: only headings, paragraphs and code are left.
func shallow(text string) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		raw := string(z.Raw())
		if kind == html.StartTagToken || kind == html.EndTagToken {
			switch tag, _ := z.TagName(); atom.Lookup(tag) {
			case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.P, atom.Br, atom.Hr, atom.Title, atom.Script, atom.Style:
			case atom.Pre:
				raw = "</pre>" + raw
			default:
				if raw = "<p>"; phrasing[atom.Lookup(tag)] {
					raw = ""
				}
			}
		}
		b.WriteString(raw)
	}
	return b.String()
}

// void are elements that have no content.
var void = map[atom.Atom]bool{
	atom.Area: true, atom.Base: true, atom.Br: true, atom.Col: true, atom.Embed: true, atom.Hr: true, atom.Img: true, atom.Input: true,
	atom.Link: true, atom.Meta: true, atom.Param: true, atom.Source: true, atom.Track: true, atom.Wbr: true,
}

// flatten moves elements that are deeper than maxDepth upwards, and removes everything after the first most nodes.
// whole reports that nothing was removed.
func flatten(doc *html.Node, most int) (whole bool) {
	depth, count := 0, 0
	for n := doc; n != nil; {
		if count++; count > most {
			for ; n != nil; n = n.Parent {
				for n.NextSibling != nil {
					remove(n.NextSibling)
				}
			}
			return false
		}
		if depth == maxDepth {
			// The children now follow n: the loop visits them next.
			for c := n.LastChild; c != nil; c = n.LastChild {
				n.RemoveChild(c)
				n.Parent.InsertBefore(c, n.NextSibling)
			}
		}
		if n.FirstChild != nil {
			n = n.FirstChild
			depth++
			continue
		}
		for n != nil && n.NextSibling == nil {
			n = n.Parent
			depth--
		}
		if n != nil {
			n = n.NextSibling
		}
	}
	return true
}

// Bounds on what a page may cost. A page that exceeds one is cut, with a note. How long the processor time takes depends on the load
// of the computer.
const (
	maxBytes  = 64 << 20 // of HTML
	maxNodes  = 2_400_000
	maxMemory = 300 << 20       // bytes that making the tree may add to the heap
	parseTime = 4 * time.Second // of the processor, for making the tree
	pageTime  = 7 * time.Second // of the processor, for everything

	// A tree usually takes 30 times its text, and 60 times if the text consists of short cells. A tree that takes more
	// than usualMemory and more than perByte times its text comes from tags that each open many elements again.
	usualMemory = 32 << 20
	perByte     = 128
)

// A meter measures the cost of making a tree. It also counts other work of the process.
type meter struct {
	sample []metrics.Sample
	least  uint64        // bytes
	until  time.Duration // of [processTime]
}

func newMeter() *meter {
	m := &meter{sample: []metrics.Sample{{Name: "/gc/heap/live:bytes"}}, until: processTime() + parseTime}
	metrics.Read(m.sample)
	m.least = m.sample[0].Value.Uint64()
	return m
}

// look reports whether a bound is reached after read bytes, and whether the tree takes more memory than its text
// explains.
func (m *meter) look(read int) (full, strange bool) {
	metrics.Read(m.sample)
	now := m.sample[0].Value.Uint64()
	m.least = min(m.least, now)
	taken := now - m.least
	return taken > maxMemory || processTime() > m.until, taken > usualMemory+uint64(read)*perByte
}

// Bounds of [reveal]. A node may be moved again with the part that it was moved to.
const (
	maxReveals = 2_000
	maxMoved   = 1_000_000 // nodes
)

// reveals finds the calls that put parts of a page to their places.
var reveals = pattern(`\$R([CRS])\("([^"]+)", ?"([^"]+)"`)

// boundaries are the comments that begin and end boundaries.
var boundaries = map[string]int{"$": 1, "$?": 1, "$!": 1, "$~": 1, "/$": -1}

// reveal puts the parts that React streams at the end of a page, hidden, to their places, as the scripts of the page do. $RC and $RR
// replace everything from a template up to the comment that ends its boundary, and $RS replaces only a template:
//
//	<!--$?--><template id="B:0"></template><p>Loading…</p><!--/$-->
//	<div hidden id="S:0"><main>…</main></div><script>$RC("B:0","S:0")</script>
func reveal(doc *html.Node, text string) {
	calls, ids := reveals().FindAllStringSubmatch(text, maxReveals), make(map[string]*html.Node)
	for n := range doc.Descendants() {
		if id := attribute(n, "id"); len(calls) > 0 && id != "" && ids[id] == nil {
			ids[id] = n
		}
	}
	moved := 0
	for _, call := range calls {
		place, part := ids[call[2]], ids[call[3]]
		if call[1] == "S" {
			place, part = part, place
		}
		if moved > maxMoved || place == nil || part == nil || place.Parent == nil || within(place, part) {
			continue
		}
		depth := 0 // of the boundaries in what is replaced
		for n := place.NextSibling; n != nil && call[1] != "S"; n = place.NextSibling {
			if n.Type == html.CommentNode {
				depth += boundaries[n.Data]
			}
			if depth < 0 {
				break
			}
			remove(n)
		}
		children := slices.Collect(part.ChildNodes())
		moved += len(children)
		replace(place, children...)
		remove(part)
	}
}
