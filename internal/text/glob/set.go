package glob

import (
	"fmt"
	"strings"
)

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
