package gomodules

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"hash/fnv"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/semver"
	"golang.org/x/sync/errgroup"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/goapi"
)

const (
	cacheFormat = "goapi 2" // changes when the texts of goapi do
	// maxKept bounds the bytes of texts that are kept in memory if there is no cache.
	maxKept = 16 << 20
	// maxTime is the time after which the description of a package is given up. The slowest of 500 packages took a second.
	maxTime = 30 * time.Second
)

// apis are the documents about packages of all modules of a project.
type apis struct {
	finder       *finder
	sources      []*apiSource
	byImportPath map[string][]*apiDocument

	mu   sync.Mutex // guards kept and apiSource.parts
	kept int        // bytes
}

// An apiSource is a package that is described.
type apiSource struct {
	*apis
	module     *found
	importPath string
	dir        string       // below the folder of the module
	name       string       // of its first document, without extension
	stamp      string       // of the files, if they may change
	parts      []goapi.Part // nil: they are in the cache, or not described yet
	documents  []*apiDocument
	failed     error // why it cannot be described
	unused     bool  // the project does not import it
}

// An apiDocument is a part of the description of a package.
type apiDocument struct {
	source *apiSource
	part   int
	path   string // below the folder of the module
	types  []string
	size   int // bytes
}

// maxOthers is the maximum number of packages of a module that are described without being imported, those with the shortest paths.
const maxOthers = 60

// add adds the packages of a module: those that the project imports, and then the others that it can import.
func (a *apis) add(m *found) {
	root, err := m.base.OpenFolder(m.dir, false)
	if err != nil {
		return
	}
	defer root.Close()
	taken := make(map[string]bool)
	for _, d := range m.Documents {
		taken[strings.ToLower(d.Path)] = true
	}
	add := func(importPath string, unused bool) bool {
		s := &apiSource{apis: a, module: m, importPath: importPath, dir: ".", name: goapi.LastPart(importPath), unused: unused}
		if below := strings.TrimPrefix(strings.TrimPrefix(importPath, m.path), "/"); below != "" {
			s.dir, s.name = below, below
		}
		if !s.look(root) {
			return false
		}
		if taken[strings.ToLower(s.name)+".md"] { // a file, or the package in the module's folder
			s.name += ".api"
		}
		taken[strings.ToLower(s.name)+".md"] = true
		a.sources = append(a.sources, s)
		return true
	}
	for _, importPath := range slices.Sorted(maps.Keys(m.imported)) {
		add(importPath, false)
	}
	others := 0
	for _, dir := range a.finder.packageFolders(m, root) {
		importPath := path.Join(m.path, dir)
		if others < maxOthers && !m.imported[importPath] && add(importPath, true) {
			others++
		}
	}
}

// packageFolders returns the folders of a module that may have packages for others, those with the shortest paths first. Of
// folders named by versions, it returns the newest.
func (f *finder) packageFolders(m *found, root *rootfs.FS) []string {
	if m.Name == standard {
		return nil
	}
	folders := []string{"."}
	for i := 0; i < len(folders) && i < maxModuleFolders && f.ctx.Err() == nil; i++ {
		entries, err := root.ReadDir(folders[i])
		if err != nil || i > 0 && slices.ContainsFunc(entries, isModFile) {
			continue
		}
		newest := ""
		for _, e := range entries {
			switch name := e.Name(); {
			case !e.IsDir() || leftOut(name) || name == "internal":
			case strings.Contains(name, ".") && semver.IsValid(name):
				if newest == "" || semver.Compare(name, newest) > 0 {
					newest = name
				}
			default:
				folders = append(folders, path.Join(folders[i], name))
			}
		}
		if newest != "" {
			folders = append(folders, path.Join(folders[i], newest))
		}
	}
	return folders
}

const maxModuleFolders = 5000

// finish describes the packages, and adds the documents to their modules. The error is the error of the context.
func (a *apis) finish() error {
	// The links in a text depend on the documents of all packages, so the sizes are known in a second round.
	err := a.each(func(s *apiSource) {
		parts, err := s.render()
		if err != nil && !errors.Is(err, goapi.ErrNone) {
			s.failed = err
		}
		for i, part := range parts {
			d := &apiDocument{source: s, part: i, path: s.name + ".md", types: part.Types}
			if part.Name != "" {
				d.path = s.name + "/types-" + part.Name + ".md"
			}
			s.documents = append(s.documents, d)
		}
	})
	if err != nil {
		return err
	}
	for _, s := range a.sources {
		a.byImportPath[s.importPath] = s.documents
		if s.failed != nil {
			a.finder.notice("go.mod", fmt.Errorf("requires %s, whose package %s has no document: %w", s.module.Name, s.importPath, s.failed))
		}
	}
	err = a.each(func(s *apiSource) {
		for _, d := range s.documents {
			text, _ := d.read()
			d.size = len(text)
		}
	})
	if err != nil {
		return err
	}
	for _, s := range a.sources {
		var modTime time.Time
		if info, err := s.module.base.Lstat(s.module.dir); err == nil {
			modTime = info.ModTime()
		}
		for _, d := range s.documents {
			s.module.Documents = append(s.module.Documents, dependencies.Document{Path: d.path, Size: int64(d.size), ModTime: modTime, Unused: s.unused, Read: d.read})
		}
	}
	return nil
}

// each calls do with all packages, on all processors.
func (a *apis) each(do func(*apiSource)) error {
	group, ctx := errgroup.WithContext(a.finder.ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, s := range a.sources {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			do(s)
			return nil
		})
	}
	return group.Wait()
}

// look reports whether the folder of the package has source files besides tests, and sets the stamp.
func (s *apiSource) look(root *rootfs.FS) (any bool) {
	if !fs.ValidPath(s.dir) {
		return false
	}
	entries, err := root.ReadDir(s.dir)
	if err != nil {
		return false
	}
	hash := fnv.New128a()
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || !e.Type().IsRegular() {
			continue
		}
		if !any && !strings.HasSuffix(e.Name(), "_test.go") {
			any = !s.unused || !isProgram(root, path.Join(s.dir, e.Name()))
		}
		if info, err := e.Info(); err == nil && s.module.vendored {
			fmt.Fprintf(hash, "%s\n%d %d\n", e.Name(), info.Size(), info.ModTime().UnixNano())
		}
	}
	s.stamp = fmt.Sprintf("%x", hash.Sum(nil))
	return any
}

// isProgram reports whether a file belongs to a program, which nothing can import.
func isProgram(root *rootfs.FS, name string) bool {
	data, err := read(root, name, headSize)
	if err != nil {
		return true
	}
	file, _ := parser.ParseFile(token.NewFileSet(), name, data, parser.PackageClauseOnly)
	return file == nil || file.Name.Name == "main" || file.Name.Name == "documentation"
}

// render returns the description of the package, from the cache if it is there.
func (s *apiSource) render() ([]goapi.Part, error) {
	s.mu.Lock()
	parts := s.parts
	s.mu.Unlock()
	if parts != nil {
		return parts, nil
	}
	goos, goarch := s.finder.env.system()
	cache := s.finder.options.Cache
	key := strings.Join([]string{cacheFormat, s.module.Name, s.module.Version, s.importPath, goos, goarch, s.stamp}, "\n")
	if data, ok := cache.Get(key); ok {
		if parts := decode(data); parts != nil {
			return parts, nil
		}
	}
	root, err := s.module.base.OpenFolder(s.module.dir, false)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	ctx, cancel := context.WithTimeout(context.Background(), maxTime)
	defer cancel()
	parts, err = goapi.Render(ctx, goapi.Source{FS: root, Dir: s.dir, ImportPath: s.importPath, GOOS: goos, GOARCH: goarch})
	if err != nil {
		return nil, err
	}
	if cache != nil {
		cache.Put(key, encode(parts))
		return parts, nil
	}
	size := 0
	for _, part := range parts {
		size += len(part.Text)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept+size <= maxKept {
		s.kept += size
		s.parts = parts
	}
	return parts, nil
}

// A keptPart is what the cache has of a part, besides the text.
type keptPart struct {
	Name  string
	Types []string
	Size  int // bytes of the text
}

// encode returns the bytes of a description in the cache: a line of JSON about the parts, and their texts.
func encode(parts []goapi.Part) []byte {
	var kept []keptPart
	var texts strings.Builder
	for _, part := range parts {
		kept = append(kept, keptPart{part.Name, part.Types, len(part.Text)})
		texts.WriteString(part.Text)
	}
	line, _ := json.Marshal(kept) // strings and numbers can be encoded
	return append(append(line, '\n'), texts.String()...)
}

// decode returns the description of [encode], or nil if the data is something else.
func decode(data []byte) (parts []goapi.Part) {
	line, texts, _ := bytes.Cut(data, []byte("\n"))
	var kept []keptPart
	if json.Unmarshal(line, &kept) != nil {
		return nil
	}
	for _, part := range kept {
		if part.Size < 0 || part.Size > len(texts) {
			return nil
		}
		parts = append(parts, goapi.Part{Name: part.Name, Types: part.Types, Text: string(texts[:part.Size])})
		texts = texts[part.Size:]
	}
	return parts
}

// read implements [dependencies.Document.Read].
func (d *apiDocument) read() ([]byte, error) {
	parts, err := d.source.render()
	if err != nil {
		return nil, err
	}
	if d.part >= len(parts) {
		return nil, errors.New("has changed")
	}
	text := goapi.Link(parts[d.part].Text, d.target)
	return []byte(text[:min(len(text), dependencies.MaxFile)]), nil
}

// target returns the URL of the document about a package, and in it about a type or function.
func (d *apiDocument) target(importPath, name string) (string, bool) {
	documents := d.source.byImportPath[importPath]
	if len(documents) == 0 {
		return "", false
	}
	to := documents[0]
	for _, other := range documents[1:] {
		if _, ok := slices.BinarySearch(other.types, name); ok {
			to = other
		}
	}
	if to == d {
		return "", true
	}
	url, err := filepath.Rel(filepath.FromSlash(path.Dir(d.place())), filepath.FromSlash(to.place()))
	return filepath.ToSlash(url), err == nil
}

// place returns the path of the document in a [dependencies.Set].
func (d *apiDocument) place() string { return path.Join(d.source.module.Package.Path(), d.path) }
