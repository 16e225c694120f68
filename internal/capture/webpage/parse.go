package webpage

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"runtime/metrics"
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

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

// maxDepth is the maximum nesting of elements. Deeper elements become siblings of their parents.
const maxDepth = 200

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
	least uint64
	plain bool
	cut   bool
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
var void = elementSet("area base br col embed hr img input link meta param source track wbr")

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
	maxMoved   = 1_000_000
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
		depth := 0
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

func bodyOf(doc *html.Node) *html.Node {
	return cmp.Or(descendant(doc, is(atom.Body)), doc)
}

// baseOf returns the URL that the links of a document are relative to. Every link contains it, so [resolve] limits its
// length.
func baseOf(doc *html.Node, at *url.URL) *url.URL {
	if base := descendant(doc, func(n *html.Node) bool { return n.DataAtom == atom.Base && attribute(n, "href") != "" }); base != nil {
		if u := resolve(at, attribute(base, "href")); u != nil && u.Scheme != "mailto" {
			return u
		}
	}
	return at
}

const (
	maxSelector     = 1000
	maxAlternatives = 50
)

// ParseSelector parses a group of CSS selectors. Errors are for the author of the selector.
func ParseSelector(s string) (cascadia.SelectorGroup, error) {
	if len(s) > maxSelector {
		return nil, fmt.Errorf("has %d bytes, must have at most %d", len(s), maxSelector)
	}
	group, err := cascadia.ParseGroup(s)
	if err != nil {
		return nil, fmt.Errorf("is not a CSS selector: %w", err)
	}
	if len(group) > maxAlternatives {
		return nil, fmt.Errorf("has more than %d alternatives", maxAlternatives)
	}
	return group, nil
}

// selected returns the elements that one of the selectors selects, in the order of the document, without elements
// inside other selected elements.
func selected(doc *html.Node, selectors []string) (found []*html.Node, err error) {
	var all cascadia.SelectorGroup
	for _, s := range selectors {
		group, err := ParseSelector(s)
		if err != nil {
			return nil, fmt.Errorf("%q %w", s, err)
		}
		all = append(all, group...)
	}
	known := make(map[*html.Node]bool)
	for _, n := range cascadia.QueryAll(doc, all) {
		if known[n] = true; closest(n, func(p *html.Node) bool { return known[p] }) == nil {
			found = append(found, n)
		}
	}
	return found, nil
}

// narrow keeps only the parts of a document that include selects, or everything if include is empty, and
// removes those that exclude selects.
func narrow(doc *html.Node, include, exclude []string) error {
	list, err := selected(doc, exclude)
	for _, n := range list {
		remove(n)
	}
	if err != nil || len(include) == 0 {
		return err
	}
	list, err = selected(doc, include)
	body := descendant(doc, is(atom.Body, atom.Frameset))
	if err == nil && body != nil && !slices.ContainsFunc(list, func(n *html.Node) bool { return n == body || n.DataAtom == atom.Html }) {
		for _, n := range list {
			remove(n)
		}
		fill(body, list...)
	}
	return err
}
