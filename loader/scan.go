package loader

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/mcp-docs-server/mcp-docs-server/internal/uri"
	"github.com/mcp-docs-server/mcp-docs-server/internal/walk"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
)

// Resources is the folder of a project that holds its resources, and TemplatesFile the file that
// describes them.
const (
	Resources     = "resources"
	TemplatesFile = Resources + "/templates.json"
)

// Options select the files of a project that are served. The zero value serves every file that is
// not hidden.
type Options struct {
	Templates     *matcher.Index
	HideUnmatched bool     // leave out files that no template matches
	Describe      bool     // read titles and descriptions from the files, unless their template says otherwise
	Include       []string // doublestar patterns over paths below resources/, see the package comment
	Exclude       []string

	Mounts []Mount // folders that are served as if they lay below resources/

	// Visit, if not nil, is called with each folder whose changes affect the catalog, before the
	// folder is read. A watch that starts in the call therefore misses no change. The path is below
	// the project folder, with links resolved. Calls may be concurrent.
	Visit func(dir string)

	// Omitted, if not nil, is called with each file and folder that the scan reaches and does not
	// serve. Calls may be concurrent.
	Omitted func(Omission)

	filter filter
}

// Scan reads the resources of a project. fsys is the project folder; it may implement
// [fs.ReadDirFS] and [fs.ReadLinkFS], without which links are not followed. A project without
// resources/ has an empty catalog. The error is that of an invalid pattern or of ctx;
// [Catalog.Notices] reports problems with single files.
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
	changed *changed // the folders to read again; nil for all
	// ofSkills is the filter for mounts of skills.
	ofSkills filter
	only     []string // the folders to read, each in the one before, the scheme first; nil for all
}

func newScanner(ctx context.Context, fsys fs.FS, opts Options) (*scanner, error) {
	var err error
	if opts.filter, err = newFilter(opts.Include, opts.Exclude); err != nil {
		return nil, err
	}
	s := &scanner{ctx: ctx, fsys: fsys, opts: opts, group: new(errgroup.Group)}
	s.ofSkills = s.opts.filter
	s.ofSkills.only = nil
	s.group.SetLimit(2 * runtime.GOMAXPROCS(0)) // reading a folder may wait for the disk
	return s, nil
}

func (s *scanner) visit(dir string) {
	if s.opts.Visit != nil {
		s.opts.Visit(dir)
	}
}

// catalog finishes the folders once all of them are read.
func (s *scanner) catalog(root *Dir) (*Catalog, error) {
	if err := s.group.Wait(); err != nil {
		return nil, err
	}
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	finish(root)
	return &Catalog{fsys: s.fsys, options: s.opts, root: root}, nil
}

// finish counts the files and finds the links of a folder and of those below it. A folder that is
// shared with an older catalog is finished already.
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
		root.notice(Resources, Reason(err)+": no resources are served")
		if s.opts.Omitted != nil {
			s.opts.Omitted(Omission{Resources, Unreadable, Reason(err)})
		}
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
			root.notice(Resources+"/"+e.Name(), "is not served: a folder here is a URI scheme, which is a letter followed by letters, digits, \"+\", \"-\" and \".\"")
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
			l.sources = slices.Insert(l.sources, 0, src) // its files win
			l.skills = true
		}
	}
	root.dirs = s.scanAll(old, old, order)
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

const (
	// maxPrefix is the maximum length of a folder's URI. It leaves room for a file name, so that no
	// URI of a file is longer than what Lookup accepts: a name has at most 255 bytes, each encoded
	// as three.
	maxPrefix = uri.MaxLength - 1 - 3*255
	// maxDepth is the maximum depth of nested folders. Some tools create endless trees.
	maxDepth = 250
	// maxHops is the maximum number of links to folders on one path. Links between folders
	// multiply: ten folders that each link to all others have millions of paths.
	maxHops = 3
)

// A listing is a folder that is to be read.
type listing struct {
	name    string
	uri     string
	sources []source
	depth   int      // 1 is a scheme
	hidden  bool     // it, or a folder above it, is hidden
	hops    int      // links to folders on the way to it
	chain   []string // the folders on the way to it, links resolved
	mounts  []Mount  // mounts below it, if it is a scheme
	skills  bool     // as in Dir
	inSkill bool     // a folder above it is a skill, and once it was listed: or it is one itself
}

// below returns the listing of a sub-folder.
func (l *listing) below(name, uri string, sources ...source) *listing {
	chain := slices.Clip(l.chain)
	for _, src := range l.sources {
		chain = append(chain, src.path)
	}
	hops := l.hops
	if len(sources) > 0 && sources[0].linked {
		hops++
	}
	return &listing{name: name, uri: uri, sources: sources, depth: l.depth + 1, hidden: l.hidden || Hidden(name), hops: hops, chain: chain, skills: l.skills, inSkill: l.inSkill}
}

// scanAll reads folders concurrently and returns them sorted by name. known is their parent folder
// in an older catalog if that folder is still valid; was is the same folder even if it is not. Both
// may be nil.
func (s *scanner) scanAll(known, was *Dir, listings []*listing) []*Dir {
	listings = s.wanted(listings)
	slices.SortFunc(listings, func(a, b *listing) int { return cmp.Compare(a.name, b.name) })
	dirs := make([]*Dir, len(listings))
	for i, l := range listings {
		was := was.dir(l.name)
		known := s.known(known.dir(l.name), l)
		if known != nil && !s.changed.touches(known) {
			dirs[i] = known
			continue
		}
		d := &Dir{name: l.name, uri: l.uri, sources: l.sources, count: -1, skills: l.skills, skillAbove: l.inSkill}
		dirs[i] = d
		read := func() error { s.scan(d, known, was, l); return nil }
		if !s.group.TryGo(read) {
			read()
		}
	}
	return dirs
}

// scan reads a folder into d. known and was are as for scanAll, of this folder.
func (s *scanner) scan(d, known, was *Dir, l *listing) {
	if s.ctx.Err() != nil {
		return
	}
	if known != nil && !s.changed.lists(known) {
		s.descend(d, known, l)
		return
	}
	var listings []*listing
	var byName map[string]*listing // set if two sources may contain the same name
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
	s.settle(d)
	d.remember(was)
	d.dirs = s.scanAll(known, was, listings)
}

// descend fills d from a folder that is itself unchanged but has sub-folders to read again.
func (s *scanner) descend(d, known *Dir, l *listing) {
	d.files, d.sidecars, d.notices, d.linked = known.files, known.sidecars, known.notices, known.linked
	d.facts.Store(known.facts.Load())
	d.digests.Store(known.digests.Load())
	d.skill = known.skill
	l.inSkill = l.inSkill || known.skill
	d.dirs = slices.Clone(known.dirs)
	for i, sub := range known.dirs {
		if s.changed.touches(sub) {
			d.dirs[i] = s.scanAll(known, known, []*listing{l.below(sub.name, sub.uri, sub.sources...)})[0]
		}
	}
}

// list reads one source of a folder: its files go to d, its sub-folders are added to listings.
func (s *scanner) list(d *Dir, l *listing, src source, index uint16, listings []*listing, byName map[string]*listing) []*listing {
	s.visit(src.path)
	entries, err := fs.ReadDir(s.fsys, src.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.notice(src.path, Reason(err))
		if s.opts.Omitted != nil {
			s.opts.Omitted(Omission{strings.TrimSuffix(src.logical(""), "/"), Unreadable, Reason(err)})
		}
	}
	before := len(d.files)
	d.files = slices.Grow(d.files, len(entries))
	host := d.isScheme()
	for _, e := range entries {
		entry := s.classify(d, l, src, e)
		if host && entry.kind != isNothing && !uri.PlainHost(e.Name()) {
			d.notice(src.path+"/"+e.Name(), "has a name that is not a plain URI host: it is served, but some clients refuse its URI "+d.uri+string(uri.AppendHost(nil, e.Name())))
		}
		switch entry.kind {
		case isFile:
			entry.file.source = index
			if entry.fresh || s.changed.file(src.path, e.Name()) {
				d.markFresh(e.Name())
			}
			d.files = append(d.files, entry.file)
		case isFolder:
			if known := byName[e.Name()]; known != nil {
				known.sources = append(known.sources, entry.source)
				continue
			}
			prefix := []byte(d.uri)
			if host {
				prefix = uri.AppendHost(prefix, e.Name())
			} else {
				prefix = uri.AppendSegment(prefix, e.Name())
			}
			if len(prefix) > maxPrefix || len(l.chain) > maxDepth {
				d.notice(src.path+"/"+e.Name(), "is not served: it lies too deep")
				s.omit(src, e.Name(), ruling{cause: TooDeep})
				continue
			}
			child := l.below(e.Name(), string(prefix)+"/", entry.source)
			if byName != nil {
				byName[e.Name()] = child
			}
			listings = append(listings, child)
		}
	}
	if src.skills {
		s.inSkill(d, l, src, before)
	}
	return listings
}

// inSkill finds out whether a folder is a skill. If it is none, and no folder above it is, it drops
// the files that were added to it since there were that many.
func (s *scanner) inSkill(d *Dir, l *listing, src source, before int) {
	if !d.isScheme() && slices.ContainsFunc(d.files[before:], func(f file) bool { return f.name == SkillFile }) {
		d.skill, l.inSkill = true, true
	}
	if l.inSkill {
		return
	}
	for _, f := range d.files[before:] {
		s.omit(src, f.name, ruling{cause: OutsideSkills})
	}
	d.files = d.files[:before]
}

// settle sorts the files of a folder, drops those with the URI of an earlier one, and finds their
// templates.
func (s *scanner) settle(d *Dir) {
	slices.SortStableFunc(d.files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	prefix := uri.Decode(d.uri)
	kept := d.files[:0]
	for _, f := range d.files {
		if n := len(kept); n > 0 && kept[n-1].name == f.name {
			src, other := d.sources[f.source], d.sources[kept[n-1].source]
			d.notice(src.path+"/"+f.name, fmt.Sprintf("is not served: %s has the same URI", other.path+"/"+f.name))
			s.omit(src, f.name, ruling{SameURI, other.logical(f.name)})
			continue
		}
		skill := d.sources[f.source].skills
		if described, ok := s.takeSidecar(d, kept, f); ok {
			src := d.sources[f.source]
			s.omit(src, f.name, ruling{Describes, src.logical(described)})
			continue
		}
		f.template = -1
		if entry, ok := s.opts.Templates.Find(prefix + f.name); ok {
			f.template = int32(entry)
		} else if s.opts.HideUnmatched && !skill {
			s.omit(d.sources[f.source], f.name, ruling{cause: NoTemplate})
			continue
		}
		kept = append(kept, f)
	}
	d.files = slices.Clip(kept)
}
