package loader

import (
	"reflect"
	"slices"
)

// maxLearned bounds how many files ListChanged reads to compare their titles and descriptions: more
// files than that count as a change.
const maxLearned = 1000

// ListChanged reports whether a list made from c differs from one made from old in more than sizes
// and times: in the set of URIs, or in a name, title, description, MIME type or template. It visits
// only the folders that the two do not share, and reads the files in them that have a title or
// description.
func (c *Catalog) ListChanged(old *Catalog) bool {
	if c.options.Describe != old.options.Describe || c.options.Templates != old.options.Templates &&
		!reflect.DeepEqual(c.options.Templates.Entries(), old.options.Templates.Entries()) {
		return true
	}
	budget := maxLearned
	return c.dirChanged(c.root, old, old.root, &budget)
}

func (c *Catalog) dirChanged(d *Dir, old *Catalog, was *Dir, budget *int) bool {
	if d == was {
		return false
	}
	// A list does not contain folders without files.
	if d.count == 0 || was.count == 0 {
		return d.count != was.count
	}
	if len(d.files) != len(was.files) {
		return true
	}
	for i := range d.files {
		f, g := &d.files[i], &was.files[i]
		if f.name != g.name || f.template != g.template || c.aboutChanged(c.at(d, i), old.at(was, i), budget) {
			return true
		}
	}
	return !slices.EqualFunc(Folder{c, d}.Folders(), Folder{old, was}.Folders(), func(f, g Folder) bool {
		return f.Name() == g.Name() && !c.dirChanged(f.dir, old, g.dir, budget)
	})
}

// Same reports whether the file of r is unchanged since was, judging by path, size and time.
func (r Resource) Same(was Resource) bool {
	return r.file.size == was.file.size && r.file.modTime == was.file.modTime && r.Path() == was.Path()
}

// Linked reports whether the file is a link, so that its bytes are elsewhere.
func (r Resource) Linked() bool { return r.file.link }

// NewWarnings returns the warnings that old does not have. It visits only the folders that the two do
// not share.
func (c *Catalog) NewWarnings(old *Catalog) []Warning {
	var out []Warning
	c.since(old, func(d, was *Dir) {
		for _, n := range d.warnings {
			if was == nil || !slices.Contains(was.warnings, n) {
				out = append(out, n)
			}
		}
	})
	return out
}

// since calls do with the folders that the two catalogs do not share, and with their earlier states, which may be nil.
func (c *Catalog) since(old *Catalog, do func(d, was *Dir)) {
	var walk func(d, was *Dir)
	walk = func(d, was *Dir) {
		if d == was {
			return
		}
		do(d, was)
		for _, sub := range d.dirs {
			walk(sub, was.dir(sub.name))
		}
	}
	walk(c.root, old.root)
}
