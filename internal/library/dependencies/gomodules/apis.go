package gomodules

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"hash/fnv"
	"io/fs"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
	"golang.org/x/sync/errgroup"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/goapi"
)

// changes when the texts of goapi or their form in the cache do
const cacheFormat = "goapi 6"

// An apiSource is a package that is described.
type apiSource struct {
	*finder
	module     *found
	importPath string
	dir        string // below the folder of the module
	name       string // of its first document, without extension
	stamp      string // of the files, if they may change
	documents  []dependencies.Document
	failed     error // why it cannot be described
	unused     bool  // the project does not import it
}

// maxOthers is the maximum number of packages of a module that are described without being imported, those with the shortest paths.
const maxOthers = 60

// addAPIs adds the packages of a module: first the packages that the project imports, then others that it can import.
func (f *finder) addAPIs(m *found) {
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
		s := &apiSource{finder: f, module: m, importPath: importPath, dir: ".", name: goapi.LastPart(importPath), unused: unused}
		if below := strings.TrimPrefix(strings.TrimPrefix(importPath, m.path), "/"); below != "" {
			s.dir, s.name = below, below
		}
		if !s.look(root) {
			return false
		}
		if taken[strings.ToLower(s.name)+".md"] {
			s.name += ".api"
		}
		taken[strings.ToLower(s.name)+".md"] = true
		f.apis = append(f.apis, s)
		return true
	}
	for _, importPath := range slices.Sorted(maps.Keys(m.imported)) {
		add(importPath, false)
	}
	others := 0
	for _, dir := range f.packageFolders(root) {
		importPath := path.Join(m.path, dir)
		if others < maxOthers && !m.imported[importPath] && add(importPath, true) {
			others++
		}
	}
}

// packageFolders returns the folders of a module that may have packages for others, those with the shortest paths first. Of
// folders named by versions, it returns the newest.
func (f *finder) packageFolders(root *rootfs.FS) []string {
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

// describeAPIs describes the packages, on all processors, and adds the documents to their modules. The error is the error of the context.
func (f *finder) describeAPIs() error {
	group, ctx := errgroup.WithContext(f.ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, s := range f.apis {
		group.Go(func() error {
			s.describe(ctx)
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, s := range f.apis {
		if s.failed != nil && !errors.Is(s.failed, goapi.ErrNone) {
			f.Notice("go.mod", "requires %s, whose package %s has no document: %s", s.module.Name, s.importPath, fserr.Reason(s.failed))
		}
		for _, d := range s.documents {
			d.Unused = s.unused
			s.module.Documents = append(s.module.Documents, d)
		}
	}
	return nil
}

// look reports whether the folder of the package has source files that are not tests, and sets the stamp.
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
	data, err := dependencies.Read(root, name, headSize)
	if err != nil {
		return true
	}
	file, _ := parser.ParseFile(token.NewFileSet(), name, data, parser.PackageClauseOnly)
	return file == nil || file.Name.Name == "main" || file.Name.Name == "documentation"
}

// describe makes the documents about the package, or takes them from the cache.
func (s *apiSource) describe(ctx context.Context) {
	// the platform that the user builds for
	goos, goarch := cmp.Or(s.env.get("GOOS"), runtime.GOOS), cmp.Or(s.env.get("GOARCH"), runtime.GOARCH)
	pages := &dependencies.Pages{
		Cache: s.Cache,
		Time:  func() (fs.FileInfo, error) { return s.module.base.Lstat(s.module.dir) },
		Key:   strings.Join([]string{cacheFormat, s.module.Name, s.module.Version, s.importPath, goos, goarch, s.stamp, s.name}, "\n"),
		Make: func(ctx context.Context) (pages []dependencies.Page, from []byte, err error) {
			root, err := s.module.base.OpenFolder(s.module.dir, false)
			if err != nil {
				return nil, nil, err
			}
			defer root.Close()
			pages, err = goapi.Render(ctx, goapi.Source{FS: root, Dir: s.dir, ImportPath: s.importPath, GOOS: goos, GOARCH: goarch, Page: s.name})
			return pages, nil, err
		},
	}
	s.documents, s.failed = pages.Documents(ctx, false)
}
