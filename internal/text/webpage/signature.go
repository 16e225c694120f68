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
	language, labels := "", ""
	switch {
	case n.DataAtom == atom.Dt && (hasClass(n, "sig") || descendant(n, isName) != nil):
		language = domain(n)
	case hasClass(n, "member-signature", "type-signature"):
		language = "java"
	case n.DataAtom == atom.H4 && hasClass(n, "code-header"):
		language = "rust"
	case n.DataAtom == atom.H3 && hasClass(n, "code-header"): // an implementation, which has methods
		inlineSignature(n)
		return true
	case n.DataAtom == atom.Pre && hasClass(n, "rust"):
		n.Attr = append(n.Attr, html.Attribute{Key: "data-lang", Val: "rust"})
		return false
	case n.DataAtom == atom.Div && hasClass(n, "memproto"):
		language = "cpp"
		if l := descendant(n, func(c *html.Node) bool { return hasClass(c, "mlabels-right") }); l != nil {
			if labels = strings.Join(strings.Fields(text(l)), " "); labels != "" {
				labels = " // " + labels
			}
			remove(l)
		}
	case signed(n):
		if descendant(n, func(c *html.Node) bool { return blocks[c.DataAtom] || divisions[c.DataAtom] }) != nil {
			return false
		}
		switch {
		case n.DataAtom != atom.P && n.DataAtom != atom.Div:
			inlineSignature(n)
			return true
		case descendant(n, isBreak) != nil: // it has lines
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
	code := newElement(atom.Code, newText(content+labels))
	if language != "" {
		code.Attr = []html.Attribute{{Key: "class", Val: "language-" + language}}
	}
	block := newElement(atom.Div, newElement(atom.Pre, code))
	if id := attribute(n, "id"); id != "" {
		block.Attr = []html.Attribute{{Key: "id", Val: id}}
	}
	replace(n, block)
	return true
}

var (
	// signatureNames finds the classes of signatures, and signatureStarts those of their first words.
	signatureNames  = pattern(`(?i)(^|[\s_-])(sig|signature|prototype|callseq)(\s|$)`)
	signatureStarts = pattern(`(?i)(^|[\s_-])(keyword|defname)(\s|$)`)
)

// maxClass is the maximum length of the class of a signature, in bytes.
const maxClass = 1000

// signed reports whether an element is a signature: its class says so, or it begins with a word that its class calls a keyword.
func signed(n *html.Node) bool {
	switch n.DataAtom {
	case atom.P, atom.Div, atom.Td, atom.Li, atom.Span:
	default:
		return false
	}
	class, first := attribute(n, "class"), n.FirstChild
	if len(class) > maxClass { // each link in it asks
		return false
	}
	if first != nil && first.Type == html.TextNode && strings.TrimSpace(first.Data) == "" {
		first = first.NextSibling
	}
	return signatureNames().MatchString(class) || hasClass(n, "src") && n.DataAtom != atom.Div && n.DataAtom != atom.Span ||
		first != nil && first.DataAtom == atom.Span && first.NextSibling != nil && signatureStarts().MatchString(attribute(first, "class")) && !inCode(n)
}

// inCode reports whether an element is in code.
func inCode(n *html.Node) bool {
	return closest(n, func(p *html.Node) bool { return p.DataAtom == atom.Pre || inlineCode[p.DataAtom] }) != nil
}

// inlineSignature makes the text of an element code. A link that begins the text is around all of it.
func inlineSignature(n *html.Node) {
	content := signatureText(n)
	code := newElement(atom.Code, newText(content))
	if link := firstLink(n); link != nil && strings.HasPrefix(strings.TrimLeftFunc(content, unicode.IsPunct), strings.TrimLeftFunc(signatureText(link), unicode.IsPunct)) {
		fill(link, code)
		code = link
	}
	fill(n, code)
}

// firstLink returns the first link in an element, or nil.
func firstLink(n *html.Node) *html.Node {
	return descendant(n, func(c *html.Node) bool { return c.DataAtom == atom.A && has(c, "href") })
}

// onlyLink returns the link that has all the words of an element, or nil.
func onlyLink(n *html.Node) *html.Node {
	if link := firstLink(n); link != nil && size(link) == size(n) {
		return link
	}
	return nil
}

// isName reports whether an element is the name in a signature of an older Sphinx.
func isName(n *html.Node) bool { return hasClass(n, "descname") }

// domain returns the language of a Sphinx signature, which is a class of the signature or of its list.
func domain(n *html.Node) string {
	for class := range strings.FieldsSeq(attribute(n, "class") + " " + attribute(n.Parent, "class")) {
		switch class {
		case "py", "python":
			return "python"
		case "c", "cpp", "rst":
			return class
		case "js":
			return "javascript"
		}
	}
	return ""
}

// signatureText returns the text of a signature in one line, plus one line for each template line, without links to
// itself and to the source.
func signatureText(top *html.Node) string {
	var b strings.Builder
	var write func(n *html.Node)
	write = func(n *html.Node) {
		for c := range n.ChildNodes() {
			switch {
			case c.Type == html.TextNode:
				b.WriteString(c.Data)
			case c.Type != html.ElementNode:
			case c.DataAtom == atom.Td, c.DataAtom == atom.Br, c.DataAtom == atom.Dd, c.DataAtom == atom.Div:
				b.WriteByte(' ')
				write(c)
			default:
				write(c)
			}
		}
	}
	write(top)
	return strings.NewReplacer("( ", "(", " )", ")", " ,", ",").Replace(strings.Join(strings.Fields(b.String()), " "))
}
