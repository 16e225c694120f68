// Package gomodules finds the Go modules that a project depends on, in the module cache or in vendor.
//
//  1. The nearest go.work at or above the project folder lists the main modules; without one, the nearest go.mod is the
//     main module. Without either, every go.mod in the project folder is a main module of its own. Above the project folder, it looks up to the git
//     root, and only if an operator allows it. Folders named testdata or vendor, and what git ignores, are left out.
//  2. A module has the version that go.mod requires; in a workspace, the highest one. The go command keeps all versions in
//     go.mod since Go 1.17, so nothing has to be computed. go.sum has no other versions, and is not read.
//  3. If there is vendor/modules.txt, the modules are read from vendor, as the go command does, and have the versions in
//     that file. Otherwise they are read from the module cache that the environment of the user names: GOMODCACHE,
//     GOPATH, or the file of "go env -w". Nothing in the project can name another folder.
//  4. A module that go.mod replaces by another one has the name and version of the other. A module that it replaces by a
//     folder is left out.
//  5. A module is direct if go.mod does not say "indirect", or if the project imports a package of it. The import
//     declarations of all Go files of the main modules count, including tests and files for other systems, because the
//     developers of the project use these packages.
//  6. A module has the documents that [dependencies.Files] finds, and one for each package, which [goapi] writes:
//     x/mod/semver is semver.md in x/mod. The packages that the project imports or names as a tool come first, and then
//     at most [maxOthers] others that it can import. The text is kept in the cache, because a version of a module never changes.
//
// The standard library is not a module, and models know it well, so its documents are not served.
package gomodules

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
)

// ecosystem is the name of the ecosystem in paths.
const ecosystem = "go"

const (
	download = "go mod download"
	vendor   = "go mod vendor"
)

// Find implements [dependencies.Finder].
func Find(ctx context.Context, o dependencies.Options) (*dependencies.Found, error) {
	f := &finder{Place: dependencies.NewPlace(o), ctx: ctx, env: environment(), packages: make(map[string]*found)}
	f.open()
	for _, b := range f.builds() {
		if err := f.scan(b); err != nil {
			f.close()
			return nil, err
		}
		f.resolve(b)
	}
	packages, err := f.list()
	if err != nil {
		f.close()
		return nil, err
	}
	return &dependencies.Found{Packages: packages, Notices: f.Notices, Stamp: f.stamp, Close: f.close}, nil
}

// A finder finds the modules of one project.
type finder struct {
	// its Base is the folder of go.work or go.mod, or the project folder
	*dependencies.Place
	ctx context.Context
	env env
	// the module cache; nil: there is none, or it is not allowed to be read
	cache *rootfs.FS

	packages map[string]*found // by name and version
	apis     []*apiSource
	watched  []string // files whose changes matter
	awaited  []string // folders of the module cache that do not exist
}

// A found is a module that was found.
type found struct {
	*dependencies.Package
	base *rootfs.FS // has the folder of the module
	dir  string     // the folder of the module
	// the module in import paths, which differs from the name if it is replaced
	path     string
	vendored bool            // the folder may change
	imported map[string]bool // packages
}

// open opens what is outside of the project folder, if that is allowed.
func (f *finder) open() {
	if !f.Outside {
		return
	}
	f.above()
	if dir := f.env.moduleCache(); dir != "" {
		f.cache, _ = rootfs.Open(dir) // it may not exist
	}
}

func (f *finder) close() {
	f.Close()
	if f.cache != nil {
		f.cache.Close()
	}
}

// resolve finds the modules of a build.
func (f *finder) resolve(b *build) {
	vendored := f.vendored(b)
	for _, name := range slices.Sorted(maps.Keys(b.modules)) {
		m := b.modules[name]
		p := &dependencies.Package{Ecosystem: ecosystem, Name: name, Version: m.version, Direct: m.direct || len(m.imported) > 0}
		if !dependencies.ValidName(name) || !dependencies.ValidVersion(m.version) {
			continue
		}
		if r, ok := b.replaced(name, m.version); ok {
			if r.Version == "" {
				p.Missing = "is replaced by a folder, which is not served"
				f.add(&found{Package: p, imported: m.imported})
				continue
			}
			p.Missing = "is replaced by " + r.Path + " " + r.Version
			f.add(&found{Package: p, imported: m.imported})
			p = &dependencies.Package{
				Ecosystem: ecosystem, Name: r.Path, Version: r.Version, Direct: p.Direct,
				Locked: fmt.Sprintf("%s %s in go.mod, which replaces it by this module", name, m.version),
			}
		}
		candidate := &found{Package: p, path: name, imported: m.imported}
		switch {
		case !p.Direct && !f.All:
			p.Missing = dependencies.Indirect
		case vendored != nil:
			f.fromVendor(b, candidate, vendored)
		default:
			f.fromCache(candidate)
		}
		f.add(candidate)
	}
}

// add adds a module, or the packages that are imported of it if another build has it too.
func (f *finder) add(m *found) {
	key := m.Name + "@" + m.Version
	if other := f.packages[key]; other != nil {
		if other.Missing == "" || m.Missing != "" {
			m, other = other, m
		}
		m.Direct = m.Direct || other.Direct
		for importPath := range other.imported {
			m.imported[importPath] = true
		}
	}
	f.packages[key] = m
}

// fromVendor finds a module in the vendor folder of a build.
func (f *finder) fromVendor(b *build, m *found, vendored map[string]module.Version) {
	v, ok := vendored[m.path]
	if !ok {
		m.Missing, m.Hint = "has no package in vendor", vendor
		return
	}
	m.base, m.dir, m.vendored = f.Base, path.Join(b.dir, "vendor", m.path), true
	if v.Version != m.Version && dependencies.ValidVersion(v.Version) {
		m.Locked, m.Version, m.Hint = m.Version+" in go.mod", v.Version, vendor
	}
	if info, err := f.Base.Lstat(m.dir); err != nil || !info.IsDir() {
		m.Missing, m.Hint = "is not in vendor", vendor
	}
}

// fromCache finds a module in the module cache.
func (f *finder) fromCache(m *found) {
	// "" for what no module can have
	name, _ := module.EscapePath(m.Name)
	version, _ := module.EscapeVersion(m.Version)
	if !f.Outside {
		m.Missing = "is outside of the project folder, so only the option --deps of the command line serves it"
		return
	}
	m.base, m.dir = f.cache, name+"@"+version
	if f.cache == nil {
		m.Missing, m.Hint = "is not in the module cache", download
	} else if info, err := f.cache.Lstat(m.dir); err != nil || !info.IsDir() {
		m.Missing, m.Hint = "is not in the module cache", download
		f.awaited = append(f.awaited, m.dir)
	}
}

// list returns all packages with their documents. The error is the error of the context.
func (f *finder) list() (packages []*dependencies.Package, err error) {
	for _, key := range slices.Sorted(maps.Keys(f.packages)) {
		m := f.packages[key]
		packages = append(packages, m.Package)
		if m.Missing != "" {
			continue
		}
		if m.Documents, m.LeftOut, err = dependencies.Files(m.base, m.dir, true); err != nil {
			m.Missing = "cannot be read"
			continue
		}
		if m.Direct {
			f.addAPIs(m)
		}
	}
	return packages, f.describeAPIs()
}

// stamp implements [dependencies.Found.Stamp].
func (f *finder) stamp() string {
	stamp := f.Stamp(f.watched)
	for _, dir := range f.awaited[:min(len(f.awaited), 100)] {
		if _, err := f.cache.Lstat(dir); err == nil {
			stamp += dir + "\n"
		}
	}
	return stamp
}

// env is the environment of the go command: the variables of the process, and the file that "go env -w" writes.
type env map[string]string

// maxEnv bounds the bytes of the file of "go env -w".
const maxEnv = 64 << 10

// environment reads the environment.
func environment() env {
	e := make(env)
	name := os.Getenv("GOENV")
	if name == "" {
		if dir, err := os.UserConfigDir(); err == nil {
			name = filepath.Join(dir, "go", "env")
		}
	}
	if name == "" || name == "off" {
		return e
	}
	files, err := rootfs.Open(filepath.Dir(name))
	if err != nil {
		return e
	}
	defer files.Close()
	data, _ := dependencies.Read(files, filepath.Base(name), maxEnv)
	for line := range bytes.Lines(data) {
		if key, value, ok := strings.Cut(strings.TrimRight(string(line), "\r\n"), "="); ok {
			e[key] = value
		}
	}
	return e
}

// get returns a variable.
func (e env) get(key string) string { return cmp.Or(os.Getenv(key), e[key]) }

// moduleCache returns the folder of the module cache, or "" if the environment names none.
func (e env) moduleCache() string {
	dir := e.get("GOMODCACHE")
	if dir == "" {
		home, _ := os.UserHomeDir()
		gopath := cmp.Or(e.get("GOPATH"), filepath.Join(home, "go"))
		dir = filepath.Join(filepath.SplitList(gopath)[0], "pkg", "mod")
	}
	if !filepath.IsAbs(dir) { // the go command refuses it too
		return ""
	}
	return dir
}
