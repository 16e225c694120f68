package webpage

import (
	"fmt"
	"slices"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A Selector is a group of CSS selectors.
type Selector struct {
	source string
	group  cascadia.SelectorGroup
}

// MarshalText returns the text of the selector.
func (s *Selector) MarshalText() ([]byte, error) { return []byte(s.source), nil }

// UnmarshalText is [ParseSelector].
func (s *Selector) UnmarshalText(text []byte) error {
	parsed, err := ParseSelector(string(text))
	if err == nil {
		*s = *parsed
	}
	return err
}

const (
	maxSelector     = 1000 // bytes
	maxAlternatives = 50
)

// ParseSelector parses a group of selectors. Errors are for the author of the selector.
func ParseSelector(s string) (*Selector, error) {
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
	return &Selector{s, group}, nil
}

// selected returns the elements that one of the selectors selects, in the order of the document, without elements
// inside other selected elements.
func selected(doc *html.Node, selectors []*Selector) (found []*html.Node) {
	var all cascadia.SelectorGroup
	for _, s := range selectors {
		all = append(all, s.group...)
	}
	known := make(map[*html.Node]bool)
	for _, n := range cascadia.QueryAll(doc, all) {
		if known[n] = true; closest(n, func(p *html.Node) bool { return known[p] }) == nil {
			found = append(found, n)
		}
	}
	return found
}

// narrow keeps only the parts of a document that include selects, or everything if include is empty, and
// removes those that exclude selects.
func narrow(doc *html.Node, include, exclude []*Selector) {
	for _, n := range selected(doc, exclude) {
		remove(n)
	}
	if len(include) == 0 {
		return
	}
	list := selected(doc, include)
	body := descendant(doc, func(n *html.Node) bool { return n.DataAtom == atom.Body || n.DataAtom == atom.Frameset })
	if body != nil && !slices.ContainsFunc(list, func(n *html.Node) bool { return n == body || n.DataAtom == atom.Html }) {
		for _, n := range list {
			remove(n)
		}
		fill(body, list...)
	}
}
