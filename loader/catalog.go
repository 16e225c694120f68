// Package loader reads the resources of a project into a catalog.
//
//	catalog, err := loader.Scan(ctx, os.DirFS("my-project"), loader.Options{})
//	for r := range catalog.All() {
//		fmt.Println(r.URI(), r.Size())
//	}
//	r, ok := catalog.Lookup("docs://guide/setup.md")
//	content, _, err := catalog.Content(r, 1<<20) // as text, or as bytes
//
// Each decision about a file is returned as a named value: [Explain] and [Options.Omitted] report
// why a path is not served ([Cause]), [Catalog.MIMEOrigin] where a MIME type comes from ([Origin]),
// and [Catalog.Classify] why a file is text or a blob ([FormRule]).
//
// [Scan] reads an [fs.FS] whose root is the project folder. A file system that has links must also
// implement [fs.ReadLinkFS], so that links can be checked. A scan reads the names, sizes and times
// of files, but not their contents.
//
// # URIs
//
// The file resources/<scheme>/<host>/<path…>/<name> has the URI <scheme>://<host>/<path…>/<name>,
// and the file resources/<scheme>/<name> the URI <scheme>://<name>. A file directly in resources/,
// such as templates.json, has none. The name of a folder directly in resources/ must be a URI
// scheme (RFC 3986 section 3.1: a letter, then letters, digits, "+", "-" and "."). Schemes are
// case-insensitive: folders that differ only in case are one scheme, whose URIs are spelled in
// lower case; if two of them hold the same name, the one in the lower-case folder is served.
//
// [Resource.URI] is the canonical spelling: pure ASCII, each name percent-encoded once.
// [Catalog.Lookup] also accepts the other spellings that clients use. It walks down the catalog
// name by name and never joins paths, so a URI cannot reach anything outside the catalog.
//
// # What is served
//
// A regular file is served unless its name, or the name of a folder on its path, is hidden ([Hidden]).
// A hidden name starts with ".", ends in "~" or ".swp", or is "node_modules". The file keeps the
// template that the index of [Options.Templates] finds for its URI. A file without a template is
// served too, unless [Options.HideUnmatched] is set.
//
// [Options.Include] and [Options.Exclude] hold doublestar patterns over paths relative to
// resources/. "*" matches within one name, "**/" any number of folders; patterns are
// case-sensitive. For a file, in this order:
//
//   - It is omitted if it, or a folder above it, matches an exclude pattern.
//   - If its name or the name of a folder above it is hidden, it is served only if it matches an
//     include pattern that itself contains a hidden name between slashes, as in "**/.well-known/**"
//     or "**/*.swp". The other include patterns do not match hidden names.
//   - Otherwise it is served if it matches one of those other include patterns, or if no such pattern is given.
//
// For a file of a mount ([Options.Mounts]), patterns are matched against the path in its URI:
// <scheme>/<host>/<path>.
//
// # Skills
//
// A [Mount] of skills is a folder in which each folder with a file SKILL.md, at any depth, is an
// Agent Skill; it is meant for the scheme of the Skills extension of MCP. Only files in skills are
// served. They need match neither a template nor an include pattern, and they take precedence over
// files below resources/ with the same URI. Their bytes are never decoded: UTF-16 is a blob. A
// SKILL.md is listed under the name of its folder; its title and description are read from it and
// never from a sidecar.
//
// # Links
//
// A link to a file or folder is served under the link's own name if its target is in the project
// folder, even outside resources/. The path to the target may not leave the project folder, not
// even to come back, nor contain a hidden name or more than 40 links. A link to a folder above the
// link is not followed. An absolute target counts as outside; a file system that can resolve it
// returns a relative one. A link to a file is checked again each time the file is opened.
//
// # Warnings
//
// No name of a file or folder ends a scan. [Catalog.Warnings] reports what a user might not expect:
// a folder that is not a scheme; a folder that cannot be read; a link that is not followed; a pipe,
// socket or device; a file with the same URI as another; a name that is served but needs
// percent-encoding as a URI host, which some clients refuse. Hidden, excluded and unmatched files
// are omitted without a warning. A folder has at most a hundred warnings.
//
// # Catalogs
//
// A [Catalog] never changes: readers need no lock. It is a tree of folders, each with its files and
// sub-folders sorted by name. The canonical order is by folder, a folder's own files before those
// in its sub-folders, and then by name, both compared as bytes; [Catalog.After] continues after any
// URI, whether or not it exists. Size and time are recorded at the scan; contents are read on
// request ([Catalog.Content]).
//
// [Rescan] reads single folders again and returns a new catalog that shares all others with the old
// one. Facts read from the bytes of a file are kept if its size and time are the same, unless the
// file is reported as changed.
package loader

import (
	"cmp"
	"io/fs"
	"iter"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

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
	name     string   // raw; lower-case scheme; "" for the root
	uri      string   // canonical, with the slash before names of files; "" for the root
	sources  []source // several if scheme folders differ in case or a mount adds files
	dirs     []*Dir
	files    []file
	sidecars []file
	warnings []Warning
	count    int  // files here and below; -1: not counted
	links    bool // links here or below: changes elsewhere may matter
	linked   bool

	skills     bool // its scheme has a skills mount: clients get the exact bytes of files
	skillAbove bool
	skill      bool // it has the SKILL.md of a skills mount

	// fresh holds the names of files whose bytes may differ from those in the previous catalog,
	// although their size and time are the same.
	fresh map[string]bool

	infos   slots[contentInfo]
	digests slots[dated]
}

// A source is a folder on disk.
type source struct {
	path string // below the project folder, links resolved
	loc  string // below resources/, as users see it

	linked bool   // reached through a link
	mount  string // Dir of its mount; "" below resources/
	skills bool
}

// A file takes 48 bytes, plus its name.
type file struct {
	name     string
	size     int64
	modTime  int64 // nanoseconds since 1970
	template int32 // index in the matcher, or -1
	source   uint16
	link     bool
}

// A File is a file of a catalog: a resource, or a sidecar that describes one.
type File struct {
	catalog *Catalog
	dir     *Dir
	file    *file
}

// A Resource is a file of a catalog that has a URI.
type Resource struct {
	File
	index int
}

// at returns a file of a folder.
func (c *Catalog) at(d *Dir, i int) Resource { return Resource{File{c, d, &d.files[i]}, i} }

// LogicalPath returns the path of the file below the project folder as its author sees it: without
// following links. It may hold any bytes except NUL.
func (f File) LogicalPath() string { return f.dir.sources[f.file.source].logical(f.file.name) }

// logical returns the path of an entry of the folder as its author sees it: without following
// links.
func (src source) logical(name string) string {
	if src.mount == "" {
		return path.Join(Resources, src.loc) + "/" + name
	}
	_, below, ok := strings.Cut(src.loc, "/")
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

// Catalog returns the catalog that the resource belongs to.
func (r Resource) Catalog() *Catalog { return r.catalog }

// Name returns the file's name: any bytes except "/" and NUL.
func (r Resource) Name() string { return r.file.name }

// DisplayName returns the name of a resource as a list shows it: the name of the file or, for the
// SKILL.md of a skill, the name of the skill.
func (r Resource) DisplayName() string {
	if r.IsSkill() {
		return uri.Display(r.dir.name)
	}
	return uri.Display(r.Name())
}

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

// Len returns the number of resources; 0 for nil.
func (c *Catalog) Len() int {
	if c == nil {
		return 0
	}
	return c.root.count
}

// All yields every resource in canonical order: by folder, a folder's own files before the files
// of its sub-folders, then by name, both compared as bytes.
func (c *Catalog) All() iter.Seq[Resource] { return c.below(c.root) }

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
	return do(d) && !slices.ContainsFunc(d.dirs, func(sub *Dir) bool { return !sub.each(do) })
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
		name = ""
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

func (d *Dir) searchFile(name string) (int, bool) { return search(d.files, name) }

// search returns where a name is, or belongs, among files sorted by name.
func search(files []file, name string) (int, bool) {
	return slices.BinarySearchFunc(files, name, func(f file, name string) int { return cmp.Compare(f.name, name) })
}

func (d *Dir) searchDir(name string) (int, bool) {
	return slices.BinarySearchFunc(d.dirs, name, func(d *Dir, name string) int { return cmp.Compare(d.name, name) })
}

// A Warning says what a user should know about a file or folder below resources/ that is not served
// as it stands.
type Warning struct {
	Path   string
	Line   int // 0: the whole file
	Reason string
}

// Warnings returns the problems that the scan found, by folder.
func (c *Catalog) Warnings() []Warning { return c.NewWarnings(new(Catalog)) }

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

// SkillFile is the name of the file that makes a folder a skill.
const SkillFile = "SKILL.md"

// isSkillFile reports whether a file of the folder makes it a skill.
func (d *Dir) isSkillFile(f *file) bool {
	return d.skill && f.name == SkillFile && d.sources[f.source].skills
}

// IsSkill reports whether the resource is the SKILL.md of a mount of skills.
func (r Resource) IsSkill() bool { return r.dir.isSkillFile(r.file) }

// Exact reports whether clients always get the exact bytes of the file. They do for each file under
// the scheme of a skills mount.
func (r Resource) Exact() bool { return r.dir.skills }

// Skills yields the SKILL.md of each skill whose URI follows the canonical URI after, in canonical
// order. It visits only folders of skills.
func (c *Catalog) Skills(after string) iter.Seq[Resource] {
	return func(yield func(Resource) bool) {
		following := c.After(after)
		if after == "" {
			following = c.below(&Dir{dirs: slices.DeleteFunc(slices.Clone(c.root.dirs), func(d *Dir) bool { return !d.skills })})
		}
		for r := range following {
			if !r.Exact() || r.IsSkill() && !yield(r) {
				return
			}
		}
	}
}
