package loader

import (
	"strings"
	"sync"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
)

// A PatternUse finds the patterns of [Options] that decide nothing: include patterns that no file
// matches, and exclude patterns that no file or folder matches. The scan does not read folders that
// are left out, so a pattern for a path in such a folder decides nothing either.
type PatternUse struct {
	mounts []Mount

	mu               sync.Mutex   // guards the fields below
	include, exclude []*glob.Glob // nil: the pattern has matched
}

// NewPatternUse returns a PatternUse for the patterns of opts. The error is that a pattern is
// invalid.
func NewPatternUse(opts Options) (*PatternUse, error) {
	if _, err := newFilter(opts.Include, opts.Exclude); err != nil {
		return nil, err
	}
	parse := func(patterns []string) []*glob.Glob {
		var all []*glob.Glob
		for _, text := range patterns {
			g, _ := glob.Parse(relative(text)) // newFilter has checked it
			all = append(all, g)
		}
		return all
	}
	return &PatternUse{mounts: opts.Mounts, include: parse(opts.Include), exclude: parse(opts.Exclude)}, nil
}

// Served takes the path of a file that is served, below the project folder.
func (u *PatternUse) Served(name string) { u.see(name, u.include) }

// Omitted takes the path of a file or folder that is not served, below the project folder.
func (u *PatternUse) Omitted(name string) {
	u.see(name, u.include)
	u.see(name, u.exclude)
}

func (u *PatternUse) see(name string, patterns []*glob.Glob) {
	loc, ok := "", false
	u.mu.Lock()
	defer u.mu.Unlock()
	for i, g := range patterns {
		if g == nil {
			continue
		}
		if !ok {
			loc, ok = u.place(name), true
		}
		if g.Match(loc) {
			patterns[i] = nil
		}
	}
}

// place returns the path that patterns are matched against.
func (u *PatternUse) place(name string) string {
	if below, ok := strings.CutPrefix(name, Resources+"/"); ok {
		return below
	}
	for _, m := range u.mounts {
		if walk.Holds(m.Dir, name) {
			return m.Scheme + "/" + m.Host + strings.TrimPrefix(name, m.Dir)
		}
	}
	return name
}

// Unused returns the indexes of the patterns that have matched nothing so far.
func (u *PatternUse) Unused() (include, exclude []int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	unused := func(patterns []*glob.Glob) (out []int) {
		for i, g := range patterns {
			if g != nil {
				out = append(out, i)
			}
		}
		return out
	}
	return unused(u.include), unused(u.exclude)
}
