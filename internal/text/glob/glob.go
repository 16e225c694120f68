// Package glob matches names against glob patterns in bounded time.
//
// The patterns are those of doublestar: "*" and "?" match within a segment, "**" matches several
// segments if it is a whole segment, "[a-z]" matches one character, and "{a,b}" one of the
// alternatives. For braces, the time of doublestar grows with the product of all alternatives, and
// with a power of the name's length for each pair of braces behind a star. So this package converts
// a pattern with braces to a regular expression of the standard library, whose time is linear in
// the name. For patterns without braces, doublestar is four times as fast.
//
// The meaning of a star depends on its neighbours. So braces with a star at an end or beside them,
// as in "{**/,}a" or "*{,.md}", are expanded first, to at most 64 patterns. Other braces have no
// such bound.
//
// There are two differences. Stars at the end of a pattern may all match the empty string:
// "{a,b}*/**" matches "a", whereas "a*/**" in doublestar does not. In doublestar, "a**/" and
// "a/**/" match "a" too; the expression does not, because a name has no slash at its end.
package glob

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// Bounds on a pattern.
const (
	maxBytes        = 1000
	maxDepth        = 100 // nesting of braces; regexp allows about 300
	maxAlternatives = 64  // expanded patterns
	maxSize         = 4 * maxBytes
)

// A Glob is a compiled pattern. Nil matches nothing.
type Glob struct {
	plain      string         // a pattern without braces
	expression *regexp.Regexp // of a pattern with braces, else nil
	heads      []head         // of each expanded pattern
}

// Parse checks a pattern. The error completes "the pattern is".
func Parse(pattern string) (*Glob, error) {
	if len(pattern) > maxBytes {
		return nil, fmt.Errorf("too complex: it has %d bytes, may have %d", len(pattern), maxBytes)
	}
	if strings.Contains(pattern, "{") && !utf8.ValidString(pattern) { // they could make characters of bytes that are none alone
		return nil, errors.New("not a valid pattern: it has braces and is not UTF-8")
	}
	if !doublestar.ValidatePattern(pattern) {
		return nil, errors.New("not a valid pattern: a bracket or brace has no counterpart, or a backslash is the last character")
	}
	p := parser{rest: pattern}
	whole := p.sequence(0)
	if p.deep {
		return nil, fmt.Errorf("too complex: its braces are nested more than %d deep", maxDepth-1)
	}
	var e expansion
	sequences := e.expand(whole)
	if e.excess() {
		return nil, fmt.Errorf("too complex: its braces beside stars expand to more than %d patterns or %d bytes", maxAlternatives, maxSize)
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

// Expression returns a regular expression for the same names, in a form that Go, JavaScript and the
// engine of Rust understand alike, without anchors. ok is false for a pattern with characters that
// are not ASCII, or that a URL does not have in its path as they are.
func (g *Glob) Expression() (text string, ok bool) {
	p := parser{rest: g.plain}
	var e expansion
	var alternatives []string
	for _, s := range e.expand(p.sequence(0)) {
		alternatives = append(alternatives, expression(s))
	}
	var b strings.Builder
	rest := strings.ReplaceAll(strings.Join(alternatives, "|"), `(?s:.*)`, `.*`)
	for {
		before, after, found := strings.Cut(rest, `\x{`)
		b.WriteString(before)
		if !found {
			return "(?:" + b.String() + ")", true
		}
		digits, behind, _ := strings.Cut(after, "}")
		r, err := strconv.ParseUint(digits, 16, 32)
		if err != nil || r <= ' ' || r >= 0x7f || strings.ContainsRune(`"%<>^{|}`+"`", rune(r)) {
			return "", false
		}
		if strings.ContainsRune(`\.+*?()[]$#&-~`, rune(r)) {
			b.WriteByte('\\')
		}
		b.WriteByte(byte(r))
		rest = behind
	}
}

// String returns the pattern.
func (g *Glob) String() string { return g.plain }

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

// MayMatchBelow reports whether the pattern can match a name below that folder. If it cannot
// decide, it returns true.
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
	open     bool // more segments follow; else the last segment matches the name itself
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
		if err != nil { // not possible: the whole pattern has been compiled
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
