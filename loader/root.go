package loader

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

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
			l.sources = slices.Insert(l.sources, 0, src) // the files of this source win
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
