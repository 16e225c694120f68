package webpage

import (
	"errors"
	"fmt"
	"io"
	"math"
	"runtime/metrics"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxDepth is the maximum nesting of elements. Deeper elements become siblings of their parents.
const maxDepth = 200

// parse parses HTML, and flattens deep nesting for recursive functions. The notes say what is missing.
func parse(text string) (doc *html.Node, notes []string, err error) {
	r := newMeter(text)
	if doc, err = r.tree(); err != nil {
		r = newMeter(shallow(text))
		r.plain = true
		notes = append(notes, "Elements of the page are nested too deeply: only headings, paragraphs and code are here.")
		doc, err = r.tree()
	}
	if err != nil {
		return nil, nil, err
	}
	if r.cut {
		notes = append(notes, fmt.Sprintf("The page is cut: it takes too much memory, so only the first %d of %d bytes were read.", r.Size()-int64(r.Len()), r.Size()))
	}
	reveal(doc, text)
	if !flatten(doc) {
		notes = append(notes, fmt.Sprintf("The page is cut: only the first %d of its elements and texts were read.", maxNodes))
	}
	return doc, notes, nil
}

// Bounds of the tree of a page, in bytes. A tree usually takes 30 times its text, and 60 times if the text consists of short cells.
// One tag can create as many elements as are open, up to 512: then a tree takes more than usualMemory and more than perByte times its text.
const (
	maxMemory   = 300 << 20
	usualMemory = 32 << 20
	perByte     = 128
)

// A meter gives HTML to the parser a part at a time, and measures the memory of the tree, with other work of the process.
type meter struct {
	*strings.Reader
	live  []metrics.Sample
	least uint64 // bytes
	plain bool   // the text is [shallow]
	cut   bool   // the parser gets no more text
}

var errStrange = errors.New("its tree takes too much memory")

func newMeter(text string) *meter {
	return &meter{Reader: strings.NewReader(text), live: []metrics.Sample{{Name: "/gc/heap/live:bytes"}}, least: math.MaxUint64}
}

func (m *meter) tree() (*html.Node, error) {
	return html.ParseWithOptions(m, html.ParseOptionEnableScripting(false))
}

// Read gives the parser the next part.
func (m *meter) Read(p []byte) (int, error) {
	metrics.Read(m.live)
	now := m.live[0].Value.Uint64()
	m.least = min(m.least, now)
	switch taken := now - m.least; {
	case taken > maxMemory, m.plain && taken > usualMemory+perByte*uint64(m.Size()-int64(m.Len())):
		m.cut = true
		return 0, io.EOF
	case taken > usualMemory+perByte*uint64(m.Size()-int64(m.Len())):
		return 0, errStrange
	}
	return m.Reader.Read(p[:min(len(p), 2<<10)])
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

// flatten moves elements that are deeper than maxDepth upwards, and removes everything after the first maxNodes nodes.
// whole reports that nothing was removed.
func flatten(doc *html.Node) (whole bool) {
	depth, count := 0, 0
	for n := doc; n != nil; {
		if count++; count > maxNodes {
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

// maxNodes is how many elements and texts of a page are read.
const maxNodes = 2_400_000

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
