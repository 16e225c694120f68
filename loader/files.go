package loader

import (
	"io/fs"
	"iter"
	"path"
	"strings"
)

// A File is a file that a catalog is made of: a resource, or a sidecar that describes one.
type File struct {
	catalog *Catalog
	dir     *Dir
	file    *file
}

// Files yields the files that a catalog is made of, folder by folder. A project that has these files in these places, and
// the same templates and options, has the same catalog.
func (c *Catalog) Files() iter.Seq[File] {
	return func(yield func(File) bool) { c.files(c.root, yield) }
}

func (c *Catalog) files(d *Dir, yield func(File) bool) bool {
	for _, list := range [][]file{d.files, d.sidecars} {
		for i := range list {
			if !yield(File{c, d, &list[i]}) {
				return false
			}
		}
	}
	for _, sub := range d.dirs {
		if !c.files(sub, yield) {
			return false
		}
	}
	return true
}

// Place returns the path of the file below the project folder as its author sees it: links are names on it like others. It
// may hold any bytes but NUL.
func (f File) Place() string { return f.dir.sources[f.file.source].place(f.file.name) }

// place returns the path of a name in the folder as its author sees it.
func (src source) place(name string) string {
	if src.mount == "" {
		return path.Join(Resources, src.loc) + "/" + name
	}
	place := src.mount
	if parts := strings.SplitN(src.loc, "/", 3); len(parts) == 3 { // behind the mount's scheme and host
		place += "/" + parts[2]
	}
	return place + "/" + name
}

// Path returns where the file is, below the project folder, with the links to its folder followed.
func (f File) Path() string { return f.dir.sources[f.file.source].path + "/" + f.file.name }

// Size returns the file's length in bytes when the catalog was made.
func (f File) Size() int64 { return f.file.size }

// Open opens the file as [Catalog.Open] does.
func (f File) Open() (fs.File, error) {
	opened, _, err := f.catalog.open(f.Path(), f.file.link)
	return opened, err
}
