package webpage

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

// A Selector is a group of CSS selectors. Cascadia matches the pieces between combinators. This package
// handles the combinators in one pass, because cascadia tries all pairs, triples and so on of the
// ancestors and siblings of an element, and a hostile page could make that take forever.
type Selector struct {
	source       string
	alternatives [][]step
}

// String returns the text of the selector.
func (s *Selector) String() string { return s.source }

// A step is a piece of a selector, with the combinator before it: 0 for the first, ' ', '>', '+' or
// '~'.
type step struct {
	combinator byte
	counts     bool // it looks at all siblings of each element
	cascadia.Sel
}

const (
	maxSelector     = 1000 // bytes
	maxAlternatives = 50
	maxSteps        = 60
	// maxCounted is how many siblings the pseudo-classes of a selector may visit: enough for 10,000
	// siblings of each of 10,000 elements.
	maxCounted = 100_000_000
)

// ParseSelector parses a group of selectors. Errors are for the author of the selector.
func ParseSelector(s string) (*Selector, error) {
	if len(s) > maxSelector {
		return nil, fmt.Errorf("has %d bytes, must have at most %d", len(s), maxSelector)
	}
	sel := &Selector{source: s}
	for _, part := range splitOutside(s, ",") {
		steps, err := parseSteps(part.text)
		if err != nil {
			return nil, err
		}
		sel.alternatives = append(sel.alternatives, steps)
	}
	if len(sel.alternatives) > maxAlternatives {
		return nil, fmt.Errorf("has more than %d alternatives", maxAlternatives)
	}
	return sel, nil
}

func parseSteps(s string) ([]step, error) {
	var steps []step
	var combinator byte
	for _, part := range splitOutside(s, " \t\r\n\f>+~") {
		text := part.text
		if text == "" { // between two combinators, as in "a > b"
			if part.end != 0 && (combinator == ' ' || combinator == 0) {
				combinator = part.end
			} else if part.end > ' ' {
				return nil, errors.New("two combinators stand behind each other")
			}
			continue
		}
		if err := checkPiece(text); err != nil {
			return nil, err
		}
		compiled, err := cascadia.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("is not a CSS selector: %w", err)
		}
		if len(steps) == 0 {
			if combinator > ' ' {
				return nil, errors.New("begins with a combinator")
			}
			combinator = 0
		}
		steps = append(steps, step{combinator, counting(text), compiled})
		combinator = part.end
	}
	switch {
	case len(steps) == 0:
		return nil, errors.New("has an empty selector")
	case combinator > ' ':
		return nil, errors.New("ends with a combinator")
	case len(steps) > maxSteps:
		return nil, fmt.Errorf("has more than %d steps", maxSteps)
	}
	return steps, nil
}

// counting reports whether a piece has a pseudo-class that depends on the position of an element among
// its siblings.
func counting(piece string) bool {
	piece = strings.ToLower(piece)
	return strings.Contains(piece, ":nth-") || strings.Contains(piece, "-of-type") || strings.Contains(piece, ":only-") || strings.Contains(piece, "-child")
}

// checkPiece refuses pseudo-classes whose argument would make cascadia search the page by itself.
func checkPiece(s string) error {
	lower := strings.ToLower(s)
	for _, name := range []string{":has(", ":haschild(", ":matches(", ":matchesown("} {
		if strings.Contains(lower, name) {
			return fmt.Errorf("has %s), which is not supported", name)
		}
	}
	for rest := lower; ; {
		_, inner, found := strings.Cut(rest, ":not(")
		if !found {
			return nil
		}
		depth, end := 1, 0
		for ; end < len(inner) && depth > 0; end++ {
			switch inner[end] {
			case '(':
				depth++
			case ')':
				depth--
			}
		}
		for _, alternative := range splitOutside(strings.TrimSuffix(inner[:end], ")"), ",") {
			if len(splitOutside(strings.TrimSpace(alternative.text), " \t\r\n\f>+~")) > 1 {
				return errors.New("has a combinator in :not(), which is not supported")
			}
		}
		rest = inner
	}
}

// A part is a piece of a text, with the character that ends it, or 0 for the last piece. All white space counts as a
// space.
type part struct {
	text string
	end  byte
}

// splitOutside splits a text at characters outside quotes, brackets and parentheses.
func splitOutside(s, at string) []part {
	var parts []part
	start, depth := 0, 0
	var quote byte
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[' || c == '(':
			depth++
		case c == ']' || c == ')':
			depth--
		case depth == 0 && strings.IndexByte(at, c) >= 0:
			parts = append(parts, part{s[start:i], max(c, ' ')})
			start = i + 1
		}
	}
	return append(parts, part{s[start:], 0})
}

// match returns the selected elements, in the order of the document, without elements inside other
// selected elements.
func (s *Selector) match(ctx context.Context, doc *html.Node) ([]*html.Node, error) {
	var found []*html.Node
	// For each alternative: the steps that match the previous sibling, and those that match any earlier
	// sibling. self has the steps that match the parent, above those that match the parent or one of its
	// ancestors.
	type frame struct{ before, left uint64 }
	counted := 0
	var walk func(parent *html.Node, self, above []uint64) error
	walk = func(parent *html.Node, self, above []uint64) error {
		states := make([]frame, len(s.alternatives))
		siblings := 0
		for range parent.ChildNodes() {
			siblings++
		}
		for n := parent.FirstChild; n != nil; n = n.NextSibling {
			if n.Type != html.ElementNode {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			selected := false
			own, higher := make([]uint64, len(states)), make([]uint64, len(states))
			for i, steps := range s.alternatives {
				f := &states[i]
				var now uint64
				for j, st := range steps {
					var ok bool
					switch prior := uint64(1) << max(j-1, 0); st.combinator {
					case 0:
						ok = true
					case '>':
						ok = self[i]&prior != 0
					case '+':
						ok = f.before&prior != 0
					case '~':
						ok = f.left&prior != 0
					default:
						ok = above[i]&prior != 0
					}
					if !ok {
						continue
					}
					if st.counts {
						if counted += siblings; counted > maxCounted {
							return fmt.Errorf("the page has too many elements for the selector %q, which counts siblings", s.source)
						}
					}
					if st.Match(n) {
						now |= 1 << j
					}
				}
				selected = selected || now&(1<<(len(steps)-1)) != 0
				f.before = now
				f.left |= now
				own[i], higher[i] = now, above[i]|now
			}
			if selected {
				found = append(found, n)
				continue
			}
			if err := walk(n, own, higher); err != nil {
				return err
			}
		}
		return nil
	}
	none := make([]uint64, len(s.alternatives))
	err := walk(doc, none, none)
	return found, err
}

// narrow keeps only the parts of a document that include selects, or everything if include is empty, and
// removes those that exclude selects.
func narrow(ctx context.Context, doc *html.Node, include, exclude []*Selector) error {
	for _, s := range exclude {
		list, err := s.match(ctx, doc)
		if err != nil {
			return err
		}
		for _, n := range list {
			remove(n)
		}
	}
	if len(include) == 0 {
		return nil
	}
	all := &Selector{source: include[0].source}
	for _, s := range include {
		all.alternatives = append(all.alternatives, s.alternatives...)
	}
	list, err := all.match(ctx, doc)
	if err != nil {
		return err
	}
	var body *html.Node
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && (n.Data == "body" || n.Data == "frameset") {
			body = n
			break
		}
	}
	if body == nil {
		return nil
	}
	for _, n := range list {
		if n == body || n.Data == "html" {
			return nil
		}
	}
	for _, n := range list {
		remove(n)
	}
	for c := body.FirstChild; c != nil; c = body.FirstChild {
		body.RemoveChild(c)
	}
	for _, n := range list {
		body.AppendChild(n)
	}
	return nil
}
