package webpage

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// maxNesting is the maximum nesting of lists and quotes: each level writes a mark or spaces before each line.
const maxNesting = 20

// elements returns the elements below a node in the order of the document. The tree may
// be changed during the iteration.
func elements(top *html.Node) []*html.Node {
	return all(top, func(*html.Node) bool { return true })
}

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

// drop removes attributes of an element, and keep removes all but one.
func drop(n *html.Node, keys ...string) {
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return slices.Contains(keys, a.Key) })
}

func keep(n *html.Node, key string) {
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key != key })
}

func remove(n *html.Node) {
	if n.Parent != nil {
		n.Parent.RemoveChild(n)
	}
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

// closest returns the innermost element around a node that satisfies is, or nil.
func closest(n *html.Node, is func(*html.Node) bool) *html.Node {
	for n = n.Parent; n != nil && !is(n); {
		n = n.Parent
	}
	return n
}

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

// classPattern finds the language in the classes that documentation generators and highlighters give to code.
var classPattern = pattern(`(?i)(?:^|\s)(?:language-|(?:[a-z-]+-)?lang-|\w+_language_|highlight-source-|highlight-text-|highlight-|brush:\s*|sourceCode\s+|src-)([a-z0-9+#._-]{1,30})(?:[\s;{]|$)`)

// languageClasses finds languages that are classes of code.
var languageClasses = pattern(`(?i)(?:^|\s)(?:tab-)?(bash|sh|shell|console|python|py|ruby|rust|go|golang|c|cpp|c\+\+|csharp|java|javascript|js|jsx|typescript|ts|tsx|json|yaml|toml|xml|html|css|sql|haskell|ocaml|lua|perl|php|scala|kotlin|swift|julia|r|elixir|erlang|lisp|scheme|clojure|dart|nim|zig|diff|mermaid|ini|makefile|cmake|fortran|vala|powershell)(?:\s|$)`)

// languageOf returns the language of code: from an attribute or a class of the code block, of an element in it,
// or of the elements around it.
func languageOf(pre *html.Node) string {
	inner := cmp.Or(descendant(pre, is(atom.Code)), pre)
	for n, i := inner, 0; n != nil && i < 7; n, i = n.Parent, i+1 {
		isCode := n == inner || n == pre
		if !isCode && !oneOf(n, atom.Div, atom.Figure, atom.Td) {
			continue
		}
		class := attribute(n, "class")
		for _, a := range n.Attr {
			v := strings.ToLower(a.Val)
			if (strings.HasPrefix(a.Key, "data-") && strings.Contains(a.Key, "lang") || a.Key == "language") && isLanguage(v) {
				return v
			}
		}
		m := classPattern().FindStringSubmatch(class)
		if m == nil && (isCode || n.DataAtom == atom.Figure) {
			m = languageClasses().FindStringSubmatch(class)
		}
		if m != nil && isLanguage(m[1]) {
			return strings.ToLower(m[1])
		}
	}
	return ""
}

func isLanguage(s string) bool {
	switch strings.ToLower(s) {
	case "none", "default", "plaintext", "highlight", "en", "en-us", "copy":
		return false
	}
	return languageNames().MatchString(s)
}

var languageNames = pattern(`^[A-Za-z0-9+#._-]{1,30}$`)

// dropped are elements without a meaning in Markdown, or with one that cannot be trusted.
var dropped = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Template: true, atom.Iframe: true, atom.Frame: true, atom.Frameset: true, atom.Object: true,
	atom.Embed: true, atom.Applet: true, atom.Canvas: true, atom.Audio: true, atom.Video: true, atom.Svg: true, atom.Map: true, atom.Area: true,
	atom.Button: true, atom.Input: true, atom.Select: true, atom.Textarea: true, atom.Dialog: true, atom.Link: true, atom.Noframes: true,
}

// prepare simplifies a tree before the search for the main content. It returns how many characters the page hides.
func prepare(doc *html.Node) (unseen int) {
	for _, n := range elements(doc) {
		switch {
		case n.Parent == nil: // it is in something that was removed
		case n.DataAtom == atom.Button && opens(n): // it opens what follows, such as a folder in a file tree
			for _, c := range all(n, func(c *html.Node) bool { return c.Parent == n && c != n.FirstChild }) {
				n.InsertBefore(space(), c)
			}
			if inLabel(n) {
				unwrap(n)
			} else {
				rename(n, atom.Div)
			}
		case twin(n):
		case has(n, "aria-label") && lacking(n):
			replace(n, newText(attribute(n, "aria-label")))
		case n.DataAtom == atom.Button && inSentence(n):
			unwrap(n)
		case dropped[n.DataAtom] && !isData(n), hidden(n), (n.DataAtom == atom.Span || isHeading(n)) && spoken(attribute(n, "class")) && (after(n) == nil || !twin(after(n))):
			if remove(n); hidden(n) {
				unseen += weigh(n).prose()
			}
		case numbersOf(n):
			remove(n)
		case n.DataAtom == atom.Pre:
			if l := before(n); l != nil && oneOf(l, atom.Span, atom.Div) && strings.EqualFold(strings.TrimSpace(text(l)), languageOf(n)) {
				remove(l) // the name of the language
			}
			code(n)
		case n.DataAtom == atom.Table:
			spans(n)
		case attribute(n, "aria-hidden") == "true" && opened(n):
			drop(n, "aria-hidden")
		case n.DataAtom == atom.Aside && note(n):
			rename(n, atom.Div)
			keep(n, "id")
		}
	}
	for _, n := range elements(doc) {
		if n.DataAtom == atom.Table && n.Parent != nil && !hasLines(n) {
			divideTable(n)
		}
	}
	return unseen
}

// buttonNames finds the names and classes of buttons that are for the visitor of a page.
var buttonNames = pattern(`(?i)copy|copied|search|menu|theme|prev|next|close|feedback|share|language|lang-|locale|page-|tab`)

// spoken finds the classes of texts that are only for screen readers.
var spoken = names(`(?i)(^|\s)(sr-only|visually-?hidden|screen-?reader\S*)(\s|$)`)

// twin removes a mark for eyes next to a text for screen readers, which says the same in words: that text stays. In links and
// buttons it is help, such as "opens in a new tab".
func twin(n *html.Node) bool {
	if attribute(n, "aria-hidden") != "true" || closest(n, pressed) != nil {
		return false
	}
	for _, c := range []*html.Node{before(n), after(n)} {
		if c != nil && c.DataAtom == atom.Span && spoken(attribute(c, "class")) && letters(beginning(c, maxBegin)) > 0 {
			drop(c, "class")
			remove(n)
			return true
		}
	}
	return false
}

// lacking reports whether an icon is all that its cell has, or stands between the words of a sentence.
func lacking(n *html.Node) bool {
	if !oneOf(n, atom.Svg, atom.I, atom.Span, atom.Img) || n.DataAtom != atom.Svg && hasText(n) || attribute(n, "alt") != "" || closest(n, pressed) != nil {
		return false
	}
	cell := closest(n, isCell)
	return cell != nil && atMost(cell, maxAlone) < maxAlone && (!hasText(cell) || strings.TrimSpace(text(cell)) == strings.TrimSpace(text(n))) || inSentence(n)
}

// inSentence reports whether an element stands between words.
func inSentence(n *html.Node) bool {
	word := func(n *html.Node) bool { return n != nil && n.Type == html.TextNode && letters(n.Data) > 0 }
	return word(n.PrevSibling) && word(n.NextSibling)
}

// pressed reports whether an element is a link or a button.
func pressed(n *html.Node) bool { return oneOf(n, atom.A, atom.Button) }

// opens reports whether a button opens content that follows it, or has content: a paragraph, or several parts.
func opens(button *html.Node) bool {
	next, parts := after(button), all(button, func(c *html.Node) bool { return c.Parent == button && hasText(c) })
	if (len(parts) > 1 || holds(button, is(atom.P, atom.Code))) && !has(button, "aria-haspopup") && !holds(button, is(atom.Kbd)) &&
		!buttonNames().MatchString(attribute(button, "class")+" "+attribute(button, "aria-label")+" "+attribute(button, "title")+" "+beginning(button, maxBegin)) {
		return true
	}
	expands := has(button, "aria-expanded") && !has(button, "aria-haspopup") && (next != nil || inLabel(button))
	return inMain(button) && (expands || next != nil && next.DataAtom == atom.Ul && button.Parent.DataAtom == atom.Li)
}

// inLabel reports whether an element is in a line of a heading or a term.
func inLabel(n *html.Node) bool {
	line := closest(n, func(p *html.Node) bool { return !phrasing[p.DataAtom] })
	return isHeading(line) || line != nil && line.DataAtom == atom.Dt
}

// inMain reports whether an element is inside a declared main element.
func inMain(n *html.Node) bool {
	return closest(n, func(p *html.Node) bool {
		return oneOf(p, atom.Main, atom.Article, atom.Section) || attribute(p, "role") == "main"
	}) != nil
}

// before and after return the previous and the next element if only space is between the two.
func before(n *html.Node) *html.Node {
	return sibling(n, func(n *html.Node) *html.Node { return n.PrevSibling })
}
func after(n *html.Node) *html.Node {
	return sibling(n, func(n *html.Node) *html.Node { return n.NextSibling })
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

func isHeading(n *html.Node) bool {
	return n != nil && n.Type == html.ElementNode && len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '1' && n.Data[1] <= '6'
}

// note reports whether an aside is content: a footnote, a citation or the like, or paragraphs in a section that are hardly links.
// Admonitions are quotes already.
func note(n *html.Node) bool {
	if strings.HasPrefix(attribute(n, "role"), "doc-") || hasClass(n, "footnote", "footnote-list", "citation", "citation-list", "topic") {
		return true
	}
	w := weigh(n)
	return (inMain(n) || !named(n, ambiguousNames) && !named(n, navigationNames)) && 10*w.linked < w.text && holds(n, is(atom.P, atom.Pre))
}

// unlist turns lists into divisions if their items are sections that begin with headings, as Javadoc and
// scaladoc write them, or footnotes: readers do not find these in a Markdown list.
func unlist(content *html.Node) {
	for _, list := range elements(content) {
		if !oneOf(list, atom.Ul, atom.Ol) {
			continue
		}
		items := all(list, func(n *html.Node) bool { return n.Parent == list && n.DataAtom == atom.Li && size(n) > 0 })
		if len(items) > 0 && !slices.ContainsFunc(items, func(n *html.Node) bool { return !beginsSection(n) }) {
			for _, n := range append(items, list) {
				rename(n, atom.Div)
			}
		}
	}
}

// beginsSection reports whether the first text in an element is in a heading, or begins a footnote.
func beginsSection(top *html.Node) bool {
	n := firstText(top)
	return n != nil && (strings.HasPrefix(n.Data, noteStart) || isHeading(closest(n, func(p *html.Node) bool { return isHeading(p) || p == top })))
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

// flattenLists turns lists and quotes that are nested too deeply into paragraphs, in an element at a depth. Elements are nested up to
// maxDepth.
func flattenLists(top *html.Node, depth int) {
	for n := top.FirstChild; n != nil; n = n.NextSibling {
		inside, marked := depth, oneOf(n, atom.Blockquote, atom.Ul, atom.Ol)
		if marked {
			inside++
		}
		if inside > maxNesting && (marked || n.DataAtom == atom.Li) {
			n.DataAtom, n.Data, n.Attr = atom.Div, "div", nil
		}
		flattenLists(n, inside)
	}
}

// isData reports whether a script holds data about the page, which readability reads.
func isData(n *html.Node) bool {
	return n.DataAtom == atom.Script && attribute(n, "type") == "application/ld+json"
}
