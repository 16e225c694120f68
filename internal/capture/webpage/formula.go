package webpage

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// formula replaces an element that shows a formula by its TeX, if the page contains the TeX. KaTeX, MathJax and
// MediaWiki write a formula several times: as MathML, as text that looks like it, as an image.
func formula(n *html.Node) bool {
	tex, display := "", false
	switch {
	case hasClass(n, "katex", "katex-display", "mwe-math-element"), n.Data == "mjx-container", n.Data == "math":
		if tex = texOf(n); tex == "" { // the rest may be hidden from screen readers
			if shown := descendant(n, func(c *html.Node) bool { return attribute(c, "aria-hidden") == "true" }); shown != nil && size(shown) == size(n) {
				replace(n, newText(strings.ReplaceAll(text(n), "\u200b", "")))
				return true
			}
		}
		display = n.Data == "mjx-container" && attribute(n, "display") == "true" || hasClass(n, "katex-display") ||
			n.Data == "math" && attribute(n, "display") == "block" ||
			holds(n, func(c *html.Node) bool { return c.Data == "math" && attribute(c, "display") == "block" })
	case n.DataAtom == atom.Script && strings.HasPrefix(attribute(n, "type"), "math/tex"):
		tex, display = text(n), strings.Contains(attribute(n, "type"), "mode=display")
	case n.DataAtom == atom.Img && hasClass(n, "math", "tex", "formulaInl", "formulaDsp"):
		tex, display = delimited(attribute(n, "alt"))
		display = display || hasClass(n, "formulaDsp")
	case !oneOf(n, atom.Span, atom.Div, atom.P):
		return false
	case hasClass(n, "math", "arithmatex"), n.FirstChild != nil && n.FirstChild == n.LastChild && n.FirstChild.Type == html.TextNode:
		tag := ""
		if number := descendant(n, func(c *html.Node) bool { return hasClass(c, "eqno") }); number != nil {
			tag = `\tag{` + strings.Trim(ownText(number), " ()") + "}"
			remove(number)
		}
		content := strings.TrimSpace(text(n))
		if tex, display = delimited(content); tex == content && hasClass(n, "math") && holds(n, isPre) {
			display = true
		} else if tex == content && !display || content[0] == '$' && !strings.ContainsAny(tex, `\^_={`) && len(tex) > 3 {
			return false
		}
		tex += tag
	}
	if tex = strings.TrimSpace(tex); tex == "" || n.Parent == nil {
		return false
	}
	replace(n, formulaOf(tex, display)...)
	return true
}

// formulaOf returns what a formula becomes.
func formulaOf(tex string, display bool) []*html.Node {
	if display {
		language := newElement(atom.Code, newText(tex))
		language.Attr = []html.Attribute{{Key: "class", Val: "language-math"}}
		return []*html.Node{newElement(atom.Pre, language)}
	}
	return []*html.Node{newText("$"), newElement(atom.Code, newText(strings.Join(strings.Fields(tex), " "))), newText("$")}
}

// writtenIn replaces formulas that are text. The page must have a script that shows them, and says so if a dollar sign begins one.
func writtenIn(doc *html.Node) {
	shown, inline := false, false
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Script {
			script := attribute(n, "src") + text(n)
			shown = shown || mathScripts().MatchString(script)
			inline = inline || dollarSigns().MatchString(script)
		}
	}
	written := begins()
	if inline {
		written = dollars()
	} else if shown {
		written = displays()
	}
	for _, n := range slices.Collect(doc.Descendants()) {
		if n.Type != html.TextNode || n.Parent.DataAtom == atom.Script || !(shown && strings.ContainsAny(n.Data, `\$`) || strings.Contains(n.Data, `\(`) || strings.Contains(n.Data, `\[`)) || inCode(n) {
			continue
		}
		var parts []*html.Node
		end := 0
		for _, m := range formulas(n.Data, written) {
			tex, display := delimited(n.Data[m[0]:m[1]])
			if !shown && !texMarks().MatchString(tex) {
				continue
			}
			parts = append(parts, newText(n.Data[end:m[0]]))
			parts = append(parts, formulaOf(strings.TrimSpace(tex), display)...)
			end = m[1]
		}
		if parts != nil {
			replace(n, append(parts, newText(n.Data[end:]))...)
		}
	}
}

var (
	// begins finds what begins a formula in text: in a line, on lines of its own, or an environment of TeX; displays also two
	// dollar signs, as all scripts do; dollars also one. ends has the end of each, by its first two characters or "$".
	begins    = pattern(`\\[(\[]|\\begin` + environment)
	displays  = pattern(`\\[(\[]|\\begin` + environment + `|\$\$`)
	dollars   = pattern(`\\[(\[]|\\begin` + environment + `|\$\$|\$[^\s$]`)
	ends      = map[string]func() *regexp.Regexp{`\(`: pattern(`\\\)`), `\[`: pattern(`\\\]`), `\b`: pattern(`\\end` + environment), "$$": pattern(`\$\$`), "$": pattern(`\$`)}
	equations = pattern(`\\(begin|end)\{equation\*?\}`)
	// of a formula on a page without a script
	texMarks    = pattern(`\\[a-zA-Z]{2}|[_^][\w{]|\s=\s`)
	mathScripts = pattern(`(?i)mathjax|katex`)
	dollarSigns = pattern(`inlineMath\W{0,12}\$`)
)

const environment = `\{(?:equation|align|alignat|flalign|gather|multline|eqnarray)\*?\}`

// texOf returns the TeX that a MathML element contains.
func texOf(top *html.Node) string {
	if tex := attribute(top, "data-latex"); tex != "" {
		return tex
	}
	if n := descendant(top, func(n *html.Node) bool {
		return n.Data == "annotation" && attribute(n, "encoding") == "application/x-tex"
	}); n != nil {
		return text(n)
	}
	top = cmp.Or(descendant(top, func(n *html.Node) bool { return n.Data == "math" }), top)
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
	for _, d := range [...][2]string{{`\(`, `\)`}, {`\[`, `\]`}, {"$$", "$$"}, {"$", "$"}} {
		if len(s) > len(d[0])+len(d[1]) && strings.HasPrefix(s, d[0]) && strings.HasSuffix(s, d[1]) {
			return s[len(d[0]) : len(s)-len(d[1])], d[0] == `\[` || d[0] == "$$"
		}
	}
	if strings.HasPrefix(s, `\begin{`) {
		if found := formulas(s, begins()); found != nil && found[0] == [2]int{0, len(s)} {
			return equations().ReplaceAllString(s, ""), true
		}
	}
	return s, false
}

// formulas returns the bounds of the formulas in a text. It looks for each end only once: a text of many marks that begin a formula
// and none that ends it takes linear time.
func formulas(text string, written *regexp.Regexp) (found [][2]int) {
	next := make(map[string][]int) // next end marks by mark
	for at := 0; ; {
		m := written.FindStringIndex(text[at:])
		if m == nil {
			return found
		}
		from, inside := at+m[0], at+m[1]
		mark := text[from:min(from+2, inside)]
		if mark[0] == '$' && mark != "$$" {
			mark = "$"
		} else {
			_, size := utf8.DecodeRuneInString(text[inside:])
			inside += size
		}
		end := next[mark]
		if end == nil || end[0] < inside {
			if end = ends[mark]().FindStringIndex(text[inside:]); end == nil {
				end = []int{len(text) - inside, 0}
			}
			end = []int{inside + end[0], inside + end[1]}
			next[mark] = end
		}
		if at = from + 1; end[0] < len(text) {
			at = end[1]
			found = append(found, [2]int{from, at})
		}
	}
}

var (
	texOperators = strings.NewReplacer("\u2061", "", "\u2062", "", "\u2063", "", "\u2212", "-", "⋅", `\cdot `, "∗", "*", "×", `\times `, "≤", `\le `, "≥", `\ge `, "≠", `\ne `, "∞", `\infty `,
		"→", `\to `, "∑", `\sum `, "∏", `\prod `, "∫", `\int `, "∈", `\in `, "∂", `\partial `, "…", `\ldots `, "±", `\pm `)
	texSpecial = strings.NewReplacer(`\`, `\backslash `, "{", `\{`, "}", `\}`, "#", `\#`, "$", `\$`, "%", `\%`, "&", `\&`, "_", `\_`, "^", `\hat{}`)
	texAccents = map[string]string{"¯": "overline", "‾": "overline", "_": "overline", "^": "hat", "ˆ": "hat", "~": "tilde", "˜": "tilde", "→": "vec", "⃗": "vec", "˙": "dot", "¨": "ddot", "⏞": "overbrace", "⏟": "underbrace"}
	texNames   = strings.Fields("sin cos tan log ln exp lim max min det gcd sup inf arg dim ker")
)

// texForms are the forms of elements. %1 is the first part, and %0 is the first part as the base of an exponent or an index.
var texForms = map[string]string{
	"mfrac": `\frac{%1}{%2}`, "mroot": `\sqrt[%2]{%1}`, "msup": "%0^{%2}", "msub": "%0_{%2}", "msubsup": "%0_{%2}^{%3}", "munderover": "%0_{%2}^{%3}",
	"mspace": " ", "mphantom": "",
}

// texToken returns a name, a number, an operator or a text as TeX.
func texToken(n *html.Node) string {
	s := strings.TrimSpace(text(n))
	name := strings.TrimSpace(texOperators.Replace(s))
	switch {
	case n.Data == "mtext" || n.Data == "ms":
		return `\text{` + texSpecial.Replace(text(n)) + "}"
	case slices.Contains(texNames, s):
		return `\` + s + " "
	case n.Data == "mi" && utf8.RuneCountInString(s) > 1:
		return `\mathrm{` + texSpecial.Replace(s) + "}"
	case strings.HasPrefix(name, `\`) && name != `\`:
		return name + " "
	case n.Data == "mo" && strings.ContainsAny(name, "=+-<>") && attribute(n, "form") != "prefix":
		return " " + texSpecial.Replace(name) + " "
	}
	return texSpecial.Replace(name)
}

// tex returns a formula in MathML as TeX. The depth of a tree is bounded when it is parsed.
func tex(n *html.Node) string {
	if n.Type == html.TextNode {
		return ""
	}
	var parts []string
	for c := range n.ChildNodes() {
		if c.Type == html.ElementNode && !strings.HasPrefix(c.Data, "annotation") {
			parts = append(parts, tex(c))
		}
	}
	part := func(i int) string {
		if i < len(parts) {
			return strings.TrimSpace(parts[i])
		}
		return ""
	}
	group := func(i int) string { return "{" + part(i) + "}" }
	base := func() string {
		if s := part(0); utf8.RuneCountInString(s) <= 1 || strings.HasPrefix(s, `\`) && !strings.ContainsAny(s[1:], `\{^_ `) {
			return s
		}
		return group(0)
	}
	if form, ok := texForms[n.Data]; ok {
		return strings.NewReplacer("%0", base(), "%1", part(0), "%2", part(1), "%3", part(2)).Replace(form)
	}
	switch n.Data {
	case "mi", "mn", "mo", "ms", "mtext":
		return texToken(n)
	case "msqrt":
		return `\sqrt{` + strings.TrimSpace(strings.Join(parts, "")) + "}"
	case "mover", "munder":
		s := part(0)
		if accent := texAccents[strings.NewReplacer("{", "", "}", "", `\`, "").Replace(text(n.LastChild))]; accent != "" && len(parts) == 2 {
			return `\` + accent + group(0)
		}
		mark := map[string]string{"mover": "^", "munder": "_"}[n.Data]
		// the bounds of a sum, a limit
		if strings.HasPrefix(s, `\`) && !strings.Contains(s, "{") {
			return s + mark + group(1)
		}
		return map[string]string{"mover": `\overset`, "munder": `\underset`}[n.Data] + group(1) + group(0)
	case "mtable":
		return `\begin{matrix}` + strings.TrimSuffix(strings.Join(parts, ` \\ `), ` \\ `) + `\end{matrix}`
	case "mtr", "mlabeledtr":
		return strings.Join(parts, " & ")
	case "mfenced":
		return "(" + strings.Join(parts, ", ") + ")"
	}
	s := strings.Join(parts, "")
	if inner, ok := strings.CutPrefix(s, `(\begin{matrix}`); ok && strings.Count(inner, `\end{matrix}`) == 1 && strings.HasSuffix(inner, `\end{matrix})`) {
		return `\begin{pmatrix}` + strings.TrimSuffix(inner, `\end{matrix})`) + `\end{pmatrix}`
	}
	return s
}
