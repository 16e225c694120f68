// Package npm finds the npm packages that a project depends on, as npm, pnpm, Yarn or Bun installed them.
//
//  1. The importers are the nearest folder at or above the project folder that has a package.json, the root of its
//     workspace, and, if that is the same folder, all packages of the workspace. Above the project folder, it looks up to
//     the git root, or else to the root of a workspace, and only if an operator allows it.
//  2. What a package.json names is a direct dependency. It is looked for in node_modules as Node does, from the importer
//     upwards. Its version is the one in its own package.json.
//  3. The lock file says which version should be there. It never says which one is.
//  4. A link in node_modules is followed if it leads to another folder in a node_modules, as the links of pnpm do. A link
//     to a folder of the project is a package of the workspace, or a local replacement. All other links are left out.
//  5. The API of a package is described by package dtsapi. The cache keeps the description with a digest of everything that was read for it, so projects
//     share a description only if they have the same files.
//
// Packages that Yarn Plug'n'Play keeps in archives are not understood.
package npm

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// ecosystem is the name of the ecosystem in paths.
const ecosystem = "npm"

// Bounds of a project.
const (
	maxAbove    = 16     // folders above the project folder
	maxMembers  = 1000   // packages of a workspace
	maxPackages = 20_000 // packages of a project
	maxNotices  = 50
)

// Find implements [dependencies.Finder].
func Find(ctx context.Context, o dependencies.Options) (*dependencies.Found, error) {
	if o.Cache == nil {
		o.Cache = dependencies.MemoryCache()
	}
	f := &finder{ctx: ctx, options: o, all: o.All, byPlace: make(map[string]*dependencies.Package)}
	opened := f.locate(o)
	closing := func() {
		if opened != nil {
			opened.Close()
		}
	}
	if len(f.importers) == 0 {
		f.importers = []importer{{dir: f.here}} // there may be one later
	}
	f.lock = f.readLock()
	for _, importer := range f.importers {
		f.direct(importer)
	}
	if f.all {
		f.indirect()
	}
	f.unserved()
	if err := ctx.Err(); err != nil {
		closing()
		return nil, err
	}
	if len(f.packages) == 0 && (f.exists(f.root, ".pnp.cjs") || f.exists(f.root, ".pnp.js")) {
		f.notice(f.root, "Yarn Plug'n'Play is not understood, so no npm packages are served: set nodeLinker: node-modules")
	}
	return &dependencies.Found{Packages: f.packages, Notices: f.notices, Stamp: f.stamp, Close: closing}, nil
}

// A finder finds the packages of one project.
type finder struct {
	ctx       context.Context
	options   dependencies.Options
	all       bool
	base      *rootfs.FS // the highest folder that is read
	here      string     // the project folder, below base
	root      string     // the folder with the lock file, below base
	importers []importer
	members   map[string]bool // folders of the packages of the workspace
	names     map[string]bool // names of these packages
	lock      *lock           // nil: there is none

	packages []*dependencies.Package
	byPlace  map[string]*dependencies.Package // installed, by folder
	notices  []loader.Notice
}

// An importer is a package of the project itself.
type importer struct {
	dir string // below base
	manifest
}

// notice reports something about a file below base.
func (f *finder) notice(name, format string, args ...any) {
	if below, err := filepath.Rel(filepath.FromSlash(f.here), filepath.FromSlash(name)); err == nil {
		name = filepath.ToSlash(below)
	}
	n := loader.Notice{Path: name, Reason: fmt.Sprintf(format, args...)}
	if len(f.notices) < maxNotices && !slices.Contains(f.notices, n) {
		f.notices = append(f.notices, n)
	}
}

func (f *finder) exists(dir, name string) bool {
	_, err := f.base.Lstat(path.Join(dir, name))
	return err == nil
}

// locate finds the importers. It returns the folder that it opened, or nil.
func (f *finder) locate(o dependencies.Options) (opened *rootfs.FS) {
	if o.Outside {
		opened, f.here = f.above(o)
	}
	if f.base = opened; opened == nil {
		f.base, f.here = o.Files, "."
	}
	nearest := ""
	for dir := f.here; ; dir = path.Dir(dir) {
		if nearest == "" {
			if m, ok := f.manifest(dir); ok {
				nearest = dir
				f.importers = append(f.importers, importer{dir, m})
			}
		}
		if nearest != "" && f.isRoot(dir) {
			f.root = dir
			break
		}
		if dir == "." {
			f.root = cmp.Or(nearest, ".")
			break
		}
	}
	if nearest == "" {
		return opened
	}
	f.findMembers()
	if f.root != nearest {
		if m, ok := f.manifest(f.root); ok {
			f.importers = append(f.importers, importer{f.root, m})
		}
		return opened
	}
	for _, dir := range slices.Sorted(maps.Keys(f.members)) {
		if m, ok := f.manifest(dir); ok && dir != nearest {
			f.importers = append(f.importers, importer{dir, m})
		}
	}
	return opened
}

// isRoot reports whether a folder is the root of a workspace, or has a lock file.
func (f *finder) isRoot(dir string) bool {
	if f.exists(dir, "pnpm-workspace.yaml") || slices.ContainsFunc(lockFiles, func(l lockFile) bool { return f.exists(dir, l.name) }) {
		return true
	}
	m, ok := f.manifest(dir)
	return ok && len(m.Workspaces) > 0
}

// above opens the git root above the project folder, or else the root of a workspace, and returns the path of the project
// folder below it. It returns nil if there is neither.
func (f *finder) above(o dependencies.Options) (found *rootfs.FS, below string) {
	if _, err := o.Files.Lstat(".git"); err == nil {
		return nil, ""
	}
	here, dir := "", o.Dir
	for range maxAbove {
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		here, dir = path.Join(filepath.Base(dir), here), up
		folder, err := rootfs.Open(dir)
		if err != nil {
			break
		}
		f.base = folder
		_, err = folder.Lstat(".git")
		isGit := err == nil
		if isGit || f.isWorkspace() {
			if found != nil {
				found.Close()
			}
			found, below = folder, here
		} else {
			folder.Close()
		}
		if isGit {
			break
		}
	}
	return found, below
}

// isWorkspace reports whether base is the root of a workspace.
func (f *finder) isWorkspace() bool {
	m, ok := f.manifest(".")
	return ok && len(m.Workspaces) > 0 || f.exists(".", "pnpm-workspace.yaml")
}

// direct adds the dependencies that an importer names.
func (f *finder) direct(from importer) {
	for _, name := range slices.Sorted(maps.Keys(from.dependencies)) {
		spec := from.dependencies[name]
		if f.ctx.Err() != nil || len(f.packages) == maxPackages {
			return
		}
		if !dependencies.ValidName(name) || f.names[name] && name != from.Name {
			continue // a package of the workspace is the project's own
		}
		if local, _, ok := strings.Cut(spec.version, ":"); ok && (local == "file" || local == "link" || local == "portal" || local == "workspace") {
			f.add(&dependencies.Package{Name: name, Direct: true, Missing: "is a local replacement: its files are the project's own"})
			continue
		}
		locked := f.lock.version(name)
		p, found := f.installed(from.dir, name)
		switch {
		case p != nil:
			p.Direct = true
			if locked != "" && locked != p.Version && p.Locked == "" {
				p.Locked, p.Hint = locked+" in "+f.lock.file.name, f.lock.file.hint
			}
		case found: // a link that was reported, or a package of the workspace
		case spec.optional && locked == "":
		case locked != "" && dependencies.ValidVersion(locked):
			f.add(&dependencies.Package{Name: name, Version: locked, Direct: true, Missing: "is not installed", Hint: f.lock.file.hint})
		default:
			f.add(&dependencies.Package{Name: name, Direct: true, Missing: "is not installed", Hint: f.lock.installs()})
		}
	}
}

// add adds a package without a folder, once.
func (f *finder) add(p *dependencies.Package) {
	p.Ecosystem = ecosystem
	for _, other := range f.packages {
		if other.Name == p.Name && other.Version == p.Version {
			return
		}
	}
	f.packages = append(f.packages, p)
}

// installed finds a package as Node does. found says that there is something of this name, even if it is not served.
func (f *finder) installed(from, name string) (p *dependencies.Package, found bool) {
	for place := range places(from, name) {
		if p, found = f.open(place, name); found {
			break
		}
	}
	return p, found
}

// places yields the paths at which Node looks for a package that a file in a folder imports.
func places(from, name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for dir := from; fs.ValidPath(name); dir = path.Dir(dir) {
			if path.Base(dir) != "node_modules" && !yield(path.Join(dir, "node_modules", name)) || dir == "." {
				return
			}
		}
	}
}

// unserved adds the packages that the lock file names but that were not found, so that answers can say why they have no
// documents.
func (f *finder) unserved() {
	if f.lock == nil {
		return
	}
	known := make(map[string]bool)
	for _, p := range f.packages {
		known[p.Name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(f.lock.versions)) {
		if known[name] || f.names[name] || !dependencies.ValidName(name) || len(f.packages) >= maxPackages {
			continue
		}
		p := &dependencies.Package{Ecosystem: ecosystem, Name: name, Version: f.lock.versions[name]}
		if p.Missing = "is an indirect dependency, whose documents are served with --deps=all"; f.all {
			p.Missing, p.Hint = "is not installed", f.lock.file.hint
		}
		f.packages = append(f.packages, p)
	}
}

// stamp implements [dependencies.Found.Stamp].
func (f *finder) stamp() string {
	var b strings.Builder
	look := func(name string) {
		if info, err := f.base.Stat(name); err == nil {
			fmt.Fprintf(&b, "%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		}
	}
	for _, l := range lockFiles {
		look(path.Join(f.root, l.name))
	}
	look(path.Join(f.root, "pnpm-workspace.yaml"))
	for i, from := range f.importers {
		if look(path.Join(from.dir, "package.json")); i > 100 {
			continue
		}
		for _, name := range []string{"", ".package-lock.json", ".modules.yaml", ".yarn-state.yml", ".yarn-integrity"} { // written at the end of an installation
			look(path.Join(from.dir, "node_modules", name))
		}
	}
	return b.String()
}
