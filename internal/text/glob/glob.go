// Package glob matches names against glob patterns in bounded time.
//
// The patterns have the syntax of doublestar: "*" and "?" match within a segment, "**" matches
// several segments if it is a whole segment, "[a-z]" matches one character, and "{a,b}" one of the
// alternatives. With braces, the time of doublestar grows with the product of all alternatives. So
// this package expands braces first, as a shell does, to a bounded number of patterns, and
// doublestar matches each of them. Without braces, the time is at most the product of the lengths
// of the pattern and the name.
package glob

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Bounds on a pattern.
const (
	maxBytes    = 1000
	maxPatterns = 500           // number of patterns that braces expand to
	maxSize     = 16 * maxBytes // total size of these patterns in bytes
)

// A Glob is a compiled pattern. Nil matches nothing.
type Glob struct {
	text     string
	patterns []string // without braces
	heads    []head   // of each pattern
}

// Parse checks a pattern. The error completes "the pattern is".
func Parse(pattern string) (*Glob, error) {
	if len(pattern) > maxBytes {
		return nil, fmt.Errorf("too complex: it has %d bytes, may have %d", len(pattern), maxBytes)
	}
	if !doublestar.ValidatePattern(pattern) {
		return nil, errors.New("not a valid pattern: a bracket or brace has no counterpart, or a backslash is the last character")
	}
	p := parser{rest: pattern}
	g := &Glob{text: pattern, patterns: p.sequence(0)}
	if p.excess {
		return nil, fmt.Errorf("too complex: its braces expand to more than %d patterns or %d bytes", maxPatterns, maxSize)
	}
	for _, pattern := range g.patterns {
		g.heads = append(g.heads, headOf(pattern))
	}
	return g, nil
}

// Len returns the number of patterns without braces that the pattern stands for.
func (g *Glob) Len() int { return len(g.patterns) }

// String returns the pattern.
func (g *Glob) String() string { return g.text }

// Match reports whether a name matches the pattern.
func (g *Glob) Match(name string) bool {
	return g != nil && slices.ContainsFunc(g.patterns, func(pattern string) bool { return doublestar.MatchUnvalidated(pattern, name) })
}

// MayMatchBelow reports whether the pattern can match a name below that folder. If it cannot
// decide, it returns true.
func (g *Glob) MayMatchBelow(folder string) bool {
	return g != nil && slices.ContainsFunc(g.heads, func(h head) bool { return h.mayMatchBelow(folder) })
}

// A parser expands the braces of a valid pattern, which it reads from the left.
type parser struct {
	rest   string
	excess bool // a bound is exceeded
}

// sequence returns the patterns without braces that the rest of the pattern stands for or, in
// braces, the rest of the alternative.
func (p *parser) sequence(depth int) []string {
	out := []string{""}
	for p.rest != "" && !p.excess {
		switch c := p.rest[0]; {
		case c == '{':
			var alternatives []string
			for more := true; more && !p.excess; more = p.rest[0] == ',' {
				p.rest = p.rest[1:] // the brace or comma
				alternatives = append(alternatives, p.sequence(depth+1)...)
			}
			p.rest = p.rest[min(1, len(p.rest)):]
			out = p.product(out, alternatives)
		case depth > 0 && (c == ',' || c == '}'):
			return out
		default:
			n := literal(p.rest, depth > 0)
			out = p.product(out, []string{p.rest[:n]})
			p.rest = p.rest[n:]
		}
	}
	return out
}

// product appends each of the endings to each of the patterns.
func (p *parser) product(patterns, endings []string) []string {
	var out []string
	size := 0
	for _, pattern := range patterns {
		for _, ending := range endings {
			size += len(pattern) + len(ending)
			if len(out) == maxPatterns || size > maxSize {
				p.excess = true
				return nil
			}
			out = append(out, pattern+ending)
		}
	}
	return out
}

// literal returns how many bytes at the beginning of a pattern are before braces or, in braces,
// before the end of an alternative. There is at least one.
func literal(s string, inBraces bool) int {
	class := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '{', inBraces && (c == ',' || c == '}'):
			return i
		}
	}
	return len(s)
}

// A head is the first segments of a pattern, up to one that may match several.
type head struct {
	segments []string
	open     bool // more segments follow; else the last segment matches the name itself
}

func headOf(pattern string) head {
	segments := strings.Split(pattern, "/")
	// A class may match or contain a slash, and a slash may be escaped.
	for i, s := range segments {
		if s == "**" || strings.ContainsAny(s, `[\`) {
			return head{segments: segments[:i], open: true}
		}
		// doublestar does not match "a" with "a***"
		for strings.Contains(segments[i], "**") {
			segments[i] = strings.ReplaceAll(segments[i], "**", "*")
		}
	}
	return head{segments: segments}
}

func (h head) mayMatchBelow(folder string) bool {
	names := strings.Split(folder, "/")
	for i, segment := range h.segments[:min(len(h.segments), len(names))] {
		if !doublestar.MatchUnvalidated(segment, names[i]) {
			return false
		}
	}
	return h.open || len(names) < len(h.segments)
}

// A Set holds patterns for files and for folders with everything in them.
type Set []*Glob

// ParseSet parses patterns. A pattern may begin with "./" and end with a slash. The error names the
// index of a bad pattern.
func ParseSet(patterns []string) (Set, error) {
	var set Set
	for i, text := range patterns {
		g, err := Parse(strings.TrimSuffix(strings.TrimPrefix(text, "./"), "/"))
		if err != nil {
			return nil, fmt.Errorf("pattern %d, %q, is %w", i, text, err)
		}
		g.text = text
		set = append(set, g)
	}
	return set, nil
}

// Covers reports whether a pattern matches a path, or a folder above it, and returns the pattern as it
// was written.
func (s Set) Covers(name string) (pattern string, ok bool) {
	if len(s) == 0 {
		return "", false
	}
	for i := 0; i <= len(name); i++ {
		if i < len(name) && name[i] != '/' {
			continue
		}
		for _, g := range s {
			if g.Match(name[:i]) {
				return g.text, true
			}
		}
	}
	return "", false
}
