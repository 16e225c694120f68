package loader

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
)

// Hidden reports whether a file or folder of this name is omitted by default: names that start with
// a dot, temporary files of editors, and node_modules.
func Hidden(name string) bool { return walk.Hidden(name) }

// HiddenBy returns the reason why a file or folder of this name is omitted by default, or Served.
func HiddenBy(name string) Cause { return hidings[walk.HidingOf(name)] }

var hidings = [...]Cause{walk.NotHidden: Served, walk.DotName: DotName, walk.BackupName: BackupName, walk.SwapName: SwapName, walk.PackagesName: PackagesName}

// A ruling is the decision about a file or folder.
type ruling struct {
	cause  Cause
	detail string // as in [Skipped]
}

func (r ruling) served() bool { return r.cause == Served }

// hiddenOn returns the first hidden name of a path.
func hiddenOn(p string) ruling {
	for name := range strings.SplitSeq(p, "/") {
		if cause := HiddenBy(name); cause != Served {
			return ruling{cause, name}
		}
	}
	return ruling{}
}

// A filter decides which files below resources/ are served. Paths are relative to resources/.
type filter struct {
	only    []pattern // if not empty, a file must match one
	unhide  []pattern // a hidden file is served if it matches one
	exclude []pattern // a file, or a folder with all below it, that matches one is not served
}

// A pattern is an include or exclude pattern of Options.
type pattern struct {
	*glob.Glob
	text  string // as in Options
	names int    // number of hidden names in it
}

// newFilter sorts the include patterns. A pattern that contains a hidden name ("**/.well-known/**")
// adds its matches to the served files; the others, if any, limit the served files to their
// matches. Wildcards do not match hidden names, as in a shell.
func newFilter(include, exclude []string) (filter, error) {
	var f filter
	for i, text := range exclude {
		g, err := glob.Parse(relative(text))
		if err != nil {
			return filter{}, fmt.Errorf("exclude[%d] is %q, which is %w", i, text, err)
		}
		f.exclude = append(f.exclude, pattern{Glob: g, text: text})
	}
	for i, text := range include {
		g, err := glob.Parse(relative(text))
		if err != nil {
			return filter{}, fmt.Errorf("include[%d] is %q, which is %w", i, text, err)
		}
		if names := hiddenParts(relative(text)); names > 0 {
			f.unhide = append(f.unhide, pattern{Glob: g, text: text, names: names})
		} else {
			f.only = append(f.only, pattern{Glob: g, text: text})
		}
	}
	return f, nil
}

// relative returns a pattern relative to resources/, without a prefix such as "./" and without a
// slash at its end.
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

// hiddenParts counts the hidden names in a pattern, including those in braces.
func hiddenParts(pattern string) int {
	return hiddenNames(braces.Replace(pattern))
}

// braces turns the alternatives in the braces of a pattern into parts of a path.
var braces = strings.NewReplacer("{", "/", ",", "/", "}", "/")

// file decides whether the file at loc is served. hidden says that a folder above it is hidden.
func (f *filter) file(loc, name string, hidden bool) ruling {
	if p, ok := matching(f.exclude, loc); ok {
		return ruling{Excluded, p.text}
	}
	if hidden || Hidden(name) {
		if f.unhides(loc) {
			return ruling{}
		}
		return hiddenOn(loc)
	}
	if len(f.only) > 0 {
		if _, ok := matching(f.only, loc); !ok {
			return ruling{cause: NotIncluded}
		}
	}
	return ruling{}
}

// dir decides whether files below the folder at loc may be served.
func (f *filter) dir(loc, name string, hidden bool) ruling {
	if p, ok := matching(f.exclude, loc); ok {
		return ruling{Excluded, p.text}
	}
	if hidden || Hidden(name) {
		if slices.ContainsFunc(f.unhide, func(p pattern) bool { return p.MayMatchBelow(loc) }) {
			return ruling{}
		}
		return hiddenOn(loc)
	}
	return ruling{}
}

// unhides reports whether a pattern contains every hidden name on the path of the file at loc.
func (f *filter) unhides(loc string) bool {
	n := hiddenNames(loc)
	return slices.ContainsFunc(f.unhide, func(p pattern) bool { return p.names >= n && p.Match(loc) })
}

// matching returns the first of the patterns that matches.
func matching(patterns []pattern, loc string) (p pattern, ok bool) {
	i := slices.IndexFunc(patterns, func(p pattern) bool { return p.Match(loc) })
	if i < 0 {
		return pattern{}, false
	}
	return patterns[i], true
}

// patterns reports whether the filter has patterns. Without patterns, a scan need not build paths.
func (f *filter) patterns() bool { return len(f.only)+len(f.unhide)+len(f.exclude) > 0 }
