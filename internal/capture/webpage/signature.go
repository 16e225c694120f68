package webpage

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// signature replaces the signature of a function, a type or the like with a code block. It knows the HTML of Sphinx,
// Javadoc, rustdoc and Doxygen.
func signature(n *html.Node) bool {
	language := ""
	switch {
	case n.DataAtom == atom.Dt && hasClass(n, "sig"):
		if m := languageClasses().FindStringSubmatch(attribute(n, "class") + " " + attribute(n.Parent, "class")); m != nil {
			language = m[1]
		}
	case n.DataAtom == atom.Div && hasClass(n, "memproto"):
		language = "cpp"
	case isHeading(n) && hasClass(n, "code-header"):
		inlineSignature(n)
		return true
	case signed(n):
		if descendant(n, func(c *html.Node) bool {
			return (blocks[c.DataAtom] || divisions[c.DataAtom] && hasText(c)) && (n.DataAtom != atom.Table || c.DataAtom == atom.Pre)
		}) != nil {
			return false
		}
		switch {
		case !oneOf(n, atom.P, atom.Div, atom.Table), inCode(n):
			inlineSignature(n)
			return true
		case holds(n, isBreak): // it has lines
			rename(n, atom.Pre)
			return true
		}
	default:
		return false
	}
	content := signatureText(n)
	if content == "" {
		return false
	}
	code := newElement(atom.Code, newText(content))
	if language != "" {
		code.Attr = []html.Attribute{{Key: "class", Val: "language-" + language}}
	}
	rename(n, atom.Div)
	keep(n, "id")
	fill(n, newElement(atom.Pre, code))
	return true
}

var (
	// signatureNames finds the classes of signatures, signatureStarts the classes of their first words, and signatureParts the classes of
	// their parameters.
	signatureNames  = names(`(?i)(^|[\s_-])(sig|signature|proto|prototype|callseq|decl|declaration)(\s|$)`)
	signatureStarts = names(`(?i)(^|[\s_-])(keyword|defname)(\s|$)`)
	signatureParts  = names(`(?i)(^|[\s_-])(args?|arguments?|params?|parameters?)(-?list)?(\s|$)`)
	// signatureShape finds a name with its parameters: few words, brackets, few words.
	signatureShape = pattern(`^(\S+\s+){0,5}\S*[\pL\d_?!]\([^()]*(\([^()]*\)[^()]*)*\)\S*(\s+\S+){0,5}$`)
	// signatureArrow finds a name with its parameters and an arrow before the result.
	signatureArrow = pattern(`^[\w.:]+\([^()]*\)\s*(->|→|⇒|=>)`)
	// signatureMarks finds a sign that words are not a sentence.
	signatureMarks = pattern(`[(){}<>\[\]=:;→⇒#]|^\s*(\S+\s*){1,3}$`)
)

const (
	// maxSignature is how many nodes and bytes a signature may have that only its parameters reveal, and maxBegin how many bytes
	// of other elements are looked at.
	maxSignature = 1000
	maxBegin     = 200
)

// signed reports whether an element is a signature: its class says so, or it begins with a word that its class calls a keyword, or it
// is a name with parameters.
func signed(n *html.Node) bool {
	switch n.DataAtom {
	case atom.P, atom.Div, atom.Td, atom.Li, atom.Span, atom.Table:
	case atom.Dt, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return hasParameters(n) || isHeading(n) && signatureArrow().MatchString(beginning(n, maxSignature)) && weigh(n).linked == 0 || isHeading(n) && classed(n) && firstLink(n) == nil || descendant(n, func(c *html.Node) bool { // after its name
			return c.Parent == n && c.DataAtom == atom.Span && classed(c)
		}) != nil
	default:
		return false
	}
	if len(attribute(n, "class")) > maxClass { // each link in it asks
		return false
	}
	first := n.FirstChild
	if first != nil && !hasText(first) {
		first = first.NextSibling
	}
	return classed(n) || hasClass(n, "src") && !oneOf(n, atom.Div, atom.Span) ||
		first != nil && first.DataAtom == atom.Span && first.NextSibling != nil && signatureStarts(attribute(first, "class")) && !inCode(n) ||
		n.DataAtom != atom.Span && hasParameters(n)
}

// classed reports whether the class of an element says that it is a signature, and its text does not contradict.
func classed(n *html.Node) bool {
	return signatureNames(attribute(n, "class")) && signatureMarks().MatchString(beginning(n, maxBegin))
}

// hasParameters reports whether an element is a name and its parameters, which an element in it contains. Links in headings, lists and
// tables are kept instead: code has no links.
func hasParameters(n *html.Node) bool {
	nodes, bytes, found := 0, 0, false
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			bytes += len(c.Data)
		}
		if nodes++; nodes+bytes > maxSignature || blocks[c.DataAtom] || divisions[c.DataAtom] {
			return false
		}
		if signatureParts(attribute(c, "class")) {
			before := c.PrevSibling
			found = found || strings.HasPrefix(beginning(c, maxBegin), "(") || before != nil && strings.HasSuffix(strings.TrimSpace(before.Data+text(before)), "(")
		}
	}
	if !found {
		return false
	}
	content, links := signatureText(n), weigh(n).links
	return signatureShape().MatchString(content) && (links == 0 || oneOf(n, atom.P, atom.Div) || links == 1 && leadingLink(n, content) != nil)
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

// inCode reports whether an element is in code.
func inCode(n *html.Node) bool {
	return closest(n, func(p *html.Node) bool { return p.DataAtom == atom.Pre || inlineCode[p.DataAtom] }) != nil
}

// inlineSignature makes the text of an element code. A link that begins the text is around all of it.
func inlineSignature(n *html.Node) {
	content := signatureText(n)
	code := newElement(atom.Code, newText(content))
	if link := leadingLink(n, content); link != nil {
		fill(link, code)
		code = link
	}
	fill(n, code)
}

// leadingLink returns the link that begins the text of a signature, or nil.
func leadingLink(n *html.Node, content string) *html.Node {
	link := firstLink(n)
	if link == nil || !hasText(link) || !strings.HasPrefix(strings.TrimLeftFunc(content, unicode.IsPunct), strings.TrimLeftFunc(signatureText(link), unicode.IsPunct)) {
		return nil
	}
	return link
}

// firstLink returns the first link in an element, or nil.
func firstLink(n *html.Node) *html.Node {
	return descendant(n, func(c *html.Node) bool { return c.DataAtom == atom.A && has(c, "href") })
}

// signatureText returns the text of a signature in one line, with spaces between its parts.
func signatureText(top *html.Node) string {
	var b strings.Builder
	for n := range top.Descendants() {
		switch {
		case n.Type == html.TextNode:
			b.WriteString(n.Data)
		case n.DataAtom == atom.Td, n.DataAtom == atom.Br, n.DataAtom == atom.Dd, n.DataAtom == atom.Div, n.DataAtom == atom.P, glued(n):
			b.WriteByte(' ')
		}
	}
	return strings.NewReplacer("( ", "(", "[ ", "[", " )", ")", " ,", ",").Replace(strings.Join(strings.Fields(b.String()), " "))
}
