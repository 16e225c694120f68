package dependencies

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A Set is the packages of a project at one moment. It is an [fs.FS] of their documents, without links. The zero Set has no
// packages. It does not change.
type Set struct {
	packages    []*Package
	byPath      map[string]*Package      // the installed ones, by [Package.Path]
	byName      map[[2]string][]*Package // all, by ecosystem and name
	folders     map[string][]fs.DirEntry
	files       map[string]*Document
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
		folders: map[string][]fs.DirEntry{".": nil}, files: make(map[string]*Document),
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
		if round.later {
			// small packages first, so that a package with a large API does not displace them
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
	if found := s.files[path.Join(Folder, name)]; found != nil {
		d = *found
	}
	return d
}

// add adds a document and the folders above it.
func (s *Set) add(name string, d *Document) {
	if !fs.ValidPath(name) || s.files[name] != nil || s.folders[name] != nil {
		return
	}
	s.files[name] = d
	for info := infoOf(name, d); ; info = infoOf(name, nil) {
		dir := path.Dir(name)
		_, known := s.folders[dir]
		s.folders[dir] = append(s.folders[dir], fs.FileInfoToDirEntry(info))
		if known {
			return
		}
		name = dir
	}
}

// infoOf returns the information of a document, or of a folder if d is nil.
func infoOf(name string, d *Document) fs.FileInfo {
	if d == nil {
		return rootfs.NewInfo(path.Base(name), 0, fs.ModeDir|0o555, time.Time{})
	}
	return rootfs.NewInfo(path.Base(name), d.Size, 0o444, d.ModTime)
}

// Packages returns all packages, by ecosystem, name and version.
func (s *Set) Packages() []*Package { return s.packages }

// Unsupported returns the manifests that [New] got.
func (s *Set) Unsupported() []loader.Warning { return s.unsupported }

// LeftOut returns the number of documents that are left out because of [MaxBytes].
func (s *Set) LeftOut() int { return s.leftOut }

// Of returns the installed package that a path below [Folder] belongs to, or nil.
func (s *Set) Of(name string) *Package {
	for end := range len(name) + 1 {
		if end == len(name) || name[end] == '/' {
			if p := s.byPath[name[:end]]; p != nil {
				return p
			}
		}
	}
	return nil
}

// Open implements [fs.FS]. A document has the text that [Clean] returns, but the size of its file. [docsfs.FS] removes secrets.
func (s *Set) Open(name string) (fs.File, error) {
	if d := s.files[name]; d != nil {
		data, err := d.Read()
		if err != nil {
			return nil, err
		}
		return rootfs.InMemory([]byte(Clean(string(data[:min(len(data), MaxFile)]))), infoOf(name, d)), nil
	}
	if _, ok := s.folders[name]; ok {
		return rootfs.InMemory(nil, infoOf(name, nil)), nil
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

// names are the names of the packages of a set, and the words in them, in lower case.
type names struct {
	whole map[string][]*Package
	words map[string][]*Package // of direct dependencies
}

var (
	majorVersion = lazyregexp.New(`/v\d+$`)
	wordEnds     = lazyregexp.New(`[^\pL\pN]+`)
)

func namesOf(packages []*Package) names {
	n := names{make(map[string][]*Package), make(map[string][]*Package)}
	add := func(to map[string][]*Package, key string, p *Package) {
		if !slices.Contains(to[key], p) {
			to[key] = append(to[key], p)
		}
	}
	for _, p := range packages {
		name := strings.ToLower(p.Name)
		short := name
		add(n.whole, name, p)
		if p.Ecosystem == "go" {
			short = majorVersion().ReplaceAllString(name, "")
			add(n.whole, short, p)
			_, short, _ = strings.Cut(short, "/") // without the host
		}
		if !p.Direct {
			continue
		}
		for _, part := range append(strings.FieldsFunc(short, func(r rune) bool { return r == '/' || r == '@' }), wordEnds().Split(short, -1)...) {
			if len(part) > 2 {
				add(n.words, part, p)
			}
		}
	}
	return n
}

// Named returns the packages that a query names: by the whole name, or by a word that the name of one direct dependency has.
// With each package are the words of the query that name it. ordinary reports whether such a word says nothing about a package.
func (s *Set) Named(query string, ordinary func(word string, p *Package) bool) map[*Package][]string {
	named := make(map[*Package][]string)
	for asked := range strings.FieldsSeq(strings.ToLower(query)) {
		asked = strings.Trim(asked, ".,;:!?()[]{}<>'\"`")
		if i := strings.LastIndexByte(asked, '@'); i > 0 { // a version
			asked = asked[:i]
		}
		packages := s.names.whole[asked]
		if by := s.names.words[asked]; len(packages) == 0 && oneName(by) && !ordinary(asked, by[0]) {
			packages = by
		}
		for _, p := range packages {
			named[p] = append(named[p], wordEnds().Split(asked, -1)...)
		}
	}
	return named
}

// oneName reports whether there are packages, and all have one name: they are versions of it.
func oneName(packages []*Package) bool {
	return len(packages) > 0 && !slices.ContainsFunc(packages, func(p *Package) bool { return p.Name != packages[0].Name })
}

// split splits a path in [Folder] into the ecosystem, the name and the version of a package as the caller wrote them, and
// the rest. In a path without a version, the name is the longest prefix that names a package, or else the whole path.
func (s *Set) split(name string) (ecosystem, pkg, version, rest string) {
	ecosystem, name, _ = strings.Cut(name, "/")
	if i := strings.LastIndexByte(name, '@'); i > 0 {
		version, rest, _ = strings.Cut(name[i+1:], "/")
		return ecosystem, name[:i], version, rest
	}
	for end := len(name); end > 0; end = max(0, strings.LastIndexByte(name[:end], '/')) {
		if s.byName[[2]string{ecosystem, name[:end]}] != nil {
			return ecosystem, name[:end], "", strings.TrimPrefix(name[end:], "/")
		}
	}
	return ecosystem, name, "", ""
}

// Versioned returns a path below [Folder] that names no version with the version of the package. It returns false if the
// path has a version, or if the package is not installed in exactly one version that is direct or the only one.
func (s *Set) Versioned(name string) (string, bool) {
	ecosystem, pkg, version, rest := s.split(name)
	if version != "" {
		return "", false
	}
	var found []*Package
	for _, direct := range []bool{true, false} {
		for _, p := range s.byName[[2]string{ecosystem, pkg}] {
			if p.Missing == "" && p.Direct == direct {
				found = append(found, p)
			}
		}
		if len(found) > 0 {
			break
		}
	}
	if len(found) != 1 {
		return "", false
	}
	return path.Join(found[0].Path(), rest), true
}

// Explain says why a path in [Folder] names no document.
func (s *Set) Explain(name string) string {
	ecosystem, pkg, version, rest := s.split(name)
	var names []string
	for _, p := range s.packages {
		if p.Ecosystem == ecosystem {
			names = append(names, p.Name)
		}
	}
	all := s.byName[[2]string{ecosystem, pkg}]
	if len(all) == 0 {
		reason := fmt.Sprintf("%s is not a dependency of this project.", path.Join(ecosystem, pkg))
		if near := nearest.Of(pkg, names, 5); len(near) > 0 {
			reason += " The nearest names of dependencies: " + strings.Join(near, ", ") + "."
		}
		return reason
	}
	var installed, reasons []string
	for _, p := range all {
		below, asked := Folder+"/"+p.Path()+"/", version == "" || p.Version == version
		switch {
		case p.Missing != "":
			reasons = append(reasons, p.Absence())
		case asked && len(p.Documents) == 0:
			return fmt.Sprintf("%s is installed and has no documents.", p)
		case asked && version != "":
			return fmt.Sprintf("%s has no document %s. Its documents are below %s.", p, rest, below)
		default:
			installed = append(installed, below)
		}
	}
	if len(installed) > 0 && version != "" {
		return fmt.Sprintf("Version %s of %s is not installed. Installed: %s.", version, pkg, strings.Join(installed, ", "))
	}
	if len(installed) > 0 {
		return "Installed: " + strings.Join(installed, ", ") + "."
	}
	return strings.Join(reasons, " ")
}

// Absence says why a package has no folder, and what to do: "npm ai 5.0.1 is not installed: run npm ci."
func (p *Package) Absence() string {
	text := p.String() + " " + p.Missing
	if p.Hint != "" {
		text += ": run " + p.Hint
	}
	return text + "."
}

// Difference says that the lock file has another version than the installed one, or returns "".
func (p *Package) Difference() string {
	if p.Locked == "" || p.Hint == "" {
		return p.Locked
	}
	return p.Locked + "; to install it, run " + p.Hint
}
