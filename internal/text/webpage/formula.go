package webpage

import (
	"cmp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// formula replaces an element that shows a formula by its TeX, if the page contains the TeX. KaTeX, MathJax and
// MediaWiki write a formula several times: as MathML, as text that looks like it, as an image.
func formula(n *html.Node) bool {
	tex, display := "", false
	switch {
	case hasClass(n, "katex", "katex-display", "mwe-math-element"), n.Data == "mjx-container", n.Data == "math":
		tex = texOf(n)
		display = n.Data == "mjx-container" && attribute(n, "display") == "true" || hasClass(n, "katex-display") ||
			n.Data == "math" && attribute(n, "display") == "block" ||
			descendant(n, func(c *html.Node) bool { return c.Data == "math" && attribute(c, "display") == "block" }) != nil
	case n.DataAtom == atom.Script && strings.HasPrefix(attribute(n, "type"), "math/tex"):
		tex, display = text(n), strings.Contains(attribute(n, "type"), "mode=display")
	case n.DataAtom == atom.Img && hasClass(n, "math", "tex", "formulaInl", "formulaDsp"):
		tex, display = delimited(attribute(n, "alt"))
		display = display || hasClass(n, "formulaDsp")
	case n.DataAtom == atom.Span || n.DataAtom == atom.Div || n.DataAtom == atom.P:
		number := descendant(n, func(c *html.Node) bool { return hasClass(c, "eqno") })
		known := hasClass(n, "math", "arithmatex")
		if !known && (n.FirstChild == nil || n.FirstChild != n.LastChild || !strings.HasPrefix(strings.TrimSpace(n.FirstChild.Data), `\`)) {
			return false // only a formula is an element of its own
		}
		tag := ""
		if known && number != nil {
			tag = `\tag{` + strings.Trim(ownText(number), " ()") + "}"
			remove(number)
		}
		content := strings.TrimSpace(text(n))
		if tex, display = delimited(content); tex == content {
			return false
		}
		tex += tag
	}
	if tex = strings.TrimSpace(tex); tex == "" || n.Parent == nil {
		return false
	}
	if display {
		language := newElement(atom.Code, newText(tex))
		language.Attr = []html.Attribute{{Key: "class", Val: "language-math"}}
		replace(n, newElement(atom.Pre, language))
	} else {
		replace(n, newText("$"), newElement(atom.Code, newText(strings.Join(strings.Fields(tex), " "))), newText("$"))
	}
	return true
}

// texOf returns the TeX that a MathML element contains.
func texOf(top *html.Node) string {
	if n := descendant(top, func(n *html.Node) bool {
		return n.Data == "annotation" && attribute(n, "encoding") == "application/x-tex"
	}); n != nil {
		return text(n)
	}
	for n := range top.Descendants() {
		if n.Data == "math" {
			top = n
			break
		}
	}
	if top.Data != "math" {
		return ""
	}
	return cmp.Or(attribute(top, "alttext"), tex(top))
}

// ownText returns the text of the children of an element.
func ownText(n *html.Node) string {
	var b strings.Builder
	for c := range n.ChildNodes() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return strings.TrimSpace(b.String())
}

// delimited returns TeX without its delimiters. display reports that the delimiters put the formula on its own lines.
func delimited(s string) (tex string, display bool) {
	s = strings.TrimSpace(s)
	for _, d := range [...]struct {
		open, end string
		display   bool
	}{{`\(`, `\)`, false}, {`\[`, `\]`, true}, {"$$", "$$", true}, {"$", "$", false}} {
		if len(s) > len(d.open)+len(d.end) && strings.HasPrefix(s, d.open) && strings.HasSuffix(s, d.end) {
			return s[len(d.open) : len(s)-len(d.end)], d.display
		}
	}
	return s, false
}
