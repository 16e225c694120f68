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
	"io/fs"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
)

// ecosystem is the name of the ecosystem in paths.
const ecosystem = "npm"

// Bounds of a project.
const (
	maxMembers  = 1000   // packages of a workspace
	maxPackages = 20_000 // packages of a project
)

// Find implements [dependencies.Finder].
func Find(ctx context.Context, o dependencies.Options) (*dependencies.Found, error) {
	f := &finder{Place: dependencies.NewPlace(o), ctx: ctx, byPlace: make(map[string]*dependencies.Package)}
	f.locate()
	if len(f.importers) == 0 {
		f.importers = []importer{{dir: f.Here}} // there may be one later
	}
	f.lock = f.readLock()
	for _, importer := range f.importers {
		f.direct(importer)
	}
	if f.All {
		f.indirect()
	}
	f.unserved()
	if err := ctx.Err(); err != nil {
		f.Close()
		return nil, err
	}
	if len(f.packages) == 0 && f.Exists(path.Join(f.root, ".pnp.cjs")) {
		f.Notice(f.root, "Yarn Plug'n'Play is not understood, so no npm packages are served: set nodeLinker: node-modules")
	}
	return &dependencies.Found{Packages: f.packages, Notices: f.Notices, Stamp: f.stamp, Close: f.Close}, nil
}

// A finder finds the packages of one project.
type finder struct {
	*dependencies.Place // all paths are below its Base, the highest folder that is read
	ctx                 context.Context

	root      string // the folder with the lock file
	importers []importer
	members   map[string]bool // folders of the packages of the workspace
	names     map[string]bool // names of these packages
	lock      *lock

	packages []*dependencies.Package
	byPlace  map[string]*dependencies.Package // installed, by folder
}

// An importer is a package of the project itself.
type importer struct {
	dir string
	manifest
}

// locate finds the importers.
func (f *finder) locate() {
	if f.Outside {
		f.Climb(func() (take, stop bool) {
			isGit := f.Exists(".git")
			return isGit || f.isWorkspace("."), isGit
		})
	}
	nearest := ""
	for dir := f.Here; ; dir = path.Dir(dir) {
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
		return
	}
	f.findMembers()
	others := []string{f.root}
	if f.root == nearest {
		others = slices.Sorted(maps.Keys(f.members))
	}
	for _, dir := range others {
		if m, ok := f.manifest(dir); ok && dir != nearest {
			f.importers = append(f.importers, importer{dir, m})
		}
	}
}

// isRoot reports whether a folder is the root of a workspace, or has a lock file.
func (f *finder) isRoot(dir string) bool {
	return slices.ContainsFunc(lockFiles, func(l lockFile) bool { return f.Exists(path.Join(dir, l.name)) }) || f.isWorkspace(dir)
}

// isWorkspace reports whether a folder is the root of a workspace.
func (f *finder) isWorkspace(dir string) bool {
	m, ok := f.manifest(dir)
	return ok && len(m.Workspaces) > 0 || f.Exists(path.Join(dir, "pnpm-workspace.yaml"))
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
		locked := f.lock.versions[name]
		p, found := (*dependencies.Package)(nil), false
		for place := range places(from.dir, name) {
			if p, found = f.open(place, name); found {
				break
			}
		}
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
			f.add(&dependencies.Package{Name: name, Direct: true, Missing: "is not installed", Hint: f.lock.file.install})
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
	known := make(map[string]bool)
	for _, p := range f.packages {
		known[p.Name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(f.lock.versions)) {
		if known[name] || f.names[name] || !dependencies.ValidName(name) || len(f.packages) >= maxPackages {
			continue
		}
		p := &dependencies.Package{Ecosystem: ecosystem, Name: name, Version: f.lock.versions[name]}
		if p.Missing = dependencies.Indirect; f.All {
			p.Missing, p.Hint = "is not installed", f.lock.file.hint
		}
		f.packages = append(f.packages, p)
	}
}

// stamp implements [dependencies.Found.Stamp].
func (f *finder) stamp() string {
	names := []string{path.Join(f.root, "pnpm-workspace.yaml")}
	for _, l := range lockFiles {
		names = append(names, path.Join(f.root, l.name))
	}
	for i, from := range f.importers {
		if names = append(names, path.Join(from.dir, "package.json")); i > 100 {
			continue
		}
		// what is written at the end of an installation
		for _, name := range []string{"", ".package-lock.json", ".modules.yaml", ".yarn-state.yml", ".yarn-integrity"} {
			names = append(names, path.Join(from.dir, "node_modules", name))
		}
	}
	return f.Stamp(names)
}
