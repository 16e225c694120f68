package loader

import (
	"context"
	"io/fs"
	"path"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
)

// Changes lists what to read again. All paths are below the project folder with links resolved,
// such as "resources/config/schemas".
type Changes struct {
	// Dirs are folders to list again. Known sub-folders that still exist are kept, new ones are
	// read whole.
	Dirs []string
	// Trees are folders to read again with everything below them; "." is the whole project.
	Trees []string
	// Files are files in Dirs whose bytes may have changed even if their size and time have not.
	Files []string
	// FS is the project folder from now on, with the same files except for what changed. nil: it is still the
	// same.
	FS fs.FS
}

// All reports whether the whole project is to be read again.
func (c Changes) All() bool { return slices.Contains(c.Trees, ".") }

// Rescan reads again what has changed and returns a catalog that shares all other folders with the
// old one. It always reads folders that contain links, because the targets change elsewhere.
func Rescan(ctx context.Context, old *Catalog, c Changes) (*Catalog, error) {
	fsys := old.fsys
	if c.FS != nil {
		fsys = c.FS
	}
	s, err := newScanner(ctx, fsys, old.options)
	if err != nil {
		return nil, err
	}
	s.changed = newChanged(c)
	return s.catalog(s.scanRoot(old.root))
}

// changed is [Changes] in a form for lookups.
type changed struct {
	dirs, files map[string]bool
	trees       []string
	above       map[string]bool // folders above a changed one
}

func newChanged(changes Changes) *changed {
	c := &changed{dirs: setOf(changes.Dirs), files: setOf(changes.Files), trees: changes.Trees, above: make(map[string]bool)}
	for _, dir := range slices.Concat(changes.Dirs, changes.Trees) {
		for up := path.Dir(dir); up != "." && !c.above[up]; up = path.Dir(up) {
			c.above[up] = true
		}
	}
	return c
}

func setOf(paths []string) map[string]bool {
	set := make(map[string]bool, len(paths))
	for _, p := range paths {
		set[p] = true
	}
	return set
}

// file reports whether the bytes of the file may have changed.
func (c *changed) file(dir, name string) bool {
	return c != nil && len(c.files) > 0 && c.files[dir+"/"+name]
}

// valid reports whether was, the folder of a listing in an older catalog, can be used. Otherwise the folder must be read whole.
func (s *scanner) valid(was *Dir, l *listing) bool {
	return was != nil && slices.Equal(was.sources, l.sources) && was.skills == l.skills && was.skillAbove == l.inSkill &&
		!slices.ContainsFunc(l.sources, func(src source) bool {
			return slices.ContainsFunc(s.changed.trees, func(tree string) bool { return walk.Holds(tree, src.path) })
		})
}

// touches reports whether the folder, or one below it, is to be read again.
func (c *changed) touches(d *Dir) bool {
	return d.links || slices.ContainsFunc(d.sources, func(src source) bool { return c.dirs[src.path] || c.above[src.path] })
}

// lists reports whether the folder itself is to be read again.
func (c *changed) lists(d *Dir) bool {
	return d.linked || slices.ContainsFunc(d.sources, func(src source) bool { return c.dirs[src.path] })
}
