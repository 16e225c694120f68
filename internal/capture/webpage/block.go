package webpage

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// admonitionKind is the attribute of a quote that is an admonition: one of the kinds that GitHub shows.
const admonitionKind = "data-notice"

// kinds are the names that generators give to admonitions. Those in small letters also name other things, so they count only where
// something else says that an element is an admonition.
var kinds = map[string]string{
	"note": "NOTE", "info": "note", "notice": "note", "seealso": "NOTE", "information": "note", "remark": "note", "abstract": "note", "example": "note", "question": "note", "todo": "note",
	"primary": "note", "secondary": "note", "tip": "TIP", "hint": "TIP", "success": "tip", "important": "IMPORTANT", "warning": "WARNING", "warn": "warning",
	"attention": "WARNING", "caution": "CAUTION", "danger": "CAUTION", "error": "caution", "failure": "caution", "bug": "caution",
}

var (
	// admonitionNames finds the classes of admonitions, and admonitionTitles the classes of their titles.
	admonitionNames  = names(`(?i)admonition|callout|alert|hint|aside|custom-block|notice|message|info-?box|-macro-|(note|warning|tip)-?(box|block)`)
	admonitionTitles = names(`(?i)title|heading|header|caption|label`)
	// admonitionParts finds what some classes write next to the kind without a hyphen.
	admonitionParts = pattern(`(box|block)$`)
	// writtenAdmonition finds the mark of an admonition that is still text: a generator may not know it.
	writtenAdmonition = pattern(`^\s*\[!(\w+)\]\s*`)
	// admonitionColours finds the colour of the background in the classes of Tailwind, and admonitionIcons the names of icons.
	admonitionColours = pattern(`\bbg-(amber|yellow|orange|red|rose|blue|green|purple)-\d`)
	admonitionIcons   = pattern(`(?i)(exclamation|triangle|warning|info|bulb|ban|danger|error|important|caution|tip|note)`)
)

// signs are the kinds of admonitions that differ on a page by their colour or by an icon.
var signs = map[string]string{"exclamation": "warning", "triangle": "warning", "bulb": "tip", "ban": "caution", "orange": "warning", "yellow": "warning", "amber": "warning", "red": "caution", "rose": "caution", "blue": "note", "green": "tip", "purple": "important"}

var admonitionElements = elementSet("div aside section blockquote dl details p table")

// admonition turns a note, a tip or a warning into a quote that GitHub shows as an admonition, with the title in bold. Its class
// names the kind, and the class or a title says that it is an admonition; or it begins with an icon and the kind.
func admonition(n *html.Node) bool {
	if !admonitionElements[n.DataAtom] {
		return false
	}
	name, heading := admonitionName(n)
	if name == "" && attribute(n, "role") == "note" && !strings.HasPrefix(beginning(n, maxBegin), noteStart) {
		name = "note"
	}
	if first := firstText(n); n.DataAtom == atom.Blockquote && first != nil {
		if m := writtenAdmonition().FindStringSubmatch(first.Data); m != nil {
			name, first.Data = strings.ToLower(m[1]), first.Data[len(m[0]):]
		}
	}
	kind := strings.ToUpper(kinds[name])
	if kind == "" || !hasText(n) {
		return false
	}
	words := strings.ToUpper(name[:1]) + name[1:]
	if name == "primary" || name == "secondary" || name == "notice" {
		words = kind
	}
	if heading != nil {
		words = strings.TrimRight(strings.Join(strings.Fields(text(heading)), " "), ":")
		if next := heading.NextSibling; next != nil && next.Type == html.TextNode {
			next.Data = strings.TrimLeft(next.Data, ": ")
		}
		remove(heading)
	}
	if !strings.EqualFold(strings.TrimRight(words, ".!"), kind) {
		n.InsertBefore(label(words), n.FirstChild)
	}
	rename(n, atom.Blockquote)
	keepID(n)
	set(n, admonitionKind, kind)
	return true
}

// admonitionClass returns what the class and the attributes of an element say about its kind, in small letters.
func admonitionClass(n *html.Node) string {
	class := attribute(n, "class")
	for _, a := range n.Attr {
		if strings.HasSuffix(a.Key, "-type") || admonitionNames(a.Key) {
			class += " " + a.Val + " " + a.Key
		}
	}
	class = strings.ToLower(class)
	// such as --callout-color: var(--color-info)
	if style := strings.ToLower(attribute(n, "style")); admonitionNames(style) {
		class += " " + style
	}
	return class
}

// admonitionName returns the name of the kind of an admonition, and its title; "" if the element is not an admonition.
func admonitionName(n *html.Node) (name string, heading *html.Node) {
	class := admonitionClass(n)
	marked := class != "" && (admonitionNames(class) || n.DataAtom == atom.Blockquote) || attribute(n, "role") == "note"
	for field := range strings.FieldsFuncSeq(class, func(r rune) bool { return strings.ContainsRune(" \t\n\f,:;()", r) }) {
		field, titled := strings.CutSuffix(field, "-title")
		word := admonitionParts().ReplaceAllString(field[strings.LastIndexAny(field, "-_")+1:], "")
		sure := word == field && (kinds[word] == strings.ToUpper(kinds[word]) || n.DataAtom == atom.Aside) || name != "" && strings.HasPrefix(field, name)
		// "hint warning" is a warning.
		if kinds[word] != "" && (marked || sure) && (word != "notice" || word == field) && (name == "" || name == "hint" || name == "note") {
			marked = marked || name != "" && sure
			if name = word; titled && n.DataAtom == atom.Blockquote {
				return name, descendant(n, is(atom.P))
			}
		}
	}
	icon := descendant(n, func(*html.Node) bool { return true })
	if colour := admonitionColours().FindStringSubmatch(class); colour != nil && strings.Contains(class, "border-"+colour[1]) && icon != nil && size(icon) <= 2 {
		return signs[colour[1]], nil
	}
	icon = descendant(n, func(c *html.Node) bool {
		return !hasText(c) && admonitionIcons().MatchString(attribute(c, "class")+attribute(c, "alt"))
	})
	if icon != nil && name == "" && (marked || n.DataAtom == atom.Table && !hasLines(n) && closest(n, func(p *html.Node) bool { return has(p, admonitionKind) }) == nil) {
		word := strings.ToLower(admonitionIcons().FindString(attribute(icon, "class") + attribute(icon, "alt")))
		name, marked = strings.ToLower(kinds[cmp.Or(signs[word], word)]), true
		remove(icon)
	}
	bare := name
	if !marked && (!oneOf(n, atom.Div, atom.P, atom.Blockquote) || kinds[name] != strings.ToUpper(name) || holds(n, isHeading)) && n.DataAtom != atom.Aside {
		bare = ""
	}
	return admonitionTitle(n, class, name, bare, marked)
}

// admonitionTitle finds the title of an element. class, name and marked are what [admonitionName] knows of it, and bare is its name if it
// has no title.
func admonitionTitle(n *html.Node, class, name, bare string, marked bool) (string, *html.Node) {
	first := n
	for range 4 {
		if first = withText(first.FirstChild); first == nil || first.Type != html.ElementNode {
			return bare, nil
		}
		next := withText(first.NextSibling)
		word := strings.TrimRight(strings.ToLower(strings.TrimSpace(beginning(first, maxBegin))), ":.!")
		switch {
		case (kinds[word] == strings.ToUpper(kinds[word]) || marked) && kinds[word] != "" && next != nil && (name == "" || name == word) && strings.Contains(class, word):
			return word, first
		case admonitionTitles(attribute(first, "class")) && next != nil, isHeading(first), first.DataAtom == atom.Summary, first.DataAtom == atom.Dt:
			if name == "" && marked && kinds[word] != "" {
				name = word
			} else if name == "" && (strings.Contains(class, "admonition") || strings.Contains(class, "callout")) && descendant(n, func(c *html.Node) bool { return c != first && isHeading(c) }) == nil {
				name = "note"
			}
			return name, first
		case first.DataAtom == atom.Strong, first.DataAtom == atom.B, first.DataAtom == atom.Span && name != "" && kinds[word] != "":
			switch {
			case kinds[word] == strings.ToUpper(word) && (n.DataAtom == atom.Blockquote || marked) && name == "":
				return word, first
			case kinds[word] != "" && name != "":
				return name, first
			}
			return bare, nil
		case name == "" && len(word) < 20 && holds(first, is(atom.Svg)):
			return word, first
		}
	}
	return bare, nil
}

// tabs are the lists of tabs of a page.
type tabs struct {
	// elements by id, and panels by "of " and the id of their tab
	byID map[string]*html.Node
	// of lists with panels; absent: panels not in the page
	labels, absent int
	near           int // lists with a search for panels around them
}

// maxNear is for how many lists of tabs the panels are searched: each search visits the elements around the list.
const maxNear = 200

// express shows the panels of tabs one after the other, each after its label. It knows ARIA, and lists of labels next
// to lists of panels.
func (t *tabs) express(doc, n *html.Node) bool {
	switch {
	case attribute(n, "role") == "tablist":
		return t.panels(doc, n)
	case pair(n):
		return true
	case (n.DataAtom == atom.Label && before(n) != nil && before(n).DataAtom == atom.Input || n.DataAtom == atom.Button && named(n, tabNames)) && after(n) != nil && after(n).DataAtom == atom.Div:
		replace(n, label(text(n)))
		return true
	}
	return false
}

// tabNames finds the classes of tabs.
var tabNames = names(`(?i)(^|[\s_-])(tabs|tab|tabbed|code-group)([\s_-]|$)|\btab-?(content|pane|link|set|list)`)

// hiding are the attributes that hide an element.
var hiding = []string{"hidden", "style", "role", "aria-hidden", "class"}

func label(s string) *html.Node {
	return newElement(atom.P, newElement(atom.Strong, newText(strings.Join(strings.Fields(s), " "))))
}

// pair puts each label before its panel, if an element with a class of tabs has as many labels as the next element has panels, or as
// elements of the class of the next element follow.
func pair(n *html.Node) bool {
	from := before(n)
	if !oneOf(n, atom.Div, atom.Section) || from == nil || attribute(n, "role") == "tabpanel" || from.DataAtom == n.DataAtom && attribute(n, "class") == attribute(from, "class") || from.DataAtom == atom.P || phrasing[from.DataAtom] || !named(from, tabNames) && !named(n.Parent, tabNames) || atMost(from, maxNote) == maxNote || size(from) > maxLabels {
		return false
	}
	var labels []*html.Node
	left := size(from) // not in labels
	for _, kind := range []atom.Atom{atom.Label, atom.Button, atom.Li, 0} {
		if labels = all(from, func(c *html.Node) bool {
			return hasText(c) && (c.DataAtom == kind || kind == 0 && c.Parent == from && c.DataAtom != atom.Input)
		}); len(labels) > 0 {
			break
		}
	}
	panels := all(n, func(c *html.Node) bool { return c.Parent == n && c.DataAtom != atom.Input })
	if len(panels) != len(labels) && len(labels) > 1 {
		panels = nil
		for c := n; c != nil && len(panels) <= len(labels) && attribute(c, "class") == attribute(n, "class"); c = after(c) {
			panels = append(panels, c)
		}
	}
	for _, l := range labels {
		left -= size(l)
	}
	if left != 0 || len(labels) == 0 || len(panels) != len(labels) || holds(from, func(c *html.Node) bool { return c.DataAtom == atom.Code || isHeading(c) || isPre(c) }) {
		return false
	}
	for i, c := range panels {
		drop(c, hiding...)
		c.Parent.InsertBefore(label(text(labels[i])), c)
	}
	remove(from)
	return true
}

// maxLabels is how many letters the labels of tabs may have.
const maxLabels = 150

// index finds the elements that ids refer to.
func (t *tabs) index(doc *html.Node) {
	t.byID = make(map[string]*html.Node)
	for n := range doc.Descendants() {
		if id := attribute(n, "id"); id != "" {
			t.byID[id] = n
		}
		if id := attribute(n, "aria-labelledby"); id != "" && attribute(n, "role") == "tabpanel" {
			t.byID["of "+id] = n
		}
	}
}

// panels puts each label of a list of tabs before its panel. Labels and panels refer to each other by ids, or have the
// same order.
func (t *tabs) panels(doc, list *html.Node) bool {
	if t.byID == nil {
		t.index(doc)
	}
	labels := all(list, func(n *html.Node) bool { return attribute(n, "role") == "tab" })
	panels := make([]*html.Node, len(labels))
	shown := 0
	for i, l := range labels {
		for _, id := range []string{attribute(l, "aria-controls"), strings.TrimPrefix(attribute(l, "href"), "#"), "of " + attribute(l, "id")} {
			if p := t.byID[id]; panels[i] == nil && id != "" && p != nil && p.Parent != nil && attribute(p, "role") == "tabpanel" {
				panels[i] = p
				shown++
			}
		}
	}
	if t.near++; shown == 0 && t.near <= maxNear {
		var found []*html.Node
		for top, up := cmp.Or(after(list), list), 0; top != nil && up < 4 && len(found) == 0; top, up = top.Parent, up+1 {
			found = all(top, func(n *html.Node) bool { return attribute(n, "role") == "tabpanel" })
		}
		first := max(0, slices.IndexFunc(labels, func(l *html.Node) bool { return len(found) == 1 && attribute(l, "aria-selected") == "true" }))
		if shown = len(found); shown > 0 && shown <= len(labels) && (shown == len(labels) || attribute(found[0], "aria-labelledby") == "") {
			copy(panels[first:], found)
		} else {
			shown = 0
		}
	}
	// Tabs of one panel select its rows.
	if shown == 0 || shown > 1 && panels[0] == panels[1] {
		return false
	}
	for i, p := range panels {
		if p != nil && !hasText(p) {
			shown--
		} else if p != nil {
			drop(p, hiding...)
			name := strings.TrimSpace(text(labels[i]))
			if again := descendant(p, func(c *html.Node) bool { return ownText(c) != "" }); again != nil && !inCode(again) && strings.TrimSpace(text(again)) == name {
				remove(again)
			}
			if p.InsertBefore(label(name), p.FirstChild); within(p, list) {
				remove(p)
				list.Parent.InsertBefore(p, list)
			}
		}
	}
	t.labels += len(labels)
	t.absent += len(labels) - shown
	remove(list)
	return true
}
