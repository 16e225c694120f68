package dependencies

import (
	"bytes"
	"cmp"
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A Set is the packages of a project at one moment. It is an [fs.FS] of their documents, without links. The zero Set has no
// packages. It does not change.
type Set struct {
	packages    []*Package
	byPath      map[string]*Package      // the installed ones, by [Package.Path]
	byName      map[[2]string][]*Package // all, by ecosystem and name
	folders     map[string][]fs.DirEntry
	files       map[string]*entry
	leftOut     int // documents that exceed MaxBytes
	undescribed int // packages whose API is not described yet
	names       names
	unsupported []loader.Warning
}

// New returns the set of the packages of all ecosystems. unsupported are the manifests of ecosystems whose packages cannot be served.
func New(packages []*Package, unsupported ...loader.Warning) *Set {
	s := &Set{
		unsupported: unsupported,
		packages:    slices.SortedFunc(slices.Values(packages), compare), byPath: make(map[string]*Package), byName: make(map[[2]string][]*Package),
		folders: map[string][]fs.DirEntry{".": nil}, files: make(map[string]*entry),
	}
	s.names = namesOf(s.packages)
	for _, p := range s.packages {
		name := [2]string{p.Ecosystem, p.Name}
		s.byName[name] = append(s.byName[name], p)
		if p.Missing == "" && s.byPath[p.Path()] == nil && ValidName(p.Name) && ValidVersion(p.Version) {
			s.byPath[p.Path()] = p
			if p.Direct && p.Describe != nil {
				s.undescribed++
			}
		}
	}
	var total, symbols int64
	for _, round := range []struct{ direct, later bool }{{true, false}, {true, true}, {false, false}, {false, true}} {
		packages := s.packages
		if round.later { // small packages first, so that a package with a large API does not displace them
			packages = slices.SortedStableFunc(slices.Values(packages), func(a, b *Package) int { return cmp.Compare(a.symbols(), b.symbols()) })
		}
		for _, p := range packages {
			if p.Direct != round.direct || s.byPath[p.Path()] != p {
				continue
			}
			for _, d := range p.Documents {
				if (d.Symbols || d.Unused) != round.later {
					continue
				}
				if d.Symbols {
					symbols += d.Size
				}
				if total += d.Size; total > MaxBytes || d.Symbols && symbols > MaxSymbols {
					s.leftOut++
					continue
				}
				s.add(path.Join(Folder, p.Path(), d.Path), &d)
			}
		}
	}
	for _, entries := range s.folders {
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	}
	return s
}

// Describe returns the set with the documents about the APIs of its direct packages. With cached, these are only the documents that need not be
// made; [Set.Undescribed] counts the other packages. The error is ctx.Err().
func (s *Set) Describe(ctx context.Context, cached bool) (*Set, error) {
	packages := slices.Clone(s.packages)
	for i, p := range packages {
		if p.Describe == nil || !p.Direct || s.byPath[p.Path()] != p {
			continue
		}
		documents, err := p.Describe(ctx, cached)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			continue
		}
		with := *p
		with.Describe, with.Documents = nil, slices.Concat(p.Documents, documents)
		packages[i] = &with
	}
	return New(packages, s.unsupported...), nil
}

// symbols returns the size of the documents about declarations.
func (p *Package) symbols() (size int64) {
	for _, d := range p.Documents {
		if d.Symbols {
			size += d.Size
		}
	}
	return size
}

// Undescribed returns the number of packages whose API is not described yet.
func (s *Set) Undescribed() int { return s.undescribed }

// Document returns the document at a path below [Folder], or the zero value.
func (s *Set) Document(name string) (d Document) {
	if e := s.files[path.Join(Folder, name)]; e != nil {
		d = *e.document
	}
	return d
}

// add adds a document and the folders above it.
func (s *Set) add(name string, d *Document) {
	if !fs.ValidPath(name) || s.files[name] != nil || s.folders[name] != nil {
		return
	}
	e := &entry{name: path.Base(name), document: d}
	s.files[name] = e
	for {
		dir := path.Dir(name)
		_, known := s.folders[dir]
		s.folders[dir] = append(s.folders[dir], e)
		if known {
			return
		}
		name, e = dir, &entry{path.Base(dir), new(Document)}
	}
}

// Packages returns all packages, by ecosystem, name and version.
func (s *Set) Packages() []*Package { return s.packages }

// Unsupported returns the manifests that [New] got.
func (s *Set) Unsupported() []loader.Warning { return s.unsupported }

// LeftOut returns the number of documents that are left out because of [MaxBytes].
func (s *Set) LeftOut() int { return s.leftOut }

// Of returns the installed package that a path below [Folder] belongs to, and the rest of the path.
func (s *Set) Of(name string) (p *Package, rest string) {
	for end := range len(name) + 1 {
		if end == len(name) || name[end] == '/' {
			if p := s.byPath[name[:end]]; p != nil {
				return p, strings.TrimPrefix(name[end:], "/")
			}
		}
	}
	return nil, ""
}

// Open implements [fs.FS]. A document has the text that [Clean] returns, but the size of its file. [docsfs.FS] removes secrets.
func (s *Set) Open(name string) (fs.File, error) {
	if e := s.files[name]; e != nil {
		data, err := e.document.Read()
		if err != nil {
			return nil, err
		}
		return &file{Reader: bytes.NewReader([]byte(Clean(string(data[:min(len(data), MaxFile)])))), entry: e}, nil
	}
	if _, ok := s.folders[name]; ok {
		return &file{Reader: bytes.NewReader(nil), entry: &entry{path.Base(name), new(Document)}}, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// ReadDir implements [fs.ReadDirFS].
func (s *Set) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, ok := s.folders[name]
	if !ok {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist}
	}
	return entries, nil
}

// An entry is a document, or a folder, which is a document without Read. It implements [fs.DirEntry] and [fs.FileInfo].
type entry struct {
	name     string
	document *Document
}

func (e *entry) Name() string               { return e.name }
func (e *entry) IsDir() bool                { return e.document.Read == nil }
func (e *entry) Size() int64                { return e.document.Size }
func (e *entry) ModTime() time.Time         { return e.document.ModTime }
func (e *entry) Type() fs.FileMode          { return e.Mode().Type() }
func (e *entry) Info() (fs.FileInfo, error) { return e, nil }
func (e *entry) Sys() any                   { return nil }

func (e *entry) Mode() fs.FileMode {
	if e.IsDir() {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

// A file is an open document or folder.
type file struct {
	*bytes.Reader
	*entry
}

func (f *file) Size() int64                { return f.entry.Size() }
func (f *file) Stat() (fs.FileInfo, error) { return f.entry, nil }
func (f *file) Close() error               { return nil }
