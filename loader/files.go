package loader

import (
	"io/fs"
	"iter"
	"path"
	"strings"
	"time"
)

// A File is a file of a catalog: a resource, or a sidecar that describes one.
type File struct {
	catalog *Catalog
	dir     *Dir
	file    *file
}

// Files yields the files of a catalog, folder by folder. A project with these files at the same
// paths, and with the same templates and options, has the same catalog.
func (c *Catalog) Files() iter.Seq[File] {
	return func(yield func(File) bool) {
		c.root.each(func(d *Dir) bool {
			for _, list := range [][]file{d.files, d.sidecars} {
				for i := range list {
					if !yield(File{c, d, &list[i]}) {
						return false
					}
				}
			}
			return true
		})
	}
}

// LogicalPath returns the path of the file below the project folder as its author sees it: without
// following links. It may hold any bytes except NUL.
func (f File) LogicalPath() string { return f.dir.sources[f.file.source].logical(f.file.name) }

// logical returns the path of an entry of the folder as its author sees it: without following
// links.
func (src source) logical(name string) string {
	if src.mount == "" {
		return path.Join(Resources, src.loc) + "/" + name
	}
	_, below, ok := strings.Cut(src.loc, "/") // after the scheme of the mount
	if ok && !src.skills {
		_, below, ok = strings.Cut(below, "/") // and the host
	}
	if ok {
		return src.mount + "/" + below + "/" + name
	}
	return src.mount + "/" + name
}

// Path returns the path of the file below the project folder, with the links to its folder
// resolved.
func (f File) Path() string { return f.dir.sources[f.file.source].path + "/" + f.file.name }

// Size returns the file's length in bytes when the catalog was made.
func (f File) Size() int64 { return f.file.size }

// ModTime returns the time of the file's last change when the catalog was made.
func (f File) ModTime() time.Time { return time.Unix(0, f.file.modTime).UTC() }

// Open opens the file. It follows links again, because the target of a link may have changed since the scan.
func (f File) Open() (fs.File, error) {
	opened, _, err := f.catalog.open(f.dir.sources[f.file.source], f.file.name, f.file.link)
	return opened, err
}
