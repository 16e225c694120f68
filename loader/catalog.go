package loader

import (
	"cmp"
	"io/fs"
	"iter"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
)

// A Catalog is the resources of a project at one moment. It is immutable and safe for concurrent
// use; a change of the project makes a new one, which shares the folders that stayed the same.
type Catalog struct {
	fsys    fs.FS
	options Options
	root    *Dir
}

// A Dir is a folder of resources. All its fields are fixed once its catalog is published.
type Dir struct {
	name     string   // raw; the scheme in lower case; "" for the root
	uri      string   // canonical, with the slash that its files' names follow; "" for the root
	sources  []source // its folders on disk; more than one if scheme folders differ only in case or a mount adds files
	dirs     []*Dir   // by name
	files    []file   // by name
	sidecars []file   // by name: the files that describe other files
	warnings []Warning
	count    int  // files here and below; -1 until they are counted
	links    bool // this folder or one below it contains links, so that changes elsewhere may affect it
	linked   bool // this folder itself contains links

	skills     bool // the folder has the scheme of a skills mount: clients get the exact bytes of its files
	skillAbove bool // a folder above it is a skill
	skill      bool // the folder has a SKILL.md from a skills mount

	// fresh holds the names of files whose bytes may differ from those in the previous catalog,
	// although their size and time are the same.
	fresh map[string]bool

	infos   slots[contentInfo]
	digests slots[dated]
}

// A source is a folder on disk.
type source struct {
	path string // below the project folder, links resolved
	loc  string // below resources/, as a user sees it

	linked bool   // the folder was reached through a link
	mount  string // Dir of the mount that the folder belongs to; "" below resources/
	skills bool   // it belongs to a mount of skills
}

// A file takes 48 bytes, plus its name.
type file struct {
	name     string // raw
	size     int64  // bytes
	modTime  int64  // nanoseconds since 1970
	template int32  // entry of the matcher's index, or -1
	source   uint16 // index into Dir.sources
	link     bool
}

// A Resource is a file of a catalog that has a URI.
type Resource struct {
	File
	index int
}

// at returns a file of a folder.
func (c *Catalog) at(d *Dir, i int) Resource { return Resource{File{c, d, &d.files[i]}, i} }

// Catalog returns the catalog that the resource belongs to.
func (r Resource) Catalog() *Catalog { return r.catalog }

// Name returns the file's name: any bytes except "/" and NUL.
func (r Resource) Name() string { return r.file.name }

// URI returns the canonical URI: pure ASCII.
func (r Resource) URI() string { return string(r.AppendURI(nil)) }

// AppendURI appends the canonical URI to dst.
func (r Resource) AppendURI(dst []byte) []byte {
	dst = append(dst, r.dir.uri...)
	if r.dir.isScheme() {
		return uri.AppendHost(dst, r.file.name)
	}
	return uri.AppendSegment(dst, r.file.name)
}

// dir returns the sub-folder of that name, or nil. A nil folder has no sub-folders.
func (d *Dir) dir(name string) *Dir {
	if d == nil {
		return nil
	}
	if i, ok := d.searchDir(name); ok {
		return d.dirs[i]
	}
	return nil
}

// Mounted reports whether the file belongs to a mount instead of resources/.
func (r Resource) Mounted() bool { return r.dir.sources[r.file.source].mount != "" }

// Template returns the index entry of the template that names the file, and false if no template
// does.
func (r Resource) Template() (entry int, ok bool) {
	t := r.file.template
	return int(t), t >= 0
}

// Templates returns the index that the catalog's files were matched with.
func (c *Catalog) Templates() *matcher.Index { return c.options.Templates }

// Len returns the number of resources.
func (c *Catalog) Len() int { return c.root.count }

// All yields every resource in canonical order: by folder, a folder's own files before the files
// of its sub-folders, then by name, both compared as bytes.
func (c *Catalog) All() iter.Seq[Resource] { return c.below(c.root) }

func (c *Catalog) below(d *Dir) iter.Seq[Resource] {
	return func(yield func(Resource) bool) { c.walk(d, yield) }
}

func (c *Catalog) walk(d *Dir, yield func(Resource) bool) bool {
	return d.each(func(d *Dir) bool {
		for i := range d.files {
			if !yield(c.at(d, i)) {
				return false
			}
		}
		return true
	})
}

// each calls do with the folder and all below it until do returns false.
func (d *Dir) each(do func(d *Dir) bool) bool {
	if !do(d) {
		return false
	}
	for _, sub := range d.dirs {
		if !sub.each(do) {
			return false
		}
	}
	return true
}

// After yields, in canonical order, the resources that follow a canonical URI, whether or not a
// resource has that URI. Starting costs as much as one lookup.
func (c *Catalog) After(canonical string) iter.Seq[Resource] {
	segments := segmentsOf(uri.Decode(canonical))
	return func(yield func(Resource) bool) {
		if len(segments) == 0 {
			c.walk(c.root, yield)
			return
		}
		c.walkAfter(c.root, segments, yield)
	}
}

// walkAfter yields the resources that follow the file segments[len-1] in the folder
// segments[:len-1], below d.
func (c *Catalog) walkAfter(d *Dir, segments []string, yield func(Resource) bool) bool {
	name := segments[0]
	if len(segments) == 1 {
		i, found := d.searchFile(name)
		if found {
			i++
		}
		for ; i < len(d.files); i++ {
			if !yield(c.at(d, i)) {
				return false
			}
		}
		name = "" // all sub-folders follow
	}
	i, found := d.searchDir(name)
	if found {
		if !c.walkAfter(d.dirs[i], segments[1:], yield) {
			return false
		}
		i++
	}
	for ; i < len(d.dirs); i++ {
		if !c.walk(d.dirs[i], yield) {
			return false
		}
	}
	return true
}

func (d *Dir) searchFile(name string) (int, bool) {
	return slices.BinarySearchFunc(d.files, name, func(f file, name string) int { return cmp.Compare(f.name, name) })
}

func (d *Dir) searchDir(name string) (int, bool) {
	return slices.BinarySearchFunc(d.dirs, name, func(d *Dir, name string) int { return cmp.Compare(d.name, name) })
}

// A Warning says what a user should know about a file or folder below resources/ that is not served
// as it stands.
type Warning struct {
	Path   string // below the project folder
	Line   int    // from 1; 0: the warning is about the whole file
	Reason string
}

// Warnings returns the problems that the scan found, by folder.
func (c *Catalog) Warnings() []Warning { return c.NewWarnings(new(Catalog)) }
