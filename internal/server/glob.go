package server

import (
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// What a glob of a client may be. The time that doublestar takes grows with the product of all alternatives, and with a power
// of the name's length for each pair of braces behind a star: braces are expanded beforehand, as far as these go.
const (
	maxGlob             = 1000 // bytes
	maxGlobDepth        = 3    // braces in braces
	maxGlobAlternatives = 64   // patterns that all braces together stand for
)

// A glob is what a doublestar pattern with braces stands for: patterns without.
type glob []string

// parseGlob checks a pattern. The error is for whoever sent it.
func parseGlob(pattern string) (glob, error) {
	if len(pattern) > maxGlob {
		return nil, badCall("glob is too complex: it has %d bytes, may have %d", len(pattern), maxGlob)
	}
	if !doublestar.ValidatePattern(pattern) {
		return nil, badCall("glob is not a valid pattern: a bracket, a brace or a backslash has nothing that closes or follows it")
	}
	e := expansion{rest: pattern}
	patterns := e.sequence(0)
	if e.excess != "" {
		return nil, badCall("glob is too complex: %s", e.excess)
	}
	return patterns, nil
}

func (g glob) match(name string) bool {
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
			if len(out)*len(alternatives) > maxGlobAlternatives {
				e.excess = fmt.Sprintf("its braces stand for more than %d patterns", maxGlobAlternatives)
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
	if depth > maxGlobDepth {
		e.excess = fmt.Sprintf("its braces lie in more than %d others", maxGlobDepth-1)
		return nil
	}
	var out []string
	for closed := false; !closed && e.rest != "" && e.excess == ""; {
		e.rest = e.rest[1:] // the brace or comma
		if out = append(out, e.sequence(depth)...); len(out) > maxGlobAlternatives {
			e.excess = fmt.Sprintf("its braces stand for more than %d patterns", maxGlobAlternatives)
		}
		closed = strings.HasPrefix(e.rest, "}")
	}
	e.rest = strings.TrimPrefix(e.rest, "}")
	return out
}
