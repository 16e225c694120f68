package loader

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/progress"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
)

// Options select the files of a project that are served. The zero value serves every file that is
// not hidden.
type Options struct {
	Templates     *matcher.Index
	HideUnmatched bool
	Describe      bool     // unless their template says otherwise
	Include       []string // patterns of paths below resources/, see the package comment
	Exclude       []string

	Mounts []Mount

	// Visit, if not nil, is called with each folder whose changes affect the catalog, before the
	// folder is read. A watch that starts in the call therefore misses no change. The path is below
	// the project folder, with links resolved. Calls may be concurrent.
	Visit func(dir string)

	// Omitted, if not nil, is called with each file and folder that the scan reaches and does not
	// serve. Calls may be concurrent.
	Omitted func(Skipped)

	filter filter
}

// Scan reads the resources of a project. fsys is the project folder; it may implement
// [fs.ReadDirFS] and [fs.ReadLinkFS], without which links are not followed. A project without
// resources/ has an empty catalog. Scan fails only if a pattern is invalid or ctx ends;
// [Catalog.Warnings] reports problems with single files.
func Scan(ctx context.Context, fsys fs.FS, opts Options) (*Catalog, error) {
	s, err := newScanner(ctx, fsys, opts)
	if err != nil {
		return nil, err
	}
	return s.catalog(s.scanRoot(nil))
}

// A scanner makes one catalog.
type scanner struct {
	ctx     context.Context
	fsys    fs.FS
	opts    Options
	group   *errgroup.Group
	read    *progress.Step
	changed *changed // nil: read all folders
	// skillFilter is the filter for mounts of skills.
	skillFilter filter
	only        []string // path of folders to read, the scheme first; nil: all
}

func newScanner(ctx context.Context, fsys fs.FS, opts Options) (*scanner, error) {
	var err error
	if opts.filter, err = newFilter(opts.Include, opts.Exclude); err != nil {
		return nil, err
	}
	s := &scanner{ctx: ctx, fsys: fsys, opts: opts, group: new(errgroup.Group), read: progress.Begin(ctx, "reading", "folders", 0)}
	s.skillFilter = s.opts.filter
	s.skillFilter.only = nil
	s.group.SetLimit(2 * runtime.GOMAXPROCS(0)) // disks may be slow
	return s, nil
}

func (s *scanner) visit(dir string) {
	s.read.Add(1)
	if s.opts.Visit != nil {
		s.opts.Visit(dir)
	}
}

// catalog finishes the folders once all of them are read.
func (s *scanner) catalog(root *Dir) (*Catalog, error) {
	defer s.read.End()
	if err := s.group.Wait(); err != nil {
		return nil, err
	}
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	finish(root)
	return &Catalog{fsys: s.fsys, options: s.opts, root: root}, nil
}

// finish counts the files and finds the links of a folder and of the folders below it. Folders that
// an older catalog shares are already finished.
func finish(d *Dir) {
	if d.count >= 0 {
		return
	}
	d.count, d.links = len(d.files), d.linked
	for _, sub := range d.dirs {
		finish(sub)
		d.count += sub.count
		d.links = d.links || sub.links
	}
}

// scanAll reads folders concurrently and returns them sorted by name. was is their parent folder in an older catalog, or nil.
func (s *scanner) scanAll(was *Dir, listings []*listing) []*Dir {
	listings = s.wanted(listings)
	slices.SortFunc(listings, func(a, b *listing) int { return cmp.Compare(a.name, b.name) })
	dirs := make([]*Dir, len(listings))
	for i, l := range listings {
		was := was.dir(l.name)
		known := s.valid(was, l)
		if known && !s.changed.touches(was) {
			dirs[i] = was
			continue
		}
		d := &Dir{name: l.name, uri: l.uri, sources: l.sources, count: -1, skills: l.skills, skillAbove: l.inSkill}
		dirs[i] = d
		read := func() error { s.scan(d, was, known, l); return nil }
		if !s.group.TryGo(read) {
			read()
		}
	}
	return dirs
}

// scan reads a folder into d. was is the folder in an older catalog, and known says that it is valid.
func (s *scanner) scan(d, was *Dir, known bool, l *listing) {
	if s.ctx.Err() != nil {
		return
	}
	if known && !s.changed.lists(was) {
		s.descend(d, was, l)
		return
	}
	var listings []*listing
	var byName map[string]*listing // for sources with equal names
	if len(l.sources) > 1 {
		byName = make(map[string]*listing)
	}
	for i, src := range l.sources {
		listings = s.list(d, l, src, uint16(i), listings, byName)
	}
	for _, m := range l.mounts {
		listings = s.mount(d, l, m, listings)
	}
	for _, sub := range listings {
		sub.inSkill = l.inSkill
	}
	s.match(d)
	d.remember(was)
	d.dirs = s.scanAll(was, listings)
}

// descend fills d from a folder that is itself unchanged but has sub-folders to read again.
func (s *scanner) descend(d, known *Dir, l *listing) {
	d.files, d.sidecars, d.warnings, d.linked = known.files, known.sidecars, known.warnings, known.linked
	d.infos.Store(known.infos.Load())
	d.digests.Store(known.digests.Load())
	d.skill = known.skill
	l.inSkill = l.inSkill || known.skill
	d.dirs = slices.Clone(known.dirs)
	for i, sub := range known.dirs {
		if s.changed.touches(sub) {
			d.dirs[i] = s.scanAll(known, []*listing{l.below(sub.name, sub.uri, sub.sources...)})[0]
		}
	}
}

// Resources is the folder of a project that holds its resources, and TemplatesFile the file that
// describes them.
const (
	Resources     = "resources"
	TemplatesFile = Resources + "/templates.json"
)

// scanRoot reads resources/ itself: its folders are the schemes. Folders whose names differ only in
// case are one scheme. old is the root of an older catalog, or nil.
func (s *scanner) scanRoot(old *Dir) *Dir {
	root := &Dir{count: -1}
	s.visit(".")
	top := &listing{}
	schemes := make(map[string]*listing)
	var order []*listing
	scheme := func(name string) *listing {
		l := schemes[name]
		if l == nil {
			l = top.below(name, name+"://")
			schemes[name] = l
			order = append(order, l)
		}
		return l
	}
	entries, err := s.openRoot(root, top)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		root.warn(Resources, Reason(err)+": no resources are served")
		s.omitPath(Resources, ruling{Unreadable, Reason(err)})
	}
	for _, e := range entries {
		entry := s.classify(root, top, root.sources[0], e)
		if entry.kind == isFile {
			s.omit(root.sources[0], e.Name(), ruling{cause: OutsideSchemes})
		}
		if entry.kind != isFolder {
			continue
		}
		name, ok := uri.Scheme(e.Name())
		if !ok {
			root.warn(Resources+"/"+e.Name(), "is not served: a folder here is a URI scheme, which is a letter followed by letters, digits, \"+\", \"-\" and \".\"")
			s.omit(root.sources[0], e.Name(), ruling{NotScheme, e.Name()})
			continue
		}
		l := scheme(name)
		l.sources = append(l.sources, entry.source)
	}
	for _, m := range s.opts.Mounts {
		if !m.Skills {
			l := scheme(m.Scheme)
			l.mounts = append(l.mounts, m)
		} else if src, ok := s.mounted(root, m, m.Scheme); ok {
			l := scheme(m.Scheme)
			l.sources = slices.Insert(l.sources, 0, src)
			l.skills = true
		}
	}
	root.dirs = s.scanAll(old, order)
	return root
}

// openRoot lists resources/.
func (s *scanner) openRoot(root *Dir, top *listing) ([]fs.DirEntry, error) {
	real, err := walk.Resolve(s.fsys, Resources)
	if err != nil {
		return nil, err
	}
	if real == "." {
		return nil, errProject
	}
	if real != Resources {
		s.visit(path.Dir(real))
	}
	s.visit(real)
	entries, err := fs.ReadDir(s.fsys, real)
	root.sources = []source{{path: real}}
	top.sources, top.chain = root.sources, []string{real}
	// The lower-case spelling comes first, so that its files win.
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(b.Name(), a.Name()) })
	return entries, err
}

var (
	errProject    = errors.New("is a link to the project folder itself")
	errBecameLink = errors.New("has become a link")
)

// Find looks up the file of a URI and reads only the folders on its path, for a caller that cannot
// wait for [Scan]. It accepts only the canonical spelling and spellings that decode to the same
// URI; a file that it does not find may still exist. The catalog of the returned resource contains
// only that resource. Find uses the options as Scan does, but does not call Visit and Omitted. It
// fails only if a pattern is invalid or ctx ends.
func Find(ctx context.Context, fsys fs.FS, opts Options, s string) (r Resource, ok bool, err error) {
	if len(s) > uri.MaxLength {
		return Resource{}, false, nil
	}
	decoded := uri.Decode(s)
	segments := segmentsOf(decoded)
	if len(segments) < 2 {
		return Resource{}, false, nil
	}
	opts.Visit, opts.Omitted = nil, nil
	scan, err := newScanner(ctx, fsys, opts)
	if err != nil {
		return Resource{}, false, err
	}
	scan.only = segments[:len(segments)-1]
	catalog, err := scan.catalog(scan.scanRoot(nil))
	if err != nil {
		return Resource{}, false, err
	}
	r, ok = catalog.file(decoded)
	return r, ok, nil
}

// wanted returns the folders that the scan is limited to.
func (s *scanner) wanted(listings []*listing) []*listing {
	if s.only == nil {
		return listings
	}
	for _, l := range listings {
		if l.depth <= len(s.only) && l.name == s.only[l.depth-1] {
			return []*listing{l}
		}
	}
	return nil
}

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
