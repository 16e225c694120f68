package webpage

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// pattern returns a regular expression that is compiled when it is first used.
var pattern = lazyregexp.New

const (
	// maxClass is the maximum length of a class that is looked at, in bytes.
	maxClass = 1000
	// maxKnown is how many classes are remembered for each expression.
	maxKnown = 500
)

// names returns a function that reports whether an expression finds a name in a class or another attribute. The elements
// of a page have few classes, so the function remembers them: otherwise these expressions take a fifth of the time of a page.
func names(expression string) func(string) bool {
	var known sync.Map
	var count atomic.Int32
	find := pattern(expression)
	return func(class string) bool {
		if class == "" || len(class) > maxClass {
			return false
		}
		if found, ok := known.Load(class); ok {
			return found.(bool)
		}
		if count.Add(1) > maxKnown {
			known.Clear()
			count.Store(0)
		}
		found := find().MatchString(class)
		known.Store(class, found)
		return found
	}
}

// oneOf reports whether an element has one of these names, and is returns a function that does.
func oneOf(n *html.Node, names ...atom.Atom) bool { return slices.Contains(names, n.DataAtom) }

func is(names ...atom.Atom) func(*html.Node) bool {
	return func(n *html.Node) bool { return oneOf(n, names...) }
}

// elementSet returns the elements with these names.
func elementSet(names string) map[atom.Atom]bool {
	set := make(map[atom.Atom]bool)
	for name := range strings.FieldsSeq(names) {
		set[atom.Lookup([]byte(name))] = true
	}
	return set
}

func isHeading(n *html.Node) bool {
	return n != nil && n.Type == html.ElementNode && len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '1' && n.Data[1] <= '6'
}

func isCell(n *html.Node) bool { return oneOf(n, atom.Td, atom.Th) }

func isTable(n *html.Node) bool { return n.DataAtom == atom.Table }

func isPre(n *html.Node) bool { return n.DataAtom == atom.Pre }

func isBreak(n *html.Node) bool { return n.DataAtom == atom.Br }

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, key string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key })
}

func set(n *html.Node, key, value string) {
	drop(n, key)
	n.Attr = append(n.Attr, html.Attribute{Key: key, Val: value})
}

// drop removes attributes of an element, and keepID removes all but its id.
func drop(n *html.Node, keys ...string) {
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return slices.Contains(keys, a.Key) })
}

func keepID(n *html.Node) {
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key != "id" })
}

// hasClass reports whether an element has one of these classes.
func hasClass(n *html.Node, names ...string) bool {
	class := attribute(n, "class")
	return class != "" && slices.ContainsFunc(strings.Fields(class), func(class string) bool { return slices.Contains(names, class) })
}

func remove(n *html.Node) {
	if n.Parent != nil {
		n.Parent.RemoveChild(n)
	}
}

// replace replaces a node with others.
func replace(n *html.Node, by ...*html.Node) {
	for _, b := range by {
		remove(b)
		n.Parent.InsertBefore(b, n)
	}
	remove(n)
}

// unwrap replaces a node with its children.
func unwrap(n *html.Node) {
	if n.Parent != nil {
		replace(n, slices.Collect(n.ChildNodes())...)
	}
}

// fill replaces the children of a node.
func fill(n *html.Node, by ...*html.Node) {
	for n.FirstChild != nil {
		remove(n.FirstChild)
	}
	for _, c := range by {
		remove(c)
		n.AppendChild(c)
	}
}

// rename gives an element another name.
func rename(n *html.Node, a atom.Atom) { n.DataAtom, n.Data = a, a.String() }

// newElement returns an element with these children.
func newElement(a atom.Atom, children ...*html.Node) *html.Node {
	n := &html.Node{Type: html.ElementNode, DataAtom: a, Data: a.String()}
	fill(n, children...)
	return n
}

func newText(text string) *html.Node { return &html.Node{Type: html.TextNode, Data: text} }

func space() *html.Node { return newText(" ") }

// closest returns the innermost element around a node that satisfies is, or nil.
func closest(n *html.Node, is func(*html.Node) bool) *html.Node {
	for n = n.Parent; n != nil && !is(n); {
		n = n.Parent
	}
	return n
}

// within reports whether a node is below another one.
func within(n, region *html.Node) bool {
	return n != nil && (n == region || closest(n, func(p *html.Node) bool { return p == region }) != nil)
}

// holds reports whether an element below a node satisfies is.
func holds(top *html.Node, is func(*html.Node) bool) bool { return descendant(top, is) != nil }

// descendant returns the first element below a node that satisfies is, or nil.
func descendant(top *html.Node, is func(*html.Node) bool) *html.Node {
	for n := range top.Descendants() {
		if n.Type == html.ElementNode && is(n) {
			return n
		}
	}
	return nil
}

// all returns the elements below a node that satisfy is.
func all(top *html.Node, is func(*html.Node) bool) (list []*html.Node) {
	for n := range top.Descendants() {
		if n.Type == html.ElementNode && is(n) {
			list = append(list, n)
		}
	}
	return list
}

// elements returns the elements below a node in the order of the document. The tree may
// be changed during the iteration.
func elements(top *html.Node) []*html.Node {
	return all(top, func(*html.Node) bool { return true })
}

func sibling(n *html.Node, next func(*html.Node) *html.Node) *html.Node {
	n = next(n)
	if n != nil && n.Type == html.TextNode && !hasText(n) {
		n = next(n)
	}
	if n == nil || n.Type != html.ElementNode {
		return nil
	}
	return n
}

// before and after return the previous and the next element if only space is between the two.
func before(n *html.Node) *html.Node {
	return sibling(n, func(n *html.Node) *html.Node { return n.PrevSibling })
}

func after(n *html.Node) *html.Node {
	return sibling(n, func(n *html.Node) *html.Node { return n.NextSibling })
}

// atMost returns the number of nodes below a node, or most if there are more.
func atMost(top *html.Node, most int) (count int) {
	for range top.Descendants() {
		if count++; count == most {
			break
		}
	}
	return count
}

var (
	// divisions are elements that only divide a page into blocks.
	divisions = elementSet("html body main article section div header footer aside nav")
	blocks    = elementSet("p h1 h2 h3 h4 h5 h6 ul ol dl table pre blockquote figure hr details address")
)

// text returns the text below a node.
func text(top *html.Node) string {
	var b strings.Builder
	for n := range top.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	}
	return b.String()
}

// hasText reports whether a node is a text or contains text.
func hasText(n *html.Node) bool {
	return firstText(n) != nil || n.Type == html.TextNode && strings.TrimSpace(n.Data) != ""
}

// withText returns the first one of a node and its next siblings that has text, or nil.
func withText(n *html.Node) *html.Node {
	for n != nil && !hasText(n) {
		n = n.NextSibling
	}
	return n
}

// firstText returns the first text below a node that is not only space, or nil.
func firstText(top *html.Node) *html.Node {
	for n := range top.Descendants() {
		if n.Type == html.TextNode && strings.TrimSpace(n.Data) != "" {
			return n
		}
	}
	return nil
}

// beginning returns the first bytes of the text of a node, without the space before it.
func beginning(top *html.Node, most int) (begin string) {
	nodes := 0
	for n := range top.Descendants() {
		if nodes++; nodes > maxSignature {
			break
		}
		if n.Type == html.TextNode {
			if begin = strings.TrimLeft(begin+n.Data[:min(len(n.Data), most)], " \t\n"); len(begin) >= most {
				return begin[:most]
			}
		}
	}
	return begin
}

// size returns the number of letters and digits below a node.
func size(top *html.Node) int { return weigh(top).text }

// letters returns the number of letters and digits in a text.
func letters(text string) (count int) {
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			count++
		}
	}
	return count
}

// bare returns a text without brackets around it.
func bare(s string) string { return strings.Trim(strings.TrimSpace(s), "[]()| \u00a0") }

// alone returns the outermost element that has no other letters and digits than an element in it, and is inside another element; nil: any.
func alone(n, outer *html.Node) *html.Node {
	for letters := size(n); n.Parent != nil && n.Parent != outer && n.Parent.Type == html.ElementNode && atMost(n.Parent, maxAlone) < maxAlone && size(n.Parent) == letters; {
		n = n.Parent
	}
	return n
}

// maxAlone is how many nodes an element may have whose text is compared with the text of an element in it.
const maxAlone = 50
