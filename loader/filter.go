package loader

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/glob"
)

// Hidden reports whether a file or folder of this name is left out by default: names that start with a dot, what editors
// leave behind, and node_modules.
func Hidden(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") || strings.HasSuffix(name, ".swp") || name == "node_modules"
}

// A filter decides which files below resources/ are served. Paths are relative to resources/.
type filter struct {
	only    []*glob.Glob // if any: a file must match one
	unhide  []hiddenGlob // a hidden file is served if it matches one
	exclude []*glob.Glob // a file, or a folder with all below it, that matches one is not served
}

// A hiddenGlob is a pattern that spells hidden names.
type hiddenGlob struct {
	*glob.Glob
	names int // hidden ones
}

// newFilter sorts the include patterns: one that spells a hidden name ("**/.well-known/**") adds what it matches to what
// is served; the others, if there are any, limit what is served to what they match. Wildcards do not reach hidden names,
// as in a shell.
func newFilter(include, exclude []string) (filter, error) {
	var f filter
	for i, pattern := range exclude {
		g, err := glob.Parse(relative(pattern))
		if err != nil {
			return filter{}, fmt.Errorf("exclude[%d] is %q, which is %w", i, pattern, err)
		}
		f.exclude = append(f.exclude, g)
	}
	for i, pattern := range include {
		g, err := glob.Parse(relative(pattern))
		if err != nil {
			return filter{}, fmt.Errorf("include[%d] is %q, which is %w", i, pattern, err)
		}
		if names := hiddenParts(relative(pattern)); names > 0 {
			f.unhide = append(f.unhide, hiddenGlob{g, names})
		} else {
			f.only = append(f.only, g)
		}
	}
	return f, nil
}

// relative is a pattern as one below resources/, however its author started it, and without a slash at its end.
func relative(pattern string) string {
	for _, prefix := range []string{"./", "/", Resources + "/"} {
		pattern = strings.TrimPrefix(pattern, prefix)
	}
	return strings.TrimSuffix(pattern, "/")
}

// hiddenNames counts the hidden names of a path.
func hiddenNames(p string) int {
	n := 0
	for name := range strings.SplitSeq(p, "/") {
		if Hidden(name) {
			n++
		}
	}
	return n
}

// hiddenParts counts the hidden names that a pattern spells, in braces or not.
func hiddenParts(pattern string) int {
	return hiddenNames(braces.Replace(pattern))
}

// braces makes alternatives of a pattern parts of a path.
var braces = strings.NewReplacer("{", "/", ",", "/", "}", "/")

// file reports whether the file at loc is served. hidden says that a folder on its way is hidden.
func (f *filter) file(loc, name string, hidden bool) bool {
	switch {
	case matchesAny(f.exclude, loc):
		return false
	case hidden || Hidden(name):
		return f.unhides(loc)
	}
	return len(f.only) == 0 || matchesAny(f.only, loc)
}

// dir reports whether files below the folder at loc may be served.
func (f *filter) dir(loc, name string, hidden bool) bool {
	if matchesAny(f.exclude, loc) {
		return false
	}
	if hidden || Hidden(name) {
		for _, g := range f.unhide {
			if g.MayMatchBelow(loc) {
				return true
			}
		}
		return false
	}
	return true
}

// unhides reports whether a pattern spells every hidden name on the way to the file at loc.
func (f *filter) unhides(loc string) bool {
	n := hiddenNames(loc)
	for _, g := range f.unhide {
		if g.names >= n && g.Match(loc) {
			return true
		}
	}
	return false
}

func matchesAny(globs []*glob.Glob, loc string) bool {
	return slices.ContainsFunc(globs, func(g *glob.Glob) bool { return g.Match(loc) })
}

// patterns reports whether there are any, so that paths need making only then.
func (f *filter) patterns() bool { return len(f.only)+len(f.unhide)+len(f.exclude) > 0 }
