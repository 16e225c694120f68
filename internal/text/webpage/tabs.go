package webpage

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// tabs are the lists of tabs of a page.
type tabs struct{ lists int }

// maxTabLists is for how many lists of tabs the panels are searched: each search visits the elements around the list.
const maxTabLists = 200

// express shows the panels of tabs one after the other, each after its label. It knows the HTML of Docusaurus,
// Starlight, MkDocs, VitePress and Sphinx.
func (t *tabs) express(n *html.Node) bool {
	switch {
	case attribute(n, "role") == "tablist":
		return t.panels(n)
	case hasClass(n, "tabbed-set"):
		return pairs(n, "tabbed-labels", "tabbed-content")
	case hasClass(n, "vp-code-group"):
		return pairs(n, "tabs", "blocks")
	case n.DataAtom == atom.Label && hasClass(n, "sd-tab-label", "tab-label"):
		replace(n, label(text(n)))
		return true
	}
	return false
}

func label(s string) *html.Node {
	return newElement(atom.P, newElement(atom.Strong, newText(strings.Join(strings.Fields(s), " "))))
}

// panels puts each label of a list of tabs before its panel. Labels and panels refer to each other by ids, or have the
// same order.
func (t *tabs) panels(list *html.Node) bool {
	if t.lists++; t.lists > maxTabLists {
		return false
	}
	var labels []*html.Node
	for n := range list.Descendants() {
		if attribute(n, "role") == "tab" {
			labels = append(labels, n)
		}
	}
	var found []*html.Node
	top := list.Parent
	for range 3 {
		if top == nil || len(found) > 0 {
			break
		}
		for n := range top.Descendants() {
			if attribute(n, "role") == "tabpanel" {
				found = append(found, n)
			}
		}
		top = top.Parent
	}
	byID := make(map[string]*html.Node)
	for _, l := range labels {
		byID["tab "+attribute(l, "id")], byID["panel "+attribute(l, "aria-controls")] = l, l
	}
	shown := false
	for i, p := range found {
		l := byID["tab "+attribute(p, "aria-labelledby")]
		if l == nil || attribute(p, "aria-labelledby") == "" {
			l = nil
			if id := attribute(p, "id"); id != "" {
				l = byID["panel "+id]
			}
		}
		if l == nil && len(labels) == len(found) {
			l = labels[i]
		}
		if l == nil {
			continue
		}
		unhide(p)
		p.InsertBefore(label(text(l)), p.FirstChild)
		shown = true
	}
	if shown {
		remove(list)
	}
	return shown
}

// unhide removes the attributes that hide an element.
func unhide(n *html.Node) {
	var kept []html.Attribute
	for _, a := range n.Attr {
		if a.Key != "hidden" && a.Key != "style" && a.Key != "role" && a.Key != "aria-hidden" {
			kept = append(kept, a)
		}
	}
	n.Attr = kept
}

// pairs puts each label in one element before the block at the same position in another element.
func pairs(set *html.Node, labels, contents string) bool {
	from := descendant(set, func(n *html.Node) bool { return hasClass(n, labels) })
	to := descendant(set, func(n *html.Node) bool { return hasClass(n, contents) })
	if from == nil || to == nil {
		return false
	}
	var names []string
	for n := range from.Descendants() {
		if n.DataAtom == atom.Label {
			names = append(names, text(n))
		}
	}
	i := 0
	for c := to.FirstChild; c != nil && i < len(names); c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		unhide(c)
		to.InsertBefore(label(names[i]), c)
		i++
	}
	remove(from)
	return true
}
