package loader

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

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
	depth   int      // 1 for the folder of a scheme
	hidden  bool     // it, or a folder above it, is hidden
	hops    int      // links to folders on the way to it
	chain   []string // the folders on the way to it, links resolved
	mounts  []Mount  // mounts below it, if it is a scheme
	skills  bool     // as in Dir
	inSkill bool     // a folder above it is a skill; after listing, also true if the folder is a skill itself
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
