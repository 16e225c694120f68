package webpage

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

var (
	texOperators = strings.NewReplacer("\u2061", "", "\u2062", "", "\u2063", "", "\u2212", "-", "⋅", `\cdot `, "∗", "*", "×", `\times `, "≤", `\le `, "≥", `\ge `, "≠", `\ne `, "∞", `\infty `,
		"→", `\to `, "∑", `\sum `, "∏", `\prod `, "∫", `\int `, "∈", `\in `, "∂", `\partial `, "…", `\ldots `, "±", `\pm `)
	texSpecial = strings.NewReplacer(`\`, `\backslash `, "{", `\{`, "}", `\}`, "#", `\#`, "$", `\$`, "%", `\%`, "&", `\&`, "_", `\_`, "^", `\hat{}`)
	texAccents = map[string]string{"¯": "overline", "‾": "overline", "_": "overline", "^": "hat", "ˆ": "hat", "~": "tilde", "˜": "tilde", "→": "vec", "⃗": "vec", "˙": "dot", "¨": "ddot", "⏞": "overbrace", "⏟": "underbrace"}
	texNames   = map[string]bool{"sin": true, "cos": true, "tan": true, "log": true, "ln": true, "exp": true, "lim": true, "max": true, "min": true, "det": true, "gcd": true, "sup": true, "inf": true, "arg": true, "dim": true, "ker": true}
)

// texForms are the forms of elements. %1 is the first part, and %0 is the first part as the base of an exponent or an index.
var texForms = map[string]string{
	"mfrac": `\frac{%1}{%2}`, "mroot": `\sqrt[%2]{%1}`, "msup": "%0^{%2}", "msub": "%0_{%2}", "msubsup": "%0_{%2}^{%3}", "munderover": "%0_{%2}^{%3}",
	"mspace": " ", "mphantom": "",
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
		s := strings.TrimSpace(text(n))
		name := strings.TrimSpace(texOperators.Replace(s))
		switch {
		case n.Data == "mtext" || n.Data == "ms":
			return `\text{` + texSpecial.Replace(text(n)) + "}"
		case texNames[s]:
			return `\` + s + " "
		case n.Data == "mi" && utf8.RuneCountInString(s) > 1:
			return `\mathrm{` + texSpecial.Replace(s) + "}"
		case strings.HasPrefix(name, `\`) && name != `\`:
			return name + " "
		case n.Data == "mo" && strings.ContainsAny(name, "=+-<>") && attribute(n, "form") != "prefix":
			return " " + texSpecial.Replace(name) + " "
		}
		return texSpecial.Replace(name)
	case "msqrt":
		return `\sqrt{` + strings.TrimSpace(strings.Join(parts, "")) + "}"
	case "mover", "munder":
		s := part(0)
		if accent := texAccents[strings.NewReplacer("{", "", "}", "", `\`, "").Replace(text(n.LastChild))]; accent != "" && len(parts) == 2 {
			return `\` + accent + group(0)
		}
		mark := map[string]string{"mover": "^", "munder": "_"}[n.Data]
		if strings.HasPrefix(s, `\`) && !strings.Contains(s, "{") { // the bounds of a sum, a limit
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
