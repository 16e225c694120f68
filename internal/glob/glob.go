// Package glob compares names with glob patterns, in a time that has a bound.
//
// A pattern is one of doublestar: "*" and "?" stay in a segment, "**" spans them where it is all of one, "[a-z]" is one character,
// and "{a,b}" is one of the alternatives. What doublestar does with braces takes time that grows with the product of all
// alternatives, and with a power of the name's length for each pair of them behind a star. So a pattern with braces becomes a
// regular expression of the standard library, whose time is linear in the name. Without braces doublestar is four times as fast.
//
// What a star means depends on what stands beside it. So braces with a star at an end or beside them, as in "{**/,}a" or
// "*{,.md}", are written out beforehand: they may stand for 64 patterns. There is no such bound for other braces.
//
// Where stars at the end of a pattern may be nothing, the expression lets all of them be nothing: "{a,b}*/**" matches "a". Of
// "a*/**" doublestar denies that. It takes "a**/" and "a/**/" for "a" too, which the expression does not: a name has no slash at
// its end.
package glob

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// What a pattern may be.
const (
	maxBytes        = 1000
	maxDepth        = 100 // braces in braces; regexp takes about 300
	maxAlternatives = 64  // patterns that are written out
	maxSize         = 4 * maxBytes
)

// A Glob is a pattern that names are compared with. Nil matches nothing.
type Glob struct {
	plain      string         // a pattern without braces
	expression *regexp.Regexp // of a pattern with braces, else nil
	heads      []head         // of each pattern that was written out
}

// Parse checks a pattern. The error completes "the pattern is".
func Parse(pattern string) (*Glob, error) {
	if len(pattern) > maxBytes {
		return nil, fmt.Errorf("too complex: it has %d bytes, may have %d", len(pattern), maxBytes)
	}
	if !doublestar.ValidatePattern(pattern) {
		return nil, errors.New("not a valid pattern: a bracket, a brace or a backslash has nothing that closes or follows it")
	}
	p := parser{rest: pattern}
	whole := p.sequence(0)
	if p.deep {
		return nil, fmt.Errorf("too complex: its braces lie in more than %d others", maxDepth-1)
	}
	var e expansion
	sequences := e.expand(whole)
	if e.excess() {
		return nil, fmt.Errorf("too complex: its braces beside stars stand for more than %d patterns, or for more than %d bytes", maxAlternatives, maxSize)
	}
	g := &Glob{plain: pattern}
	alternatives := make([]string, len(sequences))
	for i, s := range sequences {
		alternatives[i] = expression(s)
		g.heads = append(g.heads, headOf(s))
	}
	if !slices.ContainsFunc(whole, token.braces) {
		return g, nil
	}
	var err error
	if g.expression, err = compile(strings.Join(alternatives, "|")); err != nil {
		return nil, fmt.Errorf("too complex: %w", err)
	}
	return g, nil
}

func compile(expression string) (*regexp.Regexp, error) {
	return regexp.Compile(`\A(?:` + expression + `)\z`)
}

// Match reports whether a name matches the pattern.
func (g *Glob) Match(name string) bool {
	switch {
	case g == nil:
		return false
	case g.expression == nil:
		return doublestar.MatchUnvalidated(g.plain, name)
	}
	return g.expression.MatchString(name)
}

// MayMatchBelow reports whether the pattern can match a name below that folder. Where it cannot tell, it says yes.
func (g *Glob) MayMatchBelow(folder string) bool {
	if g == nil {
		return false
	}
	for _, h := range g.heads {
		if h.mayMatchBelow(folder) {
			return true
		}
	}
	return false
}

// A head is the first segments of a pattern, up to one that may match several.
type head struct {
	segments []*regexp.Regexp
	open     bool // more follows; else the last of the segments is that of the name itself
}

func headOf(s []token) head {
	var h head
	for begin, i := 0, 0; i <= len(s); i++ {
		if i < len(s) && !s[i].slash && !s[i].wide {
			continue
		}
		segment := s[begin:i]
		if i < len(s) && s[i].wide || len(segment) == 1 && segment[0].stars == 2 {
			h.open = true
			return h
		}
		compiled, err := compile(expression(segment))
		if err != nil { // the whole pattern has been compiled
			h.open = true
			return h
		}
		h.segments = append(h.segments, compiled)
		begin = i + 1
	}
	return h
}

func (h head) mayMatchBelow(folder string) bool {
	i := 0
	for name := range strings.SplitSeq(folder, "/") {
		if i == len(h.segments) {
			return h.open
		}
		if !h.segments[i].MatchString(name) {
			return false
		}
		i++
	}
	return h.open || i < len(h.segments)
}
