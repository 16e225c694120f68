package loader

import (
	"context"
	"path"
	"slices"
)

// Rescan reads single folders again and returns a catalog that shares all others with the old one. The folders are given
// below the project folder with links resolved, as "resources/config/schemas". A folder in dirs is listed anew; the
// sub-folders that were known and are still there are kept as they are, new ones are read whole. A folder in trees is
// read anew with all below it; "." is everything. What is reached through links is always looked at, for its changes show elsewhere.
func Rescan(ctx context.Context, old *Catalog, dirs, trees []string) (*Catalog, error) {
	s, err := newScanner(ctx, old.fsys, old.options)
	if err != nil {
		return nil, err
	}
	s.changed = newChanges(dirs, trees)
	return s.catalog(s.scanRoot(old.root))
}

// changes are the folders to read again.
type changes struct {
	dirs  map[string]bool
	trees []string
	above map[string]bool // folders that a changed one lies in
}

func newChanges(dirs, trees []string) *changes {
	c := &changes{dirs: make(map[string]bool, len(dirs)), trees: trees, above: make(map[string]bool)}
	for _, dir := range dirs {
		c.dirs[dir] = true
	}
	for _, list := range [][]string{dirs, trees} {
		for _, dir := range list {
			for up := path.Dir(dir); up != "." && !c.above[up]; up = path.Dir(up) {
				c.above[up] = true
			}
		}
	}
	return c
}

// known returns the folder that a listing was in an older catalog, or nil where it must be read whole.
func (s *scanner) known(was *Dir, l *listing) *Dir {
	if was == nil || !slices.Equal(was.sources, l.sources) {
		return nil
	}
	for _, src := range l.sources {
		for _, tree := range s.changed.trees {
			if Holds(tree, src.path) {
				return nil
			}
		}
	}
	return was
}

// touches reports whether the folder, or one below it, is to be read again.
func (c *changes) touches(d *Dir) bool {
	return d.links || slices.ContainsFunc(d.sources, func(src source) bool { return c.dirs[src.path] || c.above[src.path] })
}

// lists reports whether the folder itself is to be read again.
func (c *changes) lists(d *Dir) bool {
	return d.linked || slices.ContainsFunc(d.sources, func(src source) bool { return c.dirs[src.path] })
}
