package webpage

import (
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The templates of a site put columns and bars around the content. clearRegion follows the content
// from element to element, down to the one that has the page's heading and paragraphs as children,
// and removes navigation around each of them:
//
//	<body>
//	  <div class="navheader">…</div>    removed: its class is one for navigation
//	  <div id="column2"><a>…</a>…</div> removed: it has only links, and less text than the content
//	  <div id="column1">                followed: it has the heading, and most of the text
//	    <h1>…</h1> <p>…</p>             kept
//	    <ul><li><a>…</a>…</ul>          kept: links among the content belong to it

// maxLayout is the maximum number of layout elements around the content.
const maxLayout = 16

// A weight measures the text in a part of a document, in letters and digits.
type weight struct{ text, linked, links, headings int }

// prose returns the amount of text outside links.
func (w weight) prose() int { return w.text - w.linked }

func (w weight) plus(v weight) weight {
	return weight{w.text + v.text, w.linked + v.linked, w.links + v.links, w.headings + v.headings}
}

func weigh(top *html.Node) weight { return weighEach(top, false, func(*html.Node, weight) {}) }

// weighEach calls visit with the weight of each node below and including top, children first.
func weighEach(top *html.Node, linked bool, visit func(*html.Node, weight)) (w weight) {
	switch {
	case top.Type == html.TextNode:
		if w.text = letters(top.Data); linked {
			w.linked = w.text
		}
	case top.DataAtom == atom.A && has(top, "href"):
		w.links, linked = 1, true
	case isHeading(top):
		w.headings = 1
	}
	for c := range top.ChildNodes() {
		w = w.plus(weighEach(c, linked, visit))
	}
	visit(top, w)
	return w
}

// The first pattern matches classes and ids of navigation and of the parts at the end of each page. The
// second matches those that templates also use for parts of the content.
var (
	navigationNames = names(`(?i)(^|[\s_-])(bread-?crumbs?|[a-z]{0,6}footer|foot|copyright|legal-?copy|[a-z]{0,6}nav(bar|igation\w*|path|row|table|header|footer|set\w*)?|pager|pagination|prev-?next|next-?prev|(page|article)-meta)([\s_-]|$)`)
	ambiguousNames  = names(`(?i)(^|[\s_-])(banner|[a-z]{0,6}header|masthead|[a-z]{0,6}menu(bar)?|related|search\w*|side-?(bar|nav|menu)\w*|skip\w*|toc-?(frame|nav)|top-?bar)([\s_-]|$)`)
)

func named(n *html.Node, names func(string) bool) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return (a.Key == "class" || a.Key == "id") && names(a.Val) })
}

// core returns the innermost element that contains all the text of a part of the layout, such as the bar in
// a table of one cell.
func core(n *html.Node) *html.Node {
	for range maxLayout {
		var only *html.Node
		for c := range n.ChildNodes() {
			if weigh(c).text == 0 {
				continue
			}
			if only != nil || c.Type != html.ElementNode {
				return n
			}
			only = c
		}
		if only == nil || named(n, navigationNames) || named(n, ambiguousNames) {
			return n
		}
		n = only
	}
	return n
}

// clearRegion removes navigation from a region. It keeps the heading of the page, own, which may be nil.
func clearRegion(region, own *html.Node) {
	all := weigh(region)
	for _, n := range elements(region) {
		switch {
		case n.Parent == nil || !aside(n) || n.DataAtom == atom.Header && within(own, n):
		case n.DataAtom == atom.Form && 2*weigh(n).prose() > all.prose():
			rename(n, atom.Div)
		// of the page, not of the site
		case n.DataAtom == atom.Header && size(n) >= enough && 10*weigh(n).prose() > all.prose():
		default:
			remove(n)
		}
	}
	all = weigh(region)
	clearBars(region, all)
	for n, depth := region, 0; n != nil && depth < maxLayout; depth++ {
		n = clearAround(n, own)
	}
}

// clearBars removes bars of links anywhere in a region. It removes ambiguous ones only before the heading.
func clearBars(region *html.Node, all weight) {
	highest, passed := rank(region), false
	var bars []*html.Node
	// one pass: bars may contain others
	weighEach(region, false, func(n *html.Node, w weight) {
		passed = passed || isHeading(n) && level(n) == highest
		if w.links > 1 && 10*w.linked >= 7*w.text && 2*w.text <= all.text && w.headings == 0 && (named(n, navigationNames) || !passed && named(n, ambiguousNames)) {
			bars = append(bars, n)
		}
	})
	for _, n := range bars {
		remove(n)
	}
}

// pageLinks finds the texts of links to the pages around a page.
var pageLinks = pattern(`(?i)^\W*((prev(ious)?|next|up|back|top|home|start|first|last|contents|table of contents|toc|index|glossary)( (of|to))?( (the )?(book|page|chapter|section|topic))?)\W*$`)

// pagerNames finds the classes of such links, which do not depend on the language of the page.
var pagerNames = names(`(?i)(^|[\s_-])(prev|previous|next|up)([\s_-]|$)`)

// colophon finds the start of a note about how and when a page was made, or of a question to its visitor.
var colophon = pattern(`(?i)^\W*((documentation |site |this \w+ (is|was) )?(automatically )?(generated|built|powered|created|translated)( from .{1,40}?)? (by|with|using|on)\s|last (updated|modified)|retrieved from|(was|is|did) this .{0,30}(helpful|useful|help you)|.{0,20}provide feedback|need help|(copyright )?(©|\(c\)) ?\d{4})`)

// pager reports whether an element has little but links to the pages around a page.
func pager(n *html.Node, w weight) bool {
	if w.links < 2 || w.headings > 0 || w.prose() > 15 || w.text > 5*enough {
		return false
	}
	words := 0
	for c := range n.Descendants() {
		if c.DataAtom != atom.A {
			continue
		}
		name := text(c)
		if image := descendant(c, is(atom.Img)); image != nil {
			name += attribute(image, "alt")
		}
		if pageLinks().MatchString(name) || pagerNames(attribute(c, "class")+" "+attribute(c, "rel")) {
			words++
		}
	}
	return words > 1 && 4*words >= 3*w.links
}

// commentNames finds the classes and ids of the comments of readers.
var commentNames = names(`(?i)(^|\s)(\S+-)?(comments|respond|disqus_thread)(\s|$)`)

// A piece is an element of the layout, or a text in it.
type piece struct {
	*html.Node
	weight
	rank int
}

// A layout is the children of an element.
type layout struct {
	own     *html.Node // of the page; nil: unknown
	parts   []piece
	all     weight
	best    piece
	highest int
	inside  bool
}

// layoutOf measures the children of an element.
func layoutOf(n, own *html.Node) *layout {
	l := &layout{own: own}
	for c := range n.ChildNodes() {
		p := piece{c, weigh(c), rank(c)}
		l.parts = append(l.parts, p)
		l.all = l.all.plus(p.weight)
		if p.rank > 0 && (l.highest == 0 || p.rank < l.highest) {
			l.highest = p.rank
		}
		if c.Type == html.ElementNode && (l.best.Node == nil || p.prose() > l.best.prose()) {
			l.best = p
		}
	}
	l.inside = l.best.Node != nil && mayBeLayout(l.best.Node) && 2*l.best.prose() >= l.all.prose() && l.best.rank == l.highest
	return l
}

// around reports whether a part is around the content. leads says that nothing of the content comes before it.
func (l *layout) around(p piece, leads bool) bool {
	if p.Type != html.ElementNode || isHeading(p.Node) || within(l.own, p.Node) || l.inside && p.Node == l.best.Node || !l.inside && p.rank > 0 && p.rank == l.highest {
		return false
	}
	if class := attribute(p.Node, "class"); l.inside && p.rank == l.highest && class != "" && class == attribute(l.best.Node, "class") {
		return false // a section like the longest one, such as "See also"
	}
	if 2*p.text <= l.all.text && (pager(p.Node, p.weight) || p.text < enough && colophon().MatchString(text(p.Node))) {
		return true
	}
	bar := core(p.Node)
	if named(bar, navigationNames) && 2*p.prose() <= l.all.prose() {
		return true
	}
	if !l.inside {
		return leads && l.highest > 0 && p.rank == 0 && p.links >= 3 && 3*p.linked >= 2*p.text ||
			named(bar, ambiguousNames) && (10*p.linked >= 4*p.text || 20*p.prose() <= l.all.prose())
	}
	return named(bar, ambiguousNames) && (2*p.linked >= p.text || 10*p.prose() <= l.best.prose()) ||
		named(p.Node, commentNames) ||
		p.links >= 3 && 4*p.linked >= 3*p.text && p.text <= l.best.text && l.best.prose() >= enough && (p.DataAtom != atom.P || p.prose() == 0)
}

// clearEdge removes the links of the site that a rule keeps apart from the content, at the start of the parts.
func (l *layout) clearEdge(parts []piece) {
	var w weight
	edge := parts[:1+slices.IndexFunc(parts, func(p piece) bool { return p.DataAtom == atom.Hr })]
	for _, p := range edge {
		if w = w.plus(p.weight); holds(p.Node, is(atom.Li)) {
			w.headings++
		}
	}
	for i := 0; i < len(edge) && w.links > 2 && w.headings == 0 && w.prose() < maxLabels/2 && 2*w.text <= l.all.text; i++ {
		remove(edge[i].Node)
	}
}

// clearAround removes the elements around the content among the children of an element, and returns the
// child that contains the content; nil: these children are the content.
func clearAround(n, own *html.Node) (content *html.Node) {
	l := layoutOf(n, own)
	if l.inside {
		for _, p := range l.parts {
			if l.around(p, false) {
				remove(p.Node)
			}
		}
		return l.best.Node
	}
	backwards := slices.Clone(l.parts)
	slices.Reverse(backwards)
	l.clearEdge(l.parts)
	l.clearEdge(backwards)
	// Next to content, remove only elements before its first heading and after all of it.
	for _, p := range l.parts {
		if !l.around(p, true) && p.rank > 0 {
			break
		} else if l.around(p, true) {
			remove(p.Node)
		}
	}
	for _, p := range backwards {
		if l.around(p, false) && !(p.rank > 0 && named(core(p.Node), navigationNames)) {
			remove(p.Node)
		} else if p.text > 0 {
			break
		}
	}
	return nil
}

// mayBeLayout reports whether an element may be a part of the layout. A table may be one if it contains
// paragraphs or headings.
func mayBeLayout(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Div, atom.Section, atom.Article, atom.Main, atom.Center, atom.Body, atom.Form, 0:
		return true
	case atom.Table, atom.Tbody, atom.Tr, atom.Td:
		return holds(n, func(c *html.Node) bool { return isHeading(c) || c.DataAtom == atom.P })
	}
	return false
}

// level returns the level of a heading.
func level(heading *html.Node) int { return int(heading.Data[1] - '0') }

// rank returns the level of the highest heading in a part of a document, or 0 if it has none.
func rank(top *html.Node) (highest int) {
	for _, n := range append(all(top, isHeading), top) {
		if isHeading(n) && (highest == 0 || level(n) < highest) && size(n) > 0 {
			highest = level(n)
		}
	}
	return highest
}
