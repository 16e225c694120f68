package loader

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// A Mount is a folder of the project whose files are served below <Scheme>://<Host>/, or below
// <Scheme>:// if Host is empty. If a file below resources/ has the same URI, that file is served
// instead, unless the mount is for skills. A folder that does not exist has no files.
type Mount struct {
	Dir    string // below the project folder
	Scheme string // in lower case
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

// mount adds the folder of a mount to the listings in l, the folder of the mount's scheme.
func (s *scanner) mount(d *Dir, l *listing, m Mount, listings []*listing) []*listing {
	d.linked = true // changes in the mount do not appear as changes in a folder of l
	src, ok := s.mounted(d, m, m.Scheme+"/"+m.Host)
	if !ok {
		return listings
	}
	base := d.uri + string(uri.AppendHost(nil, m.Host))
	r := ruling{}
	if Hidden(m.Host) {
		r = s.opts.filter.dir(src.loc, m.Host, false)
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
	r := filter.dir(m.Scheme, m.Scheme, false)
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
