package loader

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/mcp-docs-server/mcp-docs-server/internal/uri"
)

// A Mount is a folder of the project whose files are served below <Scheme>://<Host>/. Where a file below resources/ has the
// same URI, that one is served. A folder that is not there has no files.
type Mount struct {
	Dir    string // below the project folder
	Scheme string // in lower case
	Host   string // raw: a name without slashes
}

// mount adds the folder of a mount to the listings below l, which is its scheme.
func (s *scanner) mount(d *Dir, l *listing, m Mount, listings []*listing) []*listing {
	d.linked = true // it changes where l has no folder
	loc := m.Scheme + "/" + m.Host
	if filter := &s.opts.filter; !filter.dir(m.Scheme, m.Scheme, false) || matchesAny(filter.exclude, loc) {
		return listings
	}
	for above := path.Dir(m.Dir); above != "."; above = path.Dir(above) {
		s.visit(above)
	}
	real, err := Resolve(s.fsys, m.Dir)
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
		return listings
	case err != nil:
		d.notice(m.Dir, "is not served: "+Reason(err))
		return listings
	}
	switch base := d.uri + string(uri.AppendHost(nil, m.Host)); {
	case Hidden(m.Host) && !s.opts.filter.dir(loc, m.Host, false):
		d.notice(m.Dir, fmt.Sprintf("is not served: %s has a hidden name, which takes an include pattern such as %q", base, loc+"/**"))
		return listings
	case !uri.PlainHost(m.Host):
		d.notice(m.Dir, "is served as "+base+", which has no plain URI host: some clients refuse its URIs")
	}
	src := source{path: real, loc: loc, linked: real != m.Dir, mount: m.Dir}
	for _, known := range listings {
		if known.name == m.Host {
			known.sources = append(known.sources, src)
			return listings
		}
	}
	return append(listings, l.below(m.Host, string(uri.AppendHost([]byte(d.uri), m.Host))+"/", src))
}
