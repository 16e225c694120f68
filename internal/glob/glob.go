// Package glob compares names with glob patterns, in a time that has a bound.
//
// A pattern is one of doublestar: "*" and "?" stay in a segment, "**" spans them, "[a-z]" is one character, and "{a,b}" is one of the
// alternatives. The time that doublestar takes grows with the product of all alternatives, and with a power of the name's length
// for each pair of braces behind a star. So braces are expanded beforehand, to at most 64 patterns without any.
package glob

import (
	"errors"
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// What a pattern may be.
const (
	maxBytes        = 1000
	maxDepth        = 3  // braces in braces
	maxAlternatives = 64 // patterns that all braces together stand for
)

// A Glob is what a pattern with braces stands for: patterns without. The zero value matches nothing.
type Glob []string

// Parse checks a pattern. The error completes "the pattern is".
func Parse(pattern string) (Glob, error) {
	if len(pattern) > maxBytes {
		return nil, fmt.Errorf("too complex: it has %d bytes, may have %d", len(pattern), maxBytes)
	}
	if !doublestar.ValidatePattern(pattern) {
		return nil, errors.New("not a valid pattern: a bracket, a brace or a backslash has nothing that closes or follows it")
	}
	e := expansion{rest: pattern}
	patterns := e.sequence(0)
	if e.excess != "" {
		return nil, fmt.Errorf("too complex: %s", e.excess)
	}
	return patterns, nil
}

// Match reports whether a name matches one of the alternatives.
func (g Glob) Match(name string) bool {
	for _, pattern := range g {
		if doublestar.MatchUnvalidated(pattern, name) {
			return true
		}
	}
	return false
}

// An expansion reads a valid pattern from the left.
type expansion struct {
	rest   string
	excess string // what there is too much of
}

// sequence reads up to the end of the pattern or, in braces, up to what ends the alternative.
func (e *expansion) sequence(depth int) []string {
	out := []string{""}
	for e.rest != "" && e.excess == "" {
		next := e.plain(depth)
		switch {
		case next > 0:
			for i := range out {
				out[i] += e.rest[:next]
			}
			e.rest = e.rest[next:]
		case e.rest[0] == '{':
			alternatives := e.braces(depth + 1)
			if len(out)*len(alternatives) > maxAlternatives {
				e.excess = fmt.Sprintf("its braces stand for more than %d patterns", maxAlternatives)
				return nil
			}
			product := make([]string, 0, len(out)*len(alternatives))
			for _, head := range out {
				for _, tail := range alternatives {
					product = append(product, head+tail)
				}
			}
			out = product
		default:
			return out
		}
	}
	return out
}

// plain returns how many bytes follow that are no braces, and in braces no comma.
func (e *expansion) plain(depth int) int {
	for i := 0; i < len(e.rest); i++ {
		switch c := e.rest[i]; {
		case c == '\\':
			i++
		case c == '[': // what is in a class is no brace
			for i++; i < len(e.rest) && e.rest[i] != ']'; i++ {
				if e.rest[i] == '\\' {
					i++
				}
			}
		case c == '{', depth > 0 && (c == ',' || c == '}'):
			return i
		}
	}
	return len(e.rest)
}

// braces reads from an opening brace to the one that closes it.
func (e *expansion) braces(depth int) []string {
	if depth > maxDepth {
		e.excess = fmt.Sprintf("its braces lie in more than %d others", maxDepth-1)
		return nil
	}
	var out []string
	for closed := false; !closed && e.rest != "" && e.excess == ""; {
		e.rest = e.rest[1:] // the brace or comma
		if out = append(out, e.sequence(depth)...); len(out) > maxAlternatives {
			e.excess = fmt.Sprintf("its braces stand for more than %d patterns", maxAlternatives)
		}
		closed = strings.HasPrefix(e.rest, "}")
	}
	e.rest = strings.TrimPrefix(e.rest, "}")
	return out
}
