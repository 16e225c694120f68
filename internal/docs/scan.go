package docs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// maxFiles bounds a scan: links between sibling folders can make a small tree endless.
const maxFiles = 200_000

// Scan reads what is below the folder dir of fsys, which is the project folder. A project without that folder has an
// empty library, and a folder without any file in it or below is absent, as it is from a package of the project. old, if not nil, is a library of the same folder; its index is built upon. visit, if not nil, is called
// with each folder, links resolved, before it is read: whoever watches it from then on misses nothing. changed, if not nil,
// reports whether a file, links resolved, may have other bytes than in old although its size and time are the same. The error
// is of ctx or of dir itself.
func Scan(ctx context.Context, fsys fs.FS, dir string, old *Library, visit func(dir string), changed func(file string) bool) (*Library, error) {
	dir = path.Clean(strings.ReplaceAll(dir, `\`, "/"))
	if !fs.ValidPath(dir) {
		return nil, fmt.Errorf("docs folder %q is not below the project folder", dir)
	}
	if visit == nil {
		visit = func(string) {}
	}
	if changed == nil {
		changed = func(string) bool { return false }
	}
	s := &scanner{ctx: ctx, old: old, visit: visit, changed: changed, library: &Library{
		fsys: fsys, dir: dir, folders: make(map[string]*folder), files: make(map[string]*document),
	}}
	l := s.library
	if old != nil && old.builder != nil && old.dir == dir {
		l.builder = old.builder
	} else {
		s.old, l.builder = nil, newBuilder()
	}
	for above := path.Dir(dir); ; above = path.Dir(above) {
		visit(above)
		if above == "." {
			break
		}
	}
	real, err := loader.Resolve(fsys, dir)
	if err == nil {
		err = s.walk("", real, nil)
	}
	if errors.Is(err, fs.ErrNotExist) {
		l.folders[""] = new(folder)
		err = nil
	}
	if err != nil {
		return nil, err
	}
	l.sort()
	return l, nil
}

type scanner struct {
	ctx     context.Context
	old     *Library
	library *Library
	visit   func(dir string)
	changed func(file string) bool
	walked  int // folders, also those that hold nothing
	full    bool
}

// walk reads the folder at loc below the documents' folder, which is real with links resolved. chain is the real paths
// of the folders above it.
func (s *scanner) walk(loc, real string, chain []string) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	s.visit(real)
	entries, err := fs.ReadDir(s.library.fsys, real)
	if err != nil {
		return err
	}
	here := new(folder)
	s.library.folders[loc] = here
	s.walked++
	chain = append(chain[:len(chain):len(chain)], real)
	for _, e := range entries {
		name := e.Name()
		if loader.Hidden(name) {
			continue
		}
		if err := s.entry(here, path.Join(loc, name), path.Join(real, name), e, chain); err != nil {
			return err
		}
	}
	return nil
}

// entry takes in one name of the folder here.
func (s *scanner) entry(here *folder, loc, real string, e fs.DirEntry, chain []string) error {
	l := s.library
	if len(l.files)+s.walked >= maxFiles {
		if !s.full {
			s.full = true
			s.notice(loc, fmt.Errorf("and what follows is not served: there are more than %d files", maxFiles))
		}
		return nil
	}
	info, err := e.Info()
	if err == nil && e.Type()&fs.ModeSymlink != 0 {
		if real, err = loader.Follow(l.fsys, real); err == nil {
			s.visit(path.Dir(real))
			info, err = fs.Stat(l.fsys, real)
		}
	}
	switch {
	case err != nil:
		if e.Type()&fs.ModeSymlink != 0 || !errors.Is(err, fs.ErrNotExist) { // else it is gone again
			s.notice(loc, fmt.Errorf("is not served: %w", err))
		}
	case info.IsDir():
		for _, above := range chain {
			if loader.Holds(real, above) {
				s.notice(loc, fmt.Errorf("is not served: %w", loader.ErrAncestor))
				return nil
			}
		}
		before := len(l.files)
		err := s.walk(loc, real, chain)
		if s.ctx.Err() != nil {
			return s.ctx.Err()
		} else if err != nil {
			s.notice(loc, fmt.Errorf("is not served: %w", err))
			return nil
		}
		if len(l.files) == before {
			delete(l.folders, loc) // it holds nothing, and neither packages nor git keep such a folder
			return nil
		}
		here.dirs = append(here.dirs, path.Base(loc))
	case info.Mode().IsRegular():
		d := s.document(loc, real, info)
		l.files[loc] = d
		if isDocument(loc) {
			l.docs = append(l.docs, d)
			here.docs = append(here.docs, path.Base(loc))
		}
	}
	return nil
}

// document returns the document of the old library if it is the same.
func (s *scanner) document(loc, real string, info fs.FileInfo) *document {
	size, modTime := info.Size(), info.ModTime().UnixNano()
	if s.old != nil {
		if d := s.old.files[loc]; d != nil && d.size == size && d.modTime == modTime && !s.changed(real) {
			return d
		}
	}
	return &document{path: loc, lower: strings.ToLower(loc), size: size, modTime: modTime}
}

func (s *scanner) notice(loc string, err error) {
	const most = 100 // ten thousand say no more
	if len(s.library.notices) < most {
		s.library.notices = append(s.library.notices, loader.Notice{Path: path.Join(s.library.dir, loc), Reason: fserr.Reason(err)})
	}
}
