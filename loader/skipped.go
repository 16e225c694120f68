package loader

import (
	"context"
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

const (
	// Served: it is served.
	Served Cause = ""

	// DotName: its name, or the name of a folder above it, starts with a dot.
	DotName Cause = "a name that starts with \".\" is hidden"
	// BackupName: such a name ends in "~".
	BackupName Cause = "a name that ends in \"~\" is hidden"
	// SwapName: such a name ends in ".swp".
	SwapName Cause = "a name that ends in \".swp\" is hidden"
	// PackagesName: such a name is node_modules.
	PackagesName Cause = "node_modules is hidden"

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

// Hidden reports whether the cause is the name of a file or folder.
func (c Cause) Hidden() bool {
	return c == DotName || c == BackupName || c == SwapName || c == PackagesName
}

// A Skipped is a file or folder that is not served. If a folder is not served, nothing in it is.
type Skipped struct {
	Path  string // below the project folder, as its author sees it: without following links
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
	Resource Resource // of a file that is served
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
	var first *Skipped // the one closest to the root
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
