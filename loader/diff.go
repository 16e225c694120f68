package loader

import (
	"reflect"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/media"
)

// ListChanged reports whether a list made from c differs from one made from old in more than sizes and times: in the set
// of URIs, or in a name, description, MIME type or template. It costs the folders that the two do not share.
func (c *Catalog) ListChanged(old *Catalog) bool {
	if c.options.Templates != old.options.Templates &&
		!reflect.DeepEqual(c.options.Templates.Entries(), old.options.Templates.Entries()) {
		return true
	}
	return c.dirChanged(c.root, old, old.root)
}

func (c *Catalog) dirChanged(d *Dir, old *Catalog, was *Dir) bool {
	if d == was {
		return false
	}
	// Folders without files are on no list.
	if d.count == 0 || was.count == 0 {
		return d.count != was.count
	}
	if len(d.files) != len(was.files) {
		return true
	}
	for i := range d.files {
		f, g := &d.files[i], &was.files[i]
		if f.name != g.name || f.template != g.template || c.sniffsChanged(Resource{c, d, i}, Resource{old, was, i}) {
			return true
		}
	}
	i, j := 0, 0
	for {
		for i < len(d.dirs) && d.dirs[i].count == 0 {
			i++
		}
		for j < len(was.dirs) && was.dirs[j].count == 0 {
			j++
		}
		switch {
		case i == len(d.dirs) || j == len(was.dirs):
			return i < len(d.dirs) || j < len(was.dirs)
		case d.dirs[i].name != was.dirs[j].name || c.dirChanged(d.dirs[i], old, was.dirs[j]):
			return true
		}
		i, j = i+1, j+1
	}
}

// sniffsChanged reports whether the content of a file whose name says nothing gives it another type than was listed.
func (c *Catalog) sniffsChanged(r, was Resource) bool {
	f, g := r.file(), was.file()
	if f.size == g.size && f.modTime == g.modTime {
		return false
	}
	if _, ok := media.ByName(f.name); ok || c.declared(r) != "" {
		return false
	}
	listed, ok := was.dir.sniffed.Load(was.index)
	return ok && listed.(string) != c.MIME(r)
}

// Same reports whether the file of r is, as far as names, size and time tell, unchanged since was.
func (r Resource) Same(was Resource) bool {
	f, g := r.file(), was.file()
	return f.size == g.size && f.modTime == g.modTime && r.Path() == was.Path()
}

// Linked reports whether the file was found through a link, so that its bytes are elsewhere.
func (r Resource) Linked() bool { return r.file().link }

// NewNotices returns the notices that old does not have, of the folders that the two do not share.
func (c *Catalog) NewNotices(old *Catalog) []Notice {
	var out []Notice
	var walk func(d, was *Dir)
	walk = func(d, was *Dir) {
		if d == was {
			return
		}
		for _, n := range d.notices {
			if was == nil || !slices.Contains(was.notices, n) {
				out = append(out, n)
			}
		}
		for _, sub := range d.dirs {
			var wasSub *Dir
			if was != nil {
				if i, ok := was.searchDir(sub.name); ok {
					wasSub = was.dirs[i]
				}
			}
			walk(sub, wasSub)
		}
	}
	walk(c.root, old.root)
	return out
}
