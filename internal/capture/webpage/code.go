package webpage

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// inlineCode are the elements that the library puts between backticks.
var inlineCode = elementSet("code kbd samp tt var")

// inCode reports whether an element is in code.
func inCode(n *html.Node) bool {
	return closest(n, func(p *html.Node) bool { return p.DataAtom == atom.Pre || inlineCode[p.DataAtom] }) != nil
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

// insideIDs is the attribute of a code block that holds the ids inside it, up to a number of bytes.
const (
	insideIDs    = "data-inside-ids"
	maxInsideIDs = 16 << 10
)

// A listing is the text of a code block, with what its elements say about its lines.
type listing struct {
	strings.Builder
	ids     string
	signed  []stretch
	numbers []stretch // elements of digits at the start of a line
	named   bool
}

// A stretch is a part of a listing: its bounds, and a number or a sign.
type stretch struct{ start, end, value int }

// code simplifies a code block to its text, with one class for the language.
func code(pre *html.Node) {
	language := languageOf(pre)
	l := &listing{ids: attribute(pre, insideIDs)} // code may be called twice for a block
	for n := descendant(pre, is(atom.Code)); n != nil && n != pre; n = n.Parent {
		if title := before(n); title != nil && (title.DataAtom == atom.Div || title.DataAtom == atom.A && title == n.PrevSibling && n.Parent == pre) && strings.Trim(text(title), "0123456789 \n") != "" {
			remove(title)
			pre.Parent.InsertBefore(title, pre)
		}
	}
	l.write(pre)
	content, isDiff := l.lines()
	if isDiff {
		language = "diff"
	}
	inner := newElement(atom.Code, newText(strings.Trim(content, "\n")+"\n"))
	fill(pre, inner)
	keepID(pre)
	if l.ids != "" {
		set(pre, insideIDs, l.ids)
	}
	if language != "" {
		inner.Attr = []html.Attribute{{Key: "class", Val: "language-" + language}}
	}
}

// literal makes an element code in a text. A link that has all of the code is around it, because code has no links. Code that
// follows code at once becomes one with it, because the marks would touch.
func literal(n *html.Node) {
	rename(n, atom.Code)
	link, before := firstLink(n), n.PrevSibling
	switch {
	case inCode(n):
	case link != nil && size(link) == size(n):
		unwrap(link)
		n.Attr = nil
		replace(n, link)
		fill(link, n)
	case before != nil && before.DataAtom == atom.Code:
		remove(before)
		n.InsertBefore(before, n.FirstChild)
	}
}

// coloured reports whether an element is a part of a code block.
func coloured(n *html.Node) bool { return n.DataAtom == atom.Span && closest(n, isPre) != nil }

// codeSpaces makes the characters that pages use for the layout of code those that the code has.
var codeSpaces = strings.NewReplacer("\u00a0", " ", "\u200b", "")

// lineElements are the elements that begin a line of code.
var lineElements = elementSet("div table p tr li")

// lineStyles finds the styles of elements that are lines.
var lineStyles = names(`(?i)display:\s*(block|flex|grid)`)

// nextLine reports whether an element is the line after the element that it touches: both are of one kind, which a class, an attribute, a
// style or the name of the element says.
func nextLine(n *html.Node) bool {
	last := n.PrevSibling
	isLine := func(n *html.Node) bool {
		return lineElements[n.DataAtom] || n.DataAtom == atom.Code || n.DataAtom == 0 && strings.Contains(n.Data, "line") || has(n, "data-line") || lineNames(attribute(n, "class")) || lineStyles(attribute(n, "style"))
	}
	return last != nil && last.Type == html.ElementNode && last.Data == n.Data && isLine(n) && isLine(last)
}

// begins reports whether the next text begins a line.
func (l *listing) begins() bool { return l.Len() == 0 || strings.HasSuffix(l.String(), "\n") }

// write writes the text below an element.
func (l *listing) write(top *html.Node) {
	lineStart := 0
	ended := false
	for n := range top.ChildNodes() {
		if ended && hasText(n) && !l.begins() && !strings.HasPrefix(n.Data, "\n") {
			l.WriteByte('\n')
		}
		ended = ended && !hasText(n) && !strings.Contains(n.Data, "\n") || lineElements[n.DataAtom] && n.DataAtom != atom.Table && hasText(n)
		if n.Type == html.TextNode {
			l.WriteString(codeSpaces.Replace(n.Data))
			continue
		}
		if id := cmp.Or(attribute(n, "id"), attribute(n, "name")); id != "" && len(l.ids)+len(id) < maxInsideIDs {
			l.ids = strings.TrimSpace(l.ids + " " + id)
		}
		switch {
		// lines that mdBook hides, and tooltips
		case dropped[n.DataAtom], hidden(n), hasClass(n, "boring", "ttc", "tooltip", "tooltiptext"):
			continue
		case n.DataAtom == atom.Br, lineElements[n.DataAtom] && !l.begins(), nextLine(n) && (!l.begins() || l.Len() == lineStart):
			l.WriteByte('\n')
		}
		start, first := l.Len(), l.begins()
		lineStart = start
		if l.write(n); (isPre(n) || n.DataAtom == atom.Ol) && after(n) != nil {
			l.WriteByte('\n')
		}
		if !first || l.Len() == start {
			continue
		}
		if sign := signOf(n); sign != 0 {
			l.signed = append(l.signed, stretch{start, l.Len(), sign})
		} else if l.Len()-start < 10 {
			if number, err := strconv.Atoi(strings.Trim(l.String()[start:], ": \t\n")); err == nil {
				l.numbers = append(l.numbers, stretch{start, l.Len(), number})
				l.named = l.named || strings.Contains(attribute(n, "class"), "line")
			}
		}
	}
}

var (
	addedNames   = names(`(?i)(^|[\s_-])(add(ed|ition)?|ins(erted)?)([\s_-]|$)`)
	removedNames = names(`(?i)(^|[\s_-])(removed?|del(eted|etion)?)([\s_-]|$)`)
)

// signOf returns the sign of a line that was added or removed, or 0.
func signOf(n *html.Node) int {
	switch class := attribute(n, "class"); {
	case n.DataAtom == atom.Ins, addedNames(class):
		return '+'
	case n.DataAtom == atom.Del, removedNames(class):
		return '-'
	}
	return 0
}

// changeMarks finds the comments that Shiki reads as marks of changed lines.
var changeMarks = pattern(`[ \t]*(?://|#|--|/\*|<!--|;|%)?[ \t]*\[!code (\+\+|--)\][ \t]*(?:\*/|-->)?[ \t]*$`)

// numbersOf reports whether a cell has only numbers that count up by one, as many as the next cell has lines of code.
func numbersOf(n *html.Node) bool {
	next := after(n)
	if n.DataAtom != atom.Td || next == nil || !holds(next, isPre) {
		return false
	}
	numbers := strings.Fields(signatureText(n)) // with spaces between divisions
	for i, s := range numbers {
		first, _ := strconv.Atoi(strings.Trim(numbers[0], ":.|"))
		if number, err := strconv.Atoi(strings.Trim(s, ":.|")); err != nil || number != first+i {
			return false
		}
	}
	one, lines := holds(n, isPre), len(numbers)
	if one {
		lines = 1 + strings.Count(strings.TrimRight(text(n), "\n"), "\n")
	}
	return (len(numbers) > 1 || len(numbers) == 1 && one) && lines > strings.Count(strings.TrimSpace(text(next)), "\n")
}

// lines returns the text of a listing without line numbers, with a sign before each line that was added or removed. isDiff
// reports that there are such lines, and that the page shows their signs by other means than text.
func (l *listing) lines() (content string, isDiff bool) {
	content = l.String()
	numbers := slices.CompactFunc(l.numbers, func(a, b stretch) bool { return a.start == b.start })
	if len(numbers) <= strings.Count(strings.TrimSpace(content), "\n") || len(numbers) == 1 && !l.named {
		numbers = nil
	}
	left := letters(content) // not in numbers
	for i, n := range numbers {
		if left -= letters(content[n.start:n.end]); left == 0 || n.value != numbers[0].value+i && !(l.named && (i == 0 || n.value > numbers[i-1].value)) {
			numbers = nil
			break
		}
	}
	var plain, signed strings.Builder
	offset, next := 0, 0
	for line := range strings.Lines(content) {
		start, end := offset, offset+len(strings.TrimRight(line, "\r\n"))
		offset += len(line)
		sign := ' '
		for next < len(l.signed) && l.signed[next].end < end {
			next++
		}
		if next < len(l.signed) && l.signed[next].start <= start && start < end {
			sign = rune(l.signed[next].value)
		}
		if len(numbers) > 0 && numbers[0].start == start {
			line = content[min(numbers[0].end, offset):offset]
			numbers = numbers[1:]
		}
		if strings.Contains(line, "[!code ") {
			if m := changeMarks().FindStringSubmatchIndex(strings.TrimRight(line, "\r\n")); m != nil {
				sign, line = rune(line[m[2]]), line[:m[0]]+"\n"
			}
		}
		isDiff = isDiff || sign != ' ' && !strings.HasPrefix(line, string(sign))
		plain.WriteString(line)
		signed.WriteString(string(sign) + line)
	}
	if isDiff {
		return signed.String(), true
	}
	return plain.String(), false
}

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
		if holds(n, func(c *html.Node) bool {
			return (blocks[c.DataAtom] || divisions[c.DataAtom] && hasText(c)) && (n.DataAtom != atom.Table || c.DataAtom == atom.Pre)
		}) {
			return false
		}
		switch {
		case !oneOf(n, atom.P, atom.Div, atom.Table), inCode(n):
			inlineSignature(n)
			return true
		case holds(n, isBreak):
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
	keepID(n)
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
		return hasParameters(n) || isHeading(n) && classed(n) && firstLink(n) == nil || holds(n, func(c *html.Node) bool {
			return c.Parent == n && c.DataAtom == atom.Span && classed(c)
		})
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
