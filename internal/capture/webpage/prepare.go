package webpage

import (
	"cmp"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// prepare simplifies a tree before the search for the main content.
func prepare(doc *html.Node) {
	for _, n := range elements(doc) {
		switch {
		case n.Parent == nil:
		case n.DataAtom == atom.Button && opens(n): // such as a folder in a file tree
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
			remove(n)
		case numbersOf(n):
			remove(n)
		case n.DataAtom == atom.Pre:
			if l := before(n); l != nil && oneOf(l, atom.Span, atom.Div) && strings.EqualFold(strings.TrimSpace(text(l)), languageOf(n)) {
				remove(l)
			}
			code(n)
		case n.DataAtom == atom.Table:
			spans(n)
		case attribute(n, "aria-hidden") == "true" && opened(n):
			drop(n, "aria-hidden")
		case n.DataAtom == atom.Aside && note(n):
			rename(n, atom.Div)
			keepID(n)
		}
	}
	for _, n := range elements(doc) {
		if n.DataAtom == atom.Table && n.Parent != nil && !hasLines(n) {
			divideTable(n)
		}
	}
}

// dropped are elements without a meaning in Markdown, or with one that cannot be trusted.
var dropped = elementSet("script style template iframe frame frameset object embed applet canvas audio video svg map area button input select textarea dialog link noframes")

// removeControls removes links that are for the visitor and not part of the text, such as permalinks and links to the source.
// It returns how many links lead to their own headings. Of the URLs of links to the page itself it keeps the fragments.
func removeControls(doc *html.Node, base *url.URL) (permalinks int) {
	for _, n := range elements(doc) {
		if href := attribute(n, "href"); n.DataAtom == atom.A && strings.IndexByte(href, '#') > 0 {
			if u := resolve(base, href); u != nil && u.Host == base.Host && u.Path == base.Path && u.RawQuery == base.RawQuery {
				set(n, "href", "#"+u.EscapedFragment())
			}
		}
		switch {
		case n.Parent == nil || coloured(n):
		case n.DataAtom == atom.Span && (control(n) || toggles().MatchString(beginning(n, maxBegin)) && atMost(n, 3) < 3), named(n, furniture) && short(n), n.DataAtom == atom.Label && has(n, "for") && hasText(n) && letters(beginning(n, maxBegin)) == 0, n.DataAtom == atom.Title && n.Namespace != "":
			remove(n)
		case n.DataAtom != atom.A:
		case attribute(n, "rel") == "next", attribute(n, "rel") == "prev":
			remove(n)
		case permalink(n):
			permalinks++
			if id := cmp.Or(attribute(n, "id"), attribute(n, "name")); id != "" {
				place := newElement(atom.Span)
				set(place, "id", id)
				n.Parent.InsertBefore(place, n)
			}
			remove(n)
		case ownHeading(n):
			permalinks++
			if id := cmp.Or(attribute(n, "id"), attribute(n, "name")); id == "" || "#"+id == attribute(n, "href") {
				drop(n, "href")
			}
		case control(n):
			remove(alone(n, nil))
		}
	}
	return permalinks
}

// controls are the texts of links that show or change the source of a part of a page, or fold that part.
var controls = pattern(`(?i)^((view |show )?(source|src)( code)?|edit|(view|show|edit|improve|suggest|report|open|create) .{0,30}\b(source|page|docs?|document|github|gitlab|issue|edits?|bug))$`)

var (
	// sourcePages finds the URLs of sources.
	sourcePages = pattern(`(?i)(^|/)(blob|tree|edit|new|issues|_modules|src)/|#l(ine)?\D{0,8}\d+$`)
	// furniture finds the classes of small elements for the visitors of a page.
	furniture = names(`(?i)(^|[\s_-])(reading-?time|edit-(this-)?(page|link)|copy-popup|copied|clipboard|click-advice|print-?(only|footer)|no-?print|test-arrow|powered-by|tag-?line|(top|bottom)-?lang)`)
	// toggles finds the marks of parts that a visitor can fold.
	toggles = pattern(`^[►▶▸▹▼▾▿◀◂↕]+\s*$`)
	// controlNames finds the classes of controls in headings and signatures.
	controlNames = names(`(?i)(^|[\s_-])(click|toggle|copy|collapse|expand|permalink|(edit|src|source|view-?(code|source))-?link)(\s|[_-]|$)`)
)

// control reports whether an element is a control: a link that leads to a source, or an element next to the text of a heading or
// signature that only a visitor of the page can use.
func control(n *html.Node) bool {
	name, class := bare(beginning(n, maxBegin)), attribute(n, "class")
	named := n.DataAtom == atom.A && controls().MatchString(name)
	if name == "" || !named && !controlNames(class) {
		return false
	}
	for p, up := n.Parent, 0; p != nil && up < 4; p, up = p.Parent, up+1 {
		if isHeading(p) || p.DataAtom == atom.Dt || atMost(p, maxNote) < maxNote && signed(p) {
			return atMost(p, maxAlone) == maxAlone || bare(text(p)) != name
		}
	}
	return named && sourcePages().MatchString(attribute(n, "href"))
}

// permalink reports whether a link only shows the address of its heading.
func permalink(n *html.Node) bool {
	if !strings.Contains(attribute(n, "href"), "#") {
		return false
	}
	if h := before(n); h != nil && isHeading(h) && attribute(h, "id") != "" && attribute(n, "href") == "#"+attribute(h, "id") {
		return true // as in Starlight
	}
	name, h := strings.TrimSpace(text(n)), closest(n, func(p *html.Node) bool { return p.DataAtom != atom.Span })
	icon := descendant(n, func(c *html.Node) bool { return iconNames(attribute(c, "class")) })
	return icon != nil && size(icon) == size(n) && isHeading(h) && size(h) > size(n) || name != "" && letters(name) == 0 && isHeading(h) && atMost(h, maxAlone) < maxAlone && size(h) > 0 || permalinkNames().MatchString(name) && !inCode(n)
}

// permalinkNames finds the texts of permalinks, some of which are a symbol in a font of the page.
var permalinkNames = pattern(`^([¶#§◆🔗⚓\x{200b}]|\p{Co}+|Anchor|Permalink|((Back|Return) to )?[Tt]op|(Skip|Jump) to [\w ]{1,30})$`)

// iconNames finds the classes of icons. Some fonts show an icon in the place of a word.
var iconNames = names(`(?i)(^|[\s_-])(icons?|symbols)([\s_-]|$)`)

// ownHeading reports whether a link leads to an element that it begins, or, from a heading or a term, to an element in it or one that
// begins with it. A link that is all of a heading leads to no other place of the page.
func ownHeading(a *html.Node) bool {
	id, ok := strings.CutPrefix(attribute(a, "href"), "#")
	if !ok || id == "" {
		return false
	}
	if decoded, err := url.PathUnescape(id); err == nil {
		id = decoded
	}
	n := a
	if attribute(n, "id") == id {
		return holds(n, isHeading)
	}
	for range 4 {
		if n = n.Parent; n == nil {
			return false
		}
		if attribute(n, "id") == id && within(firstText(n), a) {
			return true
		}
		if isHeading(n) || n.DataAtom == atom.Dt {
			return attribute(n, "id") == id || n.Parent != nil && attribute(n.Parent, "id") == id || isHeading(n) && size(n) == size(a) ||
				holds(n, func(c *html.Node) bool { return attribute(c, "id") == id })
		}
	}
	return false
}

// hidden reports whether an element is not shown, and is not a part of the page that its reader can open.
func hidden(n *html.Node) bool {
	if oneOf(n, atom.Html, atom.Body) || attribute(n, "hidden") == "until-found" || attribute(n, "role") == "region" {
		return false
	}
	style := strings.ToLower(strings.ReplaceAll(attribute(n, "style"), " ", ""))
	return (has(n, "hidden") || has(n, "popover") || hasClass(n, "dropdown-menu") || hasClass(n, "modal") && weigh(n).headings < 2 || hasClass(n, "hidden") && short(n) || strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden")) && !opened(n)
}

// opened reports whether a control before or after a hidden part of a page shows it: a click on it, a class, or "read more". A heading or a
// term before the part is one too. In menus and dialogs, what opens is not content.
func opened(n *html.Node) bool {
	if !oneOf(n, atom.Div, atom.Dd, atom.Section, atom.P, atom.Ul, atom.Ol) || !hasText(n) || 2*weigh(n).linked >= size(n) {
		return false
	}
	for _, c := range []*html.Node{before(n), after(n)} {
		if c == nil || !hasText(c) || atMost(c, maxAlone) == maxAlone || has(c, "aria-haspopup") {
			continue
		}
		if c == before(n) && (isHeading(c) || c.DataAtom == atom.Dt) || c.DataAtom != atom.Input && (has(c, "onclick") || has(c, "aria-expanded") || named(c, toggleNames)) || readMore().MatchString(beginning(c, maxBegin)) {
			return closest(n, func(p *html.Node) bool {
				return !oneOf(p, atom.Html, atom.Body, atom.Form) && aside(p) || named(p, navigationNames)
			}) == nil
		}
	}
	return false
}

// toggleNames finds the classes of what shows and hides the element next to it, and readMore its texts.
var (
	toggleNames = names(`(?i)(^|[\s_-])(toggler?|accordion|collapsible|expander|spoiler|question|reveal)([\s_-]|$)`)
	readMore    = pattern(`(?i)^\W*(read|show|see|view|learn) (more|all|the answer|answer|solution)\W*$`)
)

// short reports whether an element has few words, and no block of content.
func short(n *html.Node) bool {
	return atMost(n, maxAlone) < maxAlone && size(n) < 50 && descendant(n, func(c *html.Node) bool { return blocks[c.DataAtom] && c.DataAtom != atom.P }) == nil
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

// note reports whether an aside is content: a footnote, a citation or the like, or paragraphs in a section that are hardly links.
// Admonitions are quotes already.
func note(n *html.Node) bool {
	if strings.HasPrefix(attribute(n, "role"), "doc-") || hasClass(n, "footnote", "footnote-list", "citation", "citation-list", "topic") {
		return true
	}
	w := weigh(n)
	return (inMain(n) || !named(n, ambiguousNames) && !named(n, navigationNames)) && 10*w.linked < w.text && holds(n, is(atom.P, atom.Pre))
}

// isData reports whether a script holds data about the page, which readability reads.
func isData(n *html.Node) bool {
	return n.DataAtom == atom.Script && attribute(n, "type") == "application/ld+json"
}
