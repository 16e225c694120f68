package webpage

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// tabs are the lists of tabs of a page.
type tabs struct {
	byID           map[string]*html.Node // elements by id, and panels by "of " and the id of their tab
	labels, absent int                   // labels of lists with panels, and how many have no panel in the page
	near           int                   // lists whose panels were searched around them
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
	left := size(from) // letters that are not in labels
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
	if left != 0 || len(labels) == 0 || len(panels) != len(labels) || descendant(from, func(c *html.Node) bool { return c.DataAtom == atom.Code || isHeading(c) || isPre(c) }) != nil {
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
	if shown == 0 || shown > 1 && panels[0] == panels[1] { // tabs of one panel select its rows
		return false
	}
	for i, p := range panels {
		if p != nil && !hasText(p) {
			shown--
		} else if p != nil {
			drop(p, hiding...)
			name := strings.TrimSpace(text(labels[i]))
			if again := descendant(p, func(c *html.Node) bool { return ownText(c) != "" }); again != nil && !inCode(again) && strings.TrimSpace(text(again)) == name {
				remove(again) // the panel repeats its label
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
