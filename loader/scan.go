package loader

import (
	"cmp"
	"context"
	"io/fs"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/progress"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
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
	read    *progress.Step // folders
	changed *changed       // the folders to read again; nil for all
	// skillFilter is the filter for mounts of skills.
	skillFilter filter
	only        []string // the folders to read, each in the one before, the scheme first; nil for all
}

func newScanner(ctx context.Context, fsys fs.FS, opts Options) (*scanner, error) {
	var err error
	if opts.filter, err = newFilter(opts.Include, opts.Exclude); err != nil {
		return nil, err
	}
	s := &scanner{ctx: ctx, fsys: fsys, opts: opts, group: new(errgroup.Group), read: progress.Begin(ctx, "reading", "folders", 0)}
	s.skillFilter = s.opts.filter
	s.skillFilter.only = nil
	s.group.SetLimit(2 * runtime.GOMAXPROCS(0)) // reading a folder may wait for the disk
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
