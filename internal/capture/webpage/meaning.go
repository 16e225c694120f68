package webpage

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// express replaces elements whose meaning Markdown would lose, or which pages hide: formulas, signatures, tabs,
// exponents, terms and task boxes.
func (p *Page) express(doc *html.Node) {
	t, drawn := tabs{}, 0
	footnotes(doc)
	for _, n := range elements(doc) {
		switch {
		case n.Parent == nil || coloured(n): // it has been replaced, or it has no meaning
		case formula(n), signature(n), admonition(n), t.express(doc, n), n.DataAtom == atom.Table && numberedLines(n), n.DataAtom == atom.Table && listTable(n), n.DataAtom == atom.Div && divTable(n):
		case n.DataAtom == atom.Div && every(n, lineNames) && !hasClass(n, "line-block"), n.DataAtom == atom.Div && hasText(n) && listings(attribute(n, "class")) && !holds(n, is(atom.Pre, atom.Table)), n.DataAtom == atom.Textarea && strings.Contains(text(n), "\n"):
			joinLines(n)
			rename(n, atom.Pre)
		case n.DataAtom == atom.Code && !inCode(n) && holds(n, func(c *html.Node) bool {
			return c.DataAtom == atom.Li || hasClass(c, "line") && divisions[n.Parent.DataAtom] && ownText(n.Parent) == ""
		}):
			rename(n, atom.Pre)
		case inlineCode[n.DataAtom] && (n.Parent.DataAtom == atom.P && size(n) == size(n.Parent) || divisions[n.Parent.DataAtom] && strings.Contains(text(n), "\u00a0\u00a0")) && holds(n, isBreak) && closest(n, isCell) == nil:
			rename(n, atom.Pre)
		case n.DataAtom == atom.Code, n.DataAtom == atom.Span && codeNames(attribute(n, "class")+attribute(n, "style")):
			literal(n)
		case n.DataAtom == atom.Span && boldNames(attribute(n, "class")+attribute(n, "style")):
			rename(n, atom.Strong)
		case n.DataAtom == atom.Span && n.FirstChild == nil && hasClass(n, "sep", "separator"):
			replace(n, space())
		case n.DataAtom == atom.Span && glued(n):
			n.Parent.InsertBefore(space(), n)
		case n.DataAtom == atom.Span && n.NextSibling != nil && (hasClass(n, "badge", "label", "tag") && n.NextSibling.Type == html.TextNode || isHeading(n.Parent) && sectionNumbers().MatchString(text(n)+"\n"+cmp.Or(text(n.NextSibling), n.NextSibling.Data))):
			n.Parent.InsertBefore(space(), n.NextSibling)
		case n.DataAtom == atom.Sup, n.DataAtom == atom.Sub:
			script(n, map[atom.Atom]string{atom.Sup: "^", atom.Sub: "_"}[n.DataAtom])
		case n.DataAtom == atom.Dt:
			term(n)
		case n.DataAtom == atom.Ol && !has(n, "reversed"):
			renumber(n)
		case n.DataAtom == atom.Li && hasText(n):
			if first := firstText(n); first.Parent.DataAtom == atom.Span && strings.Contains("•–◦‣∙*", strings.TrimSpace(first.Data)) {
				remove(first.Parent)
			} else {
				task(n)
			}
		case n.DataAtom == atom.Span && hasClass(n, "classifier"):
			n.InsertBefore(newText(" : "), n.FirstChild)
		case hasClass(n, "mermaid", "docusaurus-mermaid-container") && !hasText(n):
			drawn++
		case isBox(n):
			box(n)
		case n.DataAtom == atom.Template && has(n, "shadowrootmode"):
			rename(n, atom.Div)
		case n.DataAtom == atom.Caption, n.DataAtom == atom.Figcaption:
			caption(n)
		// more than a request to enable scripts
		case n.DataAtom == atom.Noscript && size(n) >= enough:
			unwrap(n)
		}
	}
	writtenIn(doc)
	if t.absent > 0 {
		p.note("%d of %d tab panels are not in the page; agents get them with serve --browser.", t.absent, t.labels)
	}
	if drawn > 0 {
		p.note("Diagrams that scripts draw are not in the page (%d); agents get them with serve --browser.", drawn)
	}
}

// codeNames and boldNames find the classes and styles of code and of bold text.
var (
	codeNames = names(`(?i)(^|\s)(literal|code|cmd|command|file(name)?|input|output|sys|tt|(\S+[_-])?(monospace|typewriter)|[a-z]{2}tt-?\d+)(\s|$)|font-family:\s*monospace`)
	boldNames = names(`(?i)(^|[\s_-])bold(\s|$)|(^|\s)[a-z]{2}bx-?\d+|font-weight:\s*bold`)
)

// listings finds the classes of divisions that have lines of code, and lineNames the classes of lines.
var lineNames, listings = names(`(?i)(^|[\s_-])line([\s_-]|$)`), names(`(?i)(^|[\s_])(fragment|pre|listing|lstlisting|verbatim|mermaid)(\s|$)`)

// badges finds the classes of small elements that a style sheet keeps apart from the word before them.
var badges = names(`(?i)(^|[\s_-])(badge|label|tag|attributes|pill|chip|type|optional|required|deprecated|modifier|since|version|status|count|kind|default)([\s_-]|$)`)

// sectionNumbers finds the number of a section in a line of its own, before a word.
var sectionNumbers = pattern(`^[A-Z]?[\d.]+\n[\pL\d]`)

// glued reports whether an element is a badge that touches the word before it.
func glued(n *html.Node) bool {
	before := n.PrevSibling
	class := attribute(n, "class")
	if before == nil || len(class) > maxClass || !badges(class) && (class == "" || attribute(before, "class") != class || letters(text(n)) < 2) || inCode(n) || atMost(before, maxAlone) == maxAlone {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(cmp.Or(text(before), before.Data))
	first, _ := utf8.DecodeRuneInString(text(n))
	return (wordRune(last) || last == '"') && (wordRune(first) || first == '"')
}

// joinLines removes the line ends of the source of a page between the elements of a listing that has a division for each line.
func joinLines(listing *html.Node) {
	for _, n := range slices.Collect(listing.Descendants()) {
		next := after(n)
		if n.Type == html.TextNode && strings.Contains(n.Data, "\n") && !hasText(n) && (next != nil && next.DataAtom == atom.Div || n.Parent != listing && n.Parent.DataAtom == atom.Div) {
			remove(n)
		}
	}
}

// caption moves the caption of a table or of code before it, as titles are written in Markdown. Captions of pictures follow them.
func caption(n *html.Node) {
	parent := n.Parent
	if n.DataAtom == atom.Figcaption && (parent.DataAtom != atom.Figure || !holds(parent, is(atom.Table, atom.Pre))) {
		return
	}
	if remove(n); n.DataAtom == atom.Caption && parent.Parent != nil {
		rename(n, atom.P)
		parent.Parent.InsertBefore(n, parent)
	} else {
		parent.InsertBefore(n, parent.FirstChild)
	}
}

// script writes an exponent or an index after its base: 2^32, a_i, x^(n+1). It leaves words, such as the "th" of
// "5th", and footnotes as they are.
func script(n *html.Node, mark string) {
	content := strings.TrimSpace(text(n))
	before := n.PrevSibling
	if content == "" || before == nil || !hasText(before) || holds(n, is(atom.A, atom.Img)) {
		return
	}
	base, _ := utf8.DecodeLastRuneInString(cmp.Or(text(before), before.Data))
	letters := strings.TrimFunc(content, unicode.IsLetter) == ""
	if !unicode.IsLetter(base) && !unicode.IsDigit(base) && base != ')' && base != ']' || letters && utf8.RuneCountInString(content) > 1 && mark == "^" {
		return
	}
	if strings.ContainsFunc(strings.TrimPrefix(content, "-"), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		content = "(" + content + ")"
	}
	replace(n, newText(mark+content))
}

// renumber divides a list where the number of an item is not the next one: Markdown has the number of the first item only.
func renumber(list *html.Node) {
	next, into := 1, list
	if start, err := strconv.Atoi(attribute(list, "start")); err == nil {
		next = start
	}
	for _, item := range slices.Collect(list.ChildNodes()) {
		if value, err := strconv.Atoi(attribute(item, "value")); err == nil && item.DataAtom == atom.Li && value >= 0 && value != next {
			if next = value; descendant(list, func(n *html.Node) bool { return true }) != item {
				last := into
				into = newElement(atom.Ol)
				last.Parent.InsertBefore(into, last.NextSibling)
			}
			set(into, "start", strconv.Itoa(value))
		}
		if item.DataAtom == atom.Li {
			next++
		}
		if into != list {
			remove(item)
			into.AppendChild(item)
		}
	}
}

// maxTerms is how many terms may have one definition.
const maxTerms = 4

// isDefined reports whether a definition follows a term. The entries of an index are terms without one.
func isDefined(term *html.Node) bool {
	n := after(term)
	for i := 1; i < maxTerms && n != nil && n.DataAtom == atom.Dt; i++ {
		n = after(n)
	}
	return n != nil && n.DataAtom == atom.Dd
}

// term makes a defined term bold.
func term(n *html.Node) {
	if !isDefined(n) || strings.TrimSpace(text(n)) == "" || holds(n, func(c *html.Node) bool {
		return blocks[c.DataAtom] || divisions[c.DataAtom] || oneOf(c, atom.Strong, atom.B, atom.Dt)
	}) {
		return
	}
	n.AppendChild(newElement(atom.Strong, slices.Collect(n.ChildNodes())...))
}

// Characters that stand for check boxes while a page is converted: brackets would be escaped.
const (
	boxEmpty   = "\U000f5a00"
	boxChecked = "\U000f5a01"
)

var (
	// writtenBox finds a check box that is still text at the start of a list item.
	writtenBox = pattern(`^\s*(?:\[[ xX\x{a0}]\]( |$)|[☐❏❑☑☒] ?)|^[✓✔] `)
	// taskLists finds the classes of lists whose items are tasks without boxes, and doneNames the classes of tasks that are done.
	taskLists = names(`(?i)task-?list|check-?list|todo`)
	doneNames = names(`(?i)(^|[\s_-])(checked|done|completed?|check-(square|circle|mark)|marked)`)
)

// task writes the box of a task that has no check box: it is text, or the class of the list says that its items are tasks.
func task(item *html.Node) {
	first, isTask := firstText(item), named(item.Parent, taskLists)
	box := writtenBox().FindString(first.Data)
	if box != "" && (isTask || !strings.ContainsAny(box, "✓✔")) {
		if first.Data = first.Data[len(box):]; first.Data == "" && first.Parent != item {
			remove(first.Parent)
		}
		mark(item, !strings.ContainsAny(strings.TrimSpace(box), " \u00a0☐❏❑"))
	} else if isTask && !holds(item, isBox) {
		mark(item, named(item, doneNames) || holds(item, func(c *html.Node) bool { return named(c, doneNames) }))
	}
}

// box writes the check box of a task, if it is in a list item.
func box(n *html.Node) {
	item := closest(n, is(atom.Li))
	if item == nil {
		return
	}
	remove(n)
	mark(item, has(n, "checked") || attribute(n, "aria-checked") == "true")
}

func isBox(n *html.Node) bool {
	return n.DataAtom == atom.Input && strings.EqualFold(attribute(n, "type"), "checkbox") || attribute(n, "role") == "checkbox"
}

// mark writes a box before the text of a list item.
func mark(item *html.Node, checked bool) {
	first := firstText(item)
	for first != nil && phrasing[first.Parent.DataAtom] {
		first = first.Parent
	}
	if first == nil {
		return
	}
	first.Parent.InsertBefore(newText(map[bool]string{false: boxEmpty, true: boxChecked}[checked]+" "), first)
}
