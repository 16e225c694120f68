package gomodules

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/goapi"
)

const (
	cacheFormat = "goapi 1" // changes when the texts of goapi do
	// maxLazy is the number of bytes of source above which a package is described at once, because its documents are
	// only known then. A description is rarely longer than twice the source.
	maxLazy = dependencies.MaxFile / 2
	// maxKept bounds the bytes of texts that are kept in memory if there is no cache.
	maxKept = 16 << 20
	// maxTime is the time after which the description of a package is given up. The slowest of 500 packages took a second.
	maxTime = 30 * time.Second
)

// apis are the documents about packages of all modules of a project.
type apis struct {
	finder       *finder
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
	stamp      string       // of the files, if they may change
	parts      []goapi.Part // nil: they are in the cache, or not described yet
}

// An apiDocument is a part of the description of a package.
type apiDocument struct {
	source *apiSource
	part   int
	path   string // below [dependencies.Folder]
	types  []string
}

// add adds documents for the packages of a module that the project imports.
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
	var modTime time.Time
	if info, err := m.base.Lstat(m.dir); err == nil {
		modTime = info.ModTime()
	}
	for _, importPath := range slices.Sorted(maps.Keys(m.imported)) {
		s := &apiSource{apis: a, module: m, importPath: importPath, dir: "."}
		if below := strings.TrimPrefix(strings.TrimPrefix(importPath, m.path), "/"); below != "" {
			s.dir = below
		}
		size := s.measure(root)
		if size == 0 {
			continue
		}
		name := goapi.LastPart(importPath)
		if s.dir != "." {
			name = s.dir
		}
		if taken[strings.ToLower(name)+".md"] { // a file, or the package in the module's folder
			name += ".api"
		}
		taken[strings.ToLower(name)+".md"] = true
		parts := []goapi.Part{{}}
		if size > maxLazy {
			var err error
			if parts, err = s.render(); err != nil {
				continue
			}
		}
		for i, part := range parts {
			d := &apiDocument{source: s, part: i, path: name + ".md", types: part.Types}
			if part.Name != "" {
				d.path = name + "/types-" + part.Name + ".md"
			}
			if len(parts) > 1 {
				size = int64(len(part.Text))
			}
			m.Documents = append(m.Documents, dependencies.Document{Path: d.path, Size: min(size, dependencies.MaxFile), ModTime: modTime, Read: d.read})
			d.path = path.Join(m.Package.Path(), d.path)
			a.byImportPath[importPath] = append(a.byImportPath[importPath], d)
		}
	}
}

// measure returns the number of bytes of the source files of the package without tests, and sets the stamp.
func (s *apiSource) measure(root *rootfs.FS) (size int64) {
	if !fs.ValidPath(s.dir) {
		return 0
	}
	entries, err := root.ReadDir(s.dir)
	if err != nil {
		return 0
	}
	hash := fnv.New128a()
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue
		}
		if !strings.HasSuffix(e.Name(), "_test.go") {
			size += info.Size()
		}
		if s.module.vendored {
			fmt.Fprintf(hash, "%s\n%d %d\n", e.Name(), info.Size(), info.ModTime().UnixNano())
		}
	}
	s.stamp = fmt.Sprintf("%x", hash.Sum(nil))
	return size
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
	text := parts[d.part].Text
	if len(d.source.byImportPath[d.source.importPath]) == 1 { // its types were not known when it was found
		for _, part := range parts[1:] {
			text += part.Text
		}
	}
	text = goapi.Link(text, d.target)
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
	url, err := filepath.Rel(filepath.FromSlash(path.Dir(d.path)), filepath.FromSlash(to.path))
	return filepath.ToSlash(url), err == nil
}
