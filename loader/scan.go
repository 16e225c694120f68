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

// Resources is the folder of a project that holds its resources, and TemplatesFile the file that describes them.
const (
	Resources     = "resources"
	TemplatesFile = Resources + "/templates.json"
)

// Options say what of a project is served. The zero value serves every file that is not hidden.
type Options struct {
	Templates     *matcher.Index
	HideUnmatched bool     // leave out files that no template matches
	Describe      bool     // files say of themselves what they are, unless their template has it otherwise
	Include       []string // doublestar patterns over paths below resources/, see the package comment
	Exclude       []string

	Mounts []Mount // folders that are served as if they lay below resources/

	// Visit, if not nil, is called with each folder whose changes concern the catalog, below the project folder and with
	// links resolved, before it is read: whoever watches it from then on misses nothing. It is called concurrently.
	Visit func(dir string)

	// Omitted, if not nil, is called with each file and folder that is come to and not served. It is called concurrently.
	Omitted func(Omission)

	filter filter
}

// Scan reads the resources of a project. fsys is the project folder; it may implement [fs.ReadDirFS] and
// [fs.ReadLinkFS], without which links are not followed. A project without resources/ has an empty catalog. The error is
// of a bad pattern, or of ctx; whatever is amiss with single files is told by [Catalog.Notices].
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
	changed *changed // what to read again; nil for everything
	only    []string // the folders to read, each in the one before, the scheme first; nil for all
}

func newScanner(ctx context.Context, fsys fs.FS, opts Options) (*scanner, error) {
	var err error
	if opts.filter, err = newFilter(opts.Include, opts.Exclude); err != nil {
		return nil, err
	}
	s := &scanner{ctx: ctx, fsys: fsys, opts: opts, group: new(errgroup.Group)}
	s.group.SetLimit(2 * runtime.GOMAXPROCS(0)) // reading folders waits for the disk now and then
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

// finish counts files and looks for links from below. A folder that an older catalog shares is finished already.
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

// scanRoot reads resources/ itself: its folders are the schemes. Those that differ in case alone are one scheme. old is the
// root of an older catalog, or nil.
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
		l := scheme(m.Scheme)
		l.mounts = append(l.mounts, m)
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
	// maxPrefix is how long the URI of a folder may be, so that those of its files are not longer than what is looked up:
	// a name has 255 bytes at the most, each encoded as three.
	maxPrefix = uri.MaxLength - 1 - 3*255
	// maxDepth is how many folders may lie in each other. Some tools make trees that have no end.
	maxDepth = 250
	// maxHops is how many links to folders one path may go through. Links between folders multiply: ten folders that each
	// link to all others have a million paths of ten.
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
	mounts  []Mount  // below it, which is a scheme
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
	return &listing{name: name, uri: uri, sources: sources, depth: l.depth + 1, hidden: l.hidden || Hidden(name), hops: hops, chain: chain}
}

// scanAll reads folders, some of them at the same time, and returns them by name. known is the folder that holds them in an
// older catalog, as far as it is still good, and was the same in any case; both may be nil.
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
		d := &Dir{name: l.name, uri: l.uri, sources: l.sources, count: -1}
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
	var byName map[string]*listing // where more than one source may have a name
	if len(l.sources) > 1 {
		byName = make(map[string]*listing)
	}
	for i, src := range l.sources {
		listings = s.list(d, l, src, uint16(i), listings, byName)
	}
	for _, m := range l.mounts {
		listings = s.mount(d, l, m, listings)
	}
	s.settle(d)
	d.remember(was)
	d.dirs = s.scanAll(known, was, listings)
}

// descend makes d of a folder that is itself unchanged, but has sub-folders to read again.
func (s *scanner) descend(d, known *Dir, l *listing) {
	d.files, d.sidecars, d.notices, d.linked = known.files, known.sidecars, known.notices, known.linked
	d.facts.Store(known.facts.Load())
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
			s.opts.Omitted(Omission{strings.TrimSuffix(src.place(""), "/"), Unreadable, Reason(err)})
		}
	}
	d.files = slices.Grow(d.files, len(entries))
	host := d.isScheme()
	for _, e := range entries {
		entry := s.classify(d, l, src, e)
		if host && entry.kind != isNothing && !uri.PlainHost(e.Name()) {
			d.notice(src.path+"/"+e.Name(), "has a name that is no plain URI host: it is served, but some clients refuse its URI "+d.uri+string(uri.AppendHost(nil, e.Name())))
		}
		switch entry.kind {
		case isFile:
			entry.file.source = index
			if entry.anew || s.changed.file(src.path, e.Name()) {
				d.anew(e.Name())
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
	return listings
}

// settle sorts the files of a folder, leaves out those whose URI another one has, and finds their templates.
func (s *scanner) settle(d *Dir) {
	slices.SortStableFunc(d.files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	prefix := uri.Decode(d.uri)
	kept := d.files[:0]
	for _, f := range d.files {
		if n := len(kept); n > 0 && kept[n-1].name == f.name {
			src, other := d.sources[f.source], d.sources[kept[n-1].source]
			d.notice(src.path+"/"+f.name, fmt.Sprintf("is not served: %s has the same URI", other.path+"/"+f.name))
			s.omit(src, f.name, ruling{SameURI, other.place(f.name)})
			continue
		}
		if described, ok := s.takeSidecar(d, kept, f); ok {
			src := d.sources[f.source]
			s.omit(src, f.name, ruling{Describes, src.place(described)})
			continue
		}
		f.template = -1
		if entry, ok := s.opts.Templates.Find(prefix + f.name); ok {
			f.template = int32(entry)
		} else if s.opts.HideUnmatched {
			s.omit(d.sources[f.source], f.name, ruling{cause: NoTemplate})
			continue
		}
		kept = append(kept, f)
	}
	d.files = slices.Clip(kept)
}
