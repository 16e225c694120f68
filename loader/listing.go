package loader

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

const (
	// maxPrefix is the maximum length of a folder's URI. It leaves room for a file name, so that no
	// URI of a file is longer than what Lookup accepts: a name has at most 255 bytes, each encoded
	// as three.
	maxPrefix = uri.MaxLength - 1 - 3*255
	maxDepth  = walk.MaxDepth
	// maxHops is the maximum number of links to folders on one path. Links between folders
	// multiply: ten folders that each link to all others have millions of paths.
	maxHops = 3
)

// A listing is a folder that is to be read.
type listing struct {
	name    string
	uri     string
	sources []source
	depth   int      // 1: the folder of a scheme
	hidden  bool     // it, or a folder above it
	hops    int      // links followed on the way to it
	chain   []string // the folders on the way to it, links resolved
	mounts  []Mount
	skills  bool
	inSkill bool // in a skill; after listing, also in the skill's own folder
}

// A Mount is a folder of the project whose files are served below <Scheme>://<Host>/, or below
// <Scheme>:// if Host is empty. If a file below resources/ has the same URI, that file is served
// instead, unless the mount is for skills. A folder that does not exist has no files.
type Mount struct {
	Dir    string
	Scheme string
	Host   string // raw: a name without slashes

	// Omit, if not nil, returns why a file or folder is not served, and the detail of an [Skipped]; or Served. It gets the
	// path below the project folder as its author sees it, and with links resolved.
	Omit func(name, real string, folder bool) (cause Cause, detail string)
	// Open, if not nil, opens the files of the mount, by their paths as their author sees them. The bytes may differ from
	// those on the disk.
	Open func(name string) (fs.File, error)

	// Skills says that the folder holds Agent Skills, see the package comment. Host must be empty.
	Skills bool
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

// list reads one source of a folder. It adds the files to d and the sub-folders to listings.
func (s *scanner) list(d *Dir, l *listing, src source, index uint16, listings []*listing, byName map[string]*listing) []*listing {
	s.visit(src.path)
	entries, err := fs.ReadDir(s.fsys, src.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.warn(src.path, Reason(err))
		s.omitPath(strings.TrimSuffix(src.logical(""), "/"), ruling{Unreadable, Reason(err)})
	}
	before := len(d.files)
	d.files = slices.Grow(d.files, len(entries))
	host := d.isScheme()
	for _, e := range entries {
		entry := s.classify(d, l, src, e)
		if host && entry.kind != isNothing && !uri.PlainHost(e.Name()) {
			d.warn(src.path+"/"+e.Name(), "has a name that is not a plain URI host: it is served, but some clients refuse its URI "+d.uri+string(uri.AppendHost(nil, e.Name())))
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
				d.warn(src.path+"/"+e.Name(), "is not served: it lies too deep")
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

// inSkill finds out whether a folder is a skill. If neither the folder nor one above it is a skill,
// inSkill drops the files of this source, which start at the index before.
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

// match sorts the files of a folder, drops files whose URI an earlier file has, and finds the
// templates of the others.
func (s *scanner) match(d *Dir) {
	slices.SortFunc(d.files, func(a, b file) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.source, b.source)) })
	folder := s.opts.Templates.In(uri.Decode(d.uri))
	kept := d.files[:0]
	for _, f := range d.files {
		if n := len(kept); n > 0 && kept[n-1].name == f.name {
			src, other := d.sources[f.source], d.sources[kept[n-1].source]
			d.warn(src.path+"/"+f.name, fmt.Sprintf("is not served: %s has the same URI", other.path+"/"+f.name))
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
		if entry, ok := folder.Find(f.name); ok {
			f.template = int32(entry)
		} else if s.opts.HideUnmatched && !skill {
			s.omit(d.sources[f.source], f.name, ruling{cause: NoTemplate})
			continue
		}
		kept = append(kept, f)
	}
	d.files = slices.Clip(kept)
}

// A kind says how the catalog treats an entry of a folder.
type kind uint8

const (
	isNothing kind = iota
	isFile
	isFolder
)

// An entry describes a name in a folder, after links were followed and the rules for what is served were applied.
type entry struct {
	kind   kind
	file   file
	fresh  bool // the target of a link may have changed despite equal size and time
	source source
}

// classify decides whether and how the entry e of the folder src is served. It adds a warning to d
// if the user might expect another result.
func (s *scanner) classify(d *Dir, l *listing, src source, e fs.DirEntry) entry {
	name, mode := e.Name(), e.Type()
	filter, mount := &s.opts.filter, s.opts.mountOf(src)
	omits := mount != nil && mount.Omit != nil
	if src.skills {
		filter = &s.skillFilter
	}
	if !filter.patterns() && !omits {
		if l.hidden || Hidden(name) {
			return s.skip(src, name, hiddenOn(src.loc+"/"+name))
		} else if mode.IsRegular() {
			return regular(e, nil, false)
		}
	}
	child := src.below(name)
	real := child.path
	var info fs.FileInfo
	if mode&fs.ModeSymlink != 0 {
		if r := filter.decide(child.loc, name, l.hidden, false); !r.served() && !filter.decide(child.loc, name, l.hidden, true).served() {
			return s.skip(src, name, r)
		}
		d.linked = true // even if not served: its target may change
		var err error
		if real, err = walk.Follow(s.fsys, child.path); err == nil {
			s.visit(path.Dir(real))
			info, err = fs.Stat(s.fsys, real)
		}
		if err != nil {
			return s.refuse(d, src, name, ruling{LinkRefused, Reason(err)})
		}
		mode = info.Mode().Type()
	}
	if omits {
		if cause, detail := mount.Omit(src.logical(name), real, mode.IsDir()); cause != Served {
			return s.skip(src, name, ruling{cause, detail})
		}
	}
	linked := real != child.path
	if mode.IsDir() {
		switch r := filter.decide(child.loc, name, l.hidden, true); {
		case !r.served():
			return s.skip(src, name, r)
		case linked && (walk.Holds(real, src.path) || slices.ContainsFunc(l.chain, func(above string) bool { return walk.Holds(real, above) })):
			return s.refuse(d, src, name, ruling{LinkRefused, walk.ErrAncestor.Error()})
		case linked && l.hops >= maxHops:
			return s.refuse(d, src, name, ruling{TooManyLinks, fmt.Sprintf("more than %d links to folders lead to it", maxHops)})
		}
		child.path, child.linked = real, linked
		return entry{kind: isFolder, source: child}
	}
	switch r := filter.decide(child.loc, name, l.hidden, false); {
	case !r.served():
		return s.skip(src, name, r)
	case mode != 0:
		return s.refuse(d, src, name, ruling{cause: Irregular})
	}
	out := regular(e, info, linked)
	out.fresh = linked && s.changed.file(path.Dir(real), path.Base(real))
	return out
}

// skip reports that a name in a folder is not served.
func (s *scanner) skip(src source, name string, r ruling) entry {
	s.omit(src, name, r)
	return entry{}
}

// refuse is skip with a warning.
func (s *scanner) refuse(d *Dir, src source, name string, r ruling) entry {
	d.warn(src.path+"/"+name, "is not served: "+cmp.Or(r.detail, string(r.cause)))
	return s.skip(src, name, r)
}

// regular returns the entry of a file. If info is nil, regular uses the information of e.
func regular(e fs.DirEntry, info fs.FileInfo, linked bool) entry {
	if info == nil {
		var err error
		if info, err = e.Info(); err != nil {
			return entry{} // removed during the scan
		}
	}
	return entry{kind: isFile, file: file{name: e.Name(), size: info.Size(), modTime: info.ModTime().UnixNano(), link: linked}}
}

// below returns the source of an entry of the folder. Its two paths share their bytes if possible,
// which saves memory in large catalogs.
func (src source) below(name string) source {
	child := source{path: src.path + "/" + name, loc: name, mount: src.mount, skills: src.skills}
	if src.loc != "" {
		child.loc = src.loc + "/" + name
	}
	if strings.HasSuffix(child.path, child.loc) {
		child.loc = child.path[len(child.path)-len(child.loc):]
	}
	return child
}

// Reason returns the text of a file error without the path.
func Reason(err error) string {
	if errors.Is(err, fs.ErrPermission) {
		return "may not be read (permission denied)"
	}
	return fserr.Reason(err)
}

// maxWarnings bounds the warnings of one folder.
const maxWarnings = 100

func (d *Dir) warn(path, reason string) {
	if len(d.warnings) == maxWarnings {
		reason = "and more here are not served as they stand"
	}
	if len(d.warnings) <= maxWarnings {
		d.warnings = append(d.warnings, Warning{Path: path, Reason: reason})
	}
}

// mount adds the folder of a mount to the listings in l, the folder of the mount's scheme.
func (s *scanner) mount(d *Dir, l *listing, m Mount, listings []*listing) []*listing {
	d.linked = true // changes in the mount are not seen in l
	src, ok := s.mounted(d, m, m.Scheme+"/"+m.Host)
	if !ok {
		return listings
	}
	base := d.uri + string(uri.AppendHost(nil, m.Host))
	r := ruling{}
	if Hidden(m.Host) {
		r = s.opts.filter.decide(src.loc, m.Host, false, true)
	}
	switch {
	case !r.served():
		d.warn(m.Dir, fmt.Sprintf("is not served: %s has a hidden name; to serve it, add an include pattern such as %q", base, src.loc+"/**"))
		s.omitPath(m.Dir, r)
		return listings
	case !uri.PlainHost(m.Host):
		d.warn(m.Dir, "is served as "+base+", whose host is not a plain URI host: some clients refuse its URIs")
	}
	for _, known := range listings {
		if known.name == m.Host {
			known.sources = append(known.sources, src)
			return listings
		}
	}
	return append(listings, l.below(m.Host, string(uri.AppendHost([]byte(d.uri), m.Host))+"/", src))
}

// mountOf returns the mount that a folder belongs to, or nil.
func (o *Options) mountOf(src source) *Mount {
	if i := slices.IndexFunc(o.Mounts, func(m Mount) bool { return m.Dir == src.mount && m.Skills == src.skills }); i >= 0 && src.mount != "" {
		return &o.Mounts[i]
	}
	return nil
}

// mounted finds the folder of a mount. It adds warnings about the mount to d.
func (s *scanner) mounted(d *Dir, m Mount, loc string) (src source, ok bool) {
	filter := &s.opts.filter
	r := filter.decide(m.Scheme, m.Scheme, false, true)
	if p, ok := matching(filter.exclude, loc); r.served() && ok {
		r = ruling{Excluded, p.text}
	} else if r.served() && m.Omit != nil {
		r.cause, r.detail = m.Omit(m.Dir, m.Dir, true)
	}
	if !r.served() {
		s.omitPath(m.Dir, r)
		return source{}, false
	}
	for above := path.Dir(m.Dir); above != "."; above = path.Dir(above) {
		s.visit(above)
	}
	real, err := walk.Resolve(s.fsys, m.Dir)
	if err == nil && real == "." {
		err = errProject
	}
	var info fs.FileInfo
	if err == nil {
		s.visit(path.Dir(real))
		info, err = fs.Stat(s.fsys, real)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir():
		return source{}, false
	case err != nil:
		d.warn(m.Dir, "is not served: "+Reason(err))
		s.omitPath(m.Dir, ruling{LinkRefused, Reason(err)})
		return source{}, false
	}
	return source{path: real, loc: loc, linked: real != m.Dir, mount: m.Dir, skills: m.Skills}, true
}
