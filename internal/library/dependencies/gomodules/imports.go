package gomodules

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/gitignore"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
)

// Bounds of the source files of the main modules.
const (
	maxFolders = 50_000
	maxFiles   = 100_000
	maxDepth   = 64 // folders between a file and its module
	// bytes of a file that are read first; import declarations are at the start
	headSize  = 32 << 10
	maxSource = 1 << 20 // bytes of a file whose import declarations are not in its head
)

// leftOut reports whether a folder of this name has no packages of its module.
func leftOut(name string) bool {
	return name == "testdata" || name == "vendor" || name == "node_modules" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

// walk calls visit with dir, each folder in it and their entries, except what git ignores. visit returns false
// for a folder below which it does not want to look.
func (f *finder) walk(dir string, ignored *gitignore.Tree, visit func(dir string, entries []fs.DirEntry) bool) error {
	folders := []string{dir}
	for looked := 0; len(folders) > 0 && looked < maxFolders; looked++ {
		if err := f.ctx.Err(); err != nil {
			return err
		}
		current := folders[len(folders)-1]
		folders = folders[:len(folders)-1]
		entries, err := f.Base.ReadDir(current)
		if err != nil {
			continue
		}
		if !visit(current, entries) || strings.Count(current, "/") > maxDepth {
			continue
		}
		for _, e := range entries {
			if name := path.Join(current, e.Name()); e.IsDir() && !leftOut(e.Name()) && !ignored.Has(name, true) {
				folders = append(folders, name)
			}
		}
	}
	return nil
}

func isModFile(e fs.DirEntry) bool { return e.Name() == "go.mod" && e.Type().IsRegular() }

// below returns the folders below base that have a go.mod, in order.
func (f *finder) below() (dirs []string) {
	_ = f.walk(".", gitignore.New(f.Base), func(dir string, entries []fs.DirEntry) bool {
		if slices.ContainsFunc(entries, isModFile) && len(dirs) < maxMains {
			dirs = append(dirs, dir)
		}
		return true
	})
	slices.Sort(dirs)
	return dirs
}

// scan reads the import declarations of a build: the packages of other modules that the main modules import. The error is the error of the
// context.
func (f *finder) scan(b *build) error {
	ignored := gitignore.New(f.Base)
	var names []string
	for _, m := range b.mains {
		err := f.walk(m.dir, ignored, func(dir string, entries []fs.DirEntry) bool {
			if dir != m.dir && slices.ContainsFunc(entries, isModFile) {
				return false
			}
			for _, e := range entries {
				name := path.Join(dir, e.Name())
				if strings.HasSuffix(name, ".go") && e.Type().IsRegular() && len(names) < maxFiles && !ignored.Has(name, false) {
					names = append(names, name)
				}
			}
			return true
		})
		if err != nil {
			return err
		}
	}
	var mu sync.Mutex // guards imported
	imported := make(map[string]bool)
	group, ctx := errgroup.WithContext(f.ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, name := range names {
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			paths := f.importsOf(name)
			mu.Lock()
			defer mu.Unlock()
			for _, importPath := range paths {
				imported[importPath] = true
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for importPath := range imported {
		b.use(importPath)
	}
	for _, m := range b.mains {
		for _, tool := range m.file.Tool {
			b.use(tool.Path)
		}
	}
	return nil
}

// use records that the project imports a package, if the package is in another module.
func (b *build) use(importPath string) {
	if m := b.modules[b.owner(importPath)]; m != nil {
		m.imported[importPath] = true
	}
}

// owner returns the module that a package belongs to, which is the longest one, or "".
func (b *build) owner(importPath string) string {
	for p := importPath; p != "." && p != "/" && p != ""; p = path.Dir(p) {
		if b.modules[p] != nil || b.isMain(p) {
			return p
		}
	}
	return ""
}

// importsOf returns what a file imports, as far as it can be understood.
func (f *finder) importsOf(name string) (paths []string) {
	for _, most := range []int64{headSize, maxSource} {
		data, err := dependencies.Read(f.Base, name, most)
		if err != nil {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, data, parser.ImportsOnly|parser.SkipObjectResolution)
		if file == nil || err != nil && int64(len(data)) == most && most < maxSource {
			continue
		}
		for _, spec := range file.Imports {
			if p, err := strconv.Unquote(spec.Path.Value); err == nil {
				paths = append(paths, p)
			}
		}
		return paths
	}
	return nil
}
