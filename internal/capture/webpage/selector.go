package webpage

import (
	"fmt"
	"slices"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	maxSelector     = 1000 // bytes
	maxAlternatives = 50
)

// ParseSelector parses a group of CSS selectors. Errors are for the author of the selector.
func ParseSelector(s string) (cascadia.SelectorGroup, error) {
	if len(s) > maxSelector {
		return nil, fmt.Errorf("has %d bytes, must have at most %d", len(s), maxSelector)
	}
	group, err := cascadia.ParseGroup(s)
	if err != nil {
		return nil, fmt.Errorf("is not a CSS selector: %w", err)
	}
	if len(group) > maxAlternatives {
		return nil, fmt.Errorf("has more than %d alternatives", maxAlternatives)
	}
	return group, nil
}

// selected returns the elements that one of the selectors selects, in the order of the document, without elements
// inside other selected elements.
func selected(doc *html.Node, selectors []string) (found []*html.Node, err error) {
	var all cascadia.SelectorGroup
	for _, s := range selectors {
		group, err := ParseSelector(s)
		if err != nil {
			return nil, fmt.Errorf("%q %w", s, err)
		}
		all = append(all, group...)
	}
	known := make(map[*html.Node]bool)
	for _, n := range cascadia.QueryAll(doc, all) {
		if known[n] = true; closest(n, func(p *html.Node) bool { return known[p] }) == nil {
			found = append(found, n)
		}
	}
	return found, nil
}

// narrow keeps only the parts of a document that include selects, or everything if include is empty, and
// removes those that exclude selects.
func narrow(doc *html.Node, include, exclude []string) error {
	list, err := selected(doc, exclude)
	for _, n := range list {
		remove(n)
	}
	if err != nil || len(include) == 0 {
		return err
	}
	list, err = selected(doc, include)
	body := descendant(doc, is(atom.Body, atom.Frameset))
	if err == nil && body != nil && !slices.ContainsFunc(list, func(n *html.Node) bool { return n == body || n.DataAtom == atom.Html }) {
		for _, n := range list {
			remove(n)
		}
		fill(body, list...)
	}
	return err
}
