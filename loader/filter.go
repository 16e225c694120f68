package loader

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// A Cause says why a file or folder is not served.
type Cause string

// Hidden reports whether a file or folder of this name is omitted by default: names that start with
// a dot, temporary files of editors, and node_modules.
func Hidden(name string) bool { return walk.Hidden(name) }

// A ruling is the decision about a file or folder.
type ruling struct {
	cause  Cause
	detail string // see [Skipped]
}

func (r ruling) served() bool { return r.cause == Served }

// hiddenOn returns the first hidden name of a path.
func hiddenOn(p string) ruling {
	for name := range strings.SplitSeq(p, "/") {
		if Hidden(name) {
			return ruling{HiddenName, name}
		}
	}
	return ruling{}
}

// A filter decides which files below resources/ are served. Paths are relative to resources/.
type filter struct {
	only    []pattern // patterns of served files; none: all
	unhide  []pattern // patterns of served hidden files
	exclude []pattern
}

// A pattern is an include or exclude pattern of Options.
type pattern struct {
	*glob.Glob
	text  string
	names int
}

// newFilter sorts the include patterns. A pattern that contains a hidden name ("**/.well-known/**")
// adds its matches to the served files; the others, if any, limit the served files to their
// matches. Wildcards do not match hidden names, as in a shell.
func newFilter(include, exclude []string) (f filter, err error) {
	if f.exclude, err = parsePatterns("exclude", exclude); err != nil {
		return filter{}, err
	}
	all, err := parsePatterns("include", include)
	for _, p := range all {
		if p.names = hiddenNames(braces.Replace(relative(p.text))); p.names > 0 {
			f.unhide = append(f.unhide, p)
		} else {
			f.only = append(f.only, p)
		}
	}
	return f, err
}

func parsePatterns(list string, texts []string) (patterns []pattern, err error) {
	for i, text := range texts {
		g, err := glob.Parse(relative(text))
		if err != nil {
			return nil, fmt.Errorf("%s[%d] is %q, which is %w", list, i, text, err)
		}
		patterns = append(patterns, pattern{Glob: g, text: text})
	}
	return patterns, nil
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

// braces turns the alternatives in the braces of a pattern into parts of a path.
var braces = strings.NewReplacer("{", "/", ",", "/", "}", "/")

// decide decides whether the file at loc is served, or whether files below the folder at loc may be. hidden says that a folder above it
// is hidden.
func (f *filter) decide(loc, name string, hidden, folder bool) ruling {
	p, excluded := matching(f.exclude, loc)
	switch {
	case excluded:
		return ruling{Excluded, p.text}
	case (hidden || Hidden(name)) && !f.unhides(loc, folder):
		return hiddenOn(loc)
	case hidden || Hidden(name) || folder || len(f.only) == 0:
		return ruling{}
	}
	if _, ok := matching(f.only, loc); !ok {
		return ruling{cause: NotIncluded}
	}
	return ruling{}
}

// unhides reports whether a pattern contains every hidden name on the path of a file, or may match below a folder.
func (f *filter) unhides(loc string, folder bool) bool {
	n := hiddenNames(loc)
	return slices.ContainsFunc(f.unhide, func(p pattern) bool { return folder && p.MayMatchBelow(loc) || !folder && p.names >= n && p.Match(loc) })
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

const (
	// Served: it is served.
	Served Cause = ""

	// HiddenName: its name, or the name of a folder above it, is hidden, see [Hidden].
	HiddenName Cause = "has a hidden name"

	// Excluded: an exclude pattern matches.
	Excluded Cause = "an exclude pattern matches"
	// Ignored: git ignores it.
	Ignored Cause = "is named by .gitignore"
	// NotIncluded: there are include patterns, and none matches.
	NotIncluded Cause = "no include pattern matches"
	// NoTemplate: no template matches, and such files are left out ([Options.HideUnmatched]).
	NoTemplate Cause = "no template matches"
	// Describes: it is a sidecar, which describes another file.
	Describes Cause = "describes another file"

	// OutsideSchemes: it is a file directly in resources/.
	OutsideSchemes Cause = "is not in the folder of a URI scheme"
	// NotScheme: it is a folder in resources/ whose name is not a URI scheme.
	NotScheme Cause = "the name of the folder is not a URI scheme"
	// OutsideSkills: it is a file in a folder for skills, but not in a folder with a SKILL.md.
	OutsideSkills Cause = "is in no folder with a " + SkillFile
	// SameURI: another file has its URI.
	SameURI Cause = "another file has the same URI"
	// TooDeep: it has too many folders above it, or its URI would be too long.
	TooDeep Cause = "lies too deep"

	// Irregular: it is a pipe, a socket or a device.
	Irregular Cause = "is not a regular file"
	// LinkRefused: it is a link that is not followed.
	LinkRefused Cause = "is a link that is not followed"
	// TooManyLinks: too many links to folders lead to it.
	TooManyLinks Cause = "too many links to folders lead to it"
	// Unreadable: it is a folder that cannot be read.
	Unreadable Cause = "cannot be read"
)

// A Skipped is a file or folder that is not served. If a folder is not served, nothing in it is.
type Skipped struct {
	Path  string // below the project folder, without following links
	Cause Cause
	// Detail makes the cause specific: the hidden name, the pattern, the other file, or the reason
	// why a link is not followed. It is empty if the cause needs no detail.
	Detail string
}

// String returns the path, the cause and the detail.
func (o Skipped) String() string {
	s := o.Path + ": " + string(o.Cause)
	if o.Detail != "" {
		s += ": " + o.Detail
	}
	return s
}

// omit reports that a name in a folder is not served.
func (s *scanner) omit(src source, name string, r ruling) {
	if s.opts.Omitted != nil {
		s.omitPath(src.logical(name), r)
	}
}

func (s *scanner) omitPath(path string, r ruling) {
	if s.opts.Omitted != nil {
		s.opts.Omitted(Skipped{path, r.cause, r.detail})
	}
}

// An Explanation says whether a path is served, and why not.
type Explanation struct {
	// Skipped says why the path, or a folder above it, is not served. Its cause is Served if the
	// path is served.
	Skipped
	Resource Resource
	// Folder: the path is a folder that the scan reads. If the cause is a hidden name, only the
	// files in it that match an include pattern are served.
	Folder bool
}

// Explain says whether a path below the project folder is served, and why not. The path is as its
// author sees it: "resources/docs/guide/.draft.md". Explain reads only the folders on the path,
// with the rules and options of [Scan]. The error is [fs.ErrNotExist] if the path does not exist,
// or is neither below resources/ nor in a mount.
func Explain(ctx context.Context, fsys fs.FS, opts Options, name string) (Explanation, error) {
	notThere := &fs.PathError{Op: "explain", Path: name, Err: fs.ErrNotExist}
	place, ok := opts.place(name)
	if !ok || !walk.ValidPath(name) {
		return Explanation{}, notThere
	}
	names := strings.Split(place, "/")
	if scheme, ok := uri.Scheme(names[0]); ok {
		names[0] = scheme
	}
	var mu sync.Mutex
	var first *Skipped
	opts.Visit = nil
	opts.Omitted = func(o Skipped) {
		mu.Lock()
		defer mu.Unlock()
		if walk.Holds(o.Path, name) && (first == nil || len(o.Path) < len(first.Path)) {
			first = &o
		}
	}
	s, err := newScanner(ctx, fsys, opts)
	if err != nil {
		return Explanation{}, err
	}
	s.only = names // a folder at the end of the path is read too
	catalog, err := s.catalog(s.scanRoot(nil))
	if err != nil {
		return Explanation{}, err
	}
	if first != nil {
		return Explanation{Skipped: *first}, nil
	}
	served := Explanation{Skipped: Skipped{Path: name}}
	d := catalog.root
	for _, name := range names[:len(names)-1] {
		d = d.dir(name)
	}
	if d == nil {
		return Explanation{}, notThere
	}
	last := names[len(names)-1]
	if i, ok := d.searchFile(last); ok && d.sources[d.files[i].source].logical(last) == name {
		served.Resource = catalog.at(d, i)
		return served, nil
	}
	// Schemes are case-insensitive, but folders are not.
	if d = d.dir(last); d == nil || !slices.ContainsFunc(d.sources, func(src source) bool { return src.logical("") == name+"/" }) {
		return Explanation{}, notThere
	}
	served.Folder = true
	if r := hiddenOn(name); !r.served() {
		served.Cause, served.Detail = r.cause, r.detail
	}
	return served, nil
}

// place returns the path that patterns are matched against: the scheme and the names of the URI. It returns false
// if no URI can have the path name.
func (o *Options) place(name string) (string, bool) {
	if below, ok := strings.CutPrefix(name, Resources+"/"); ok {
		return below, true
	}
	for _, m := range o.Mounts {
		if below, ok := strings.CutPrefix(name, m.Dir); ok && (below == "" || below[0] == '/') {
			if m.Skills {
				return m.Scheme + below, true
			}
			return m.Scheme + "/" + m.Host + below, true
		}
	}
	return "", false
}

// Unused returns the indexes of the patterns that decide nothing, given the paths of everything that a scan serves
// and leaves out: include patterns that no file matches, and exclude patterns that no file or folder matches. The
// scan does not read folders that are left out, so a pattern for a path in such a folder decides nothing either.
func (o *Options) Unused(served, omitted []string) (include, exclude []int) {
	return o.unused(o.Include, slices.Concat(served, omitted)), o.unused(o.Exclude, omitted)
}

func (o *Options) unused(patterns, paths []string) (unused []int) {
	for i, text := range patterns {
		g, err := glob.Parse(relative(text))
		if err == nil && !slices.ContainsFunc(paths, func(name string) bool { loc, ok := o.place(name); return ok && g.Match(loc) }) {
			unused = append(unused, i)
		}
	}
	return unused
}
