package npm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
)

// A manifest holds the parts of a package.json that this package uses.
type manifest struct {
	Name, Version string
	Workspaces    []string // patterns
	dependencies  map[string]spec
}

// A spec is the version that a package.json asks for.
type spec struct {
	version  string
	optional bool // it need not be installed
}

// read reads at most limit bytes of a file below base. It returns nil for a file that cannot be read or is larger.
func (f *finder) read(name string, limit int64) []byte {
	real, err := walk.RealHidden(f.Base, name)
	if err != nil {
		return nil
	}
	data, err := dependencies.Read(f.Base, real, limit+1)
	if err != nil || int64(len(data)) > limit {
		return nil
	}
	return bytes.TrimPrefix(data, []byte("\ufeff"))
}

// manifest reads the package.json in a folder below base.
func (f *finder) manifest(dir string) (manifest, bool) {
	data := f.read(path.Join(dir, "package.json"), dependencies.MaxFile)
	return parseManifest(data), data != nil
}

// parseManifest reads a package.json. Fields of a wrong type are left out.
func parseManifest(data []byte) (m manifest) {
	var file struct {
		Name, Version                                                         string
		Workspaces                                                            json.RawMessage
		PeerDependencies, OptionalDependencies, DevDependencies, Dependencies map[string]string
	}
	_ = json.Unmarshal(data, &file)
	m.Name, m.Version = file.Name, file.Version
	if json.Unmarshal(file.Workspaces, &m.Workspaces) != nil {
		var nested struct{ Packages []string }
		_ = json.Unmarshal(file.Workspaces, &nested)
		m.Workspaces = nested.Packages
	}
	m.dependencies = make(map[string]spec)
	for i, versions := range []map[string]string{file.PeerDependencies, file.OptionalDependencies, file.DevDependencies, file.Dependencies} {
		for name, version := range versions {
			m.dependencies[name] = spec{version, i < 2}
		}
	}
	return m
}

// findMembers finds the packages of the workspace.
func (f *finder) findMembers() {
	f.members, f.names = make(map[string]bool), make(map[string]bool)
	m, _ := f.manifest(f.root)
	patterns := m.Workspaces
	scan(string(f.read(path.Join(f.root, "pnpm-workspace.yaml"), dependencies.MaxFile)), func(keys []string, value string) {
		if len(keys) == 2 && keys[0] == "packages" && keys[1] == "-" {
			patterns = append(patterns, value)
		}
	})
	var wanted, unwanted []*glob.Glob
	for _, pattern := range patterns {
		list := &wanted
		if rest, ok := strings.CutPrefix(pattern, "!"); ok {
			pattern, list = rest, &unwanted
		}
		if g, err := glob.Parse(strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/")); err == nil {
			*list = append(*list, g)
		}
	}
	if len(wanted) > 0 {
		f.member(".", wanted, unwanted, 0)
	}
	for _, from := range f.importers {
		f.names[from.Name] = true
	}
}

// member looks for packages of the workspace in a folder below its root.
func (f *finder) member(dir string, wanted, unwanted []*glob.Glob, depth int) {
	const maxDepth = 6
	if depth == maxDepth || len(f.members) >= maxMembers || f.ctx.Err() != nil {
		return
	}
	entries, err := f.Base.ReadDir(path.Join(f.root, dir))
	if err != nil {
		return
	}
	for _, e := range entries {
		below := path.Join(dir, e.Name())
		matches := func(g *glob.Glob) bool { return g.Match(below) }
		if !e.IsDir() || walk.Hidden(e.Name()) || slices.ContainsFunc(unwanted, matches) {
			continue
		}
		if slices.ContainsFunc(wanted, matches) {
			if m, ok := f.manifest(path.Join(f.root, below)); ok && len(f.members) < maxMembers {
				f.members[path.Join(f.root, below)] = true
				f.names[m.Name] = true
			}
		}
		if slices.ContainsFunc(wanted, func(g *glob.Glob) bool { return g.MayMatchBelow(below) }) {
			f.member(below, wanted, unwanted, depth+1)
		}
	}
}

// target returns the folder of a package that a path in a node_modules folder leads to, or "". found says that there is something, even if it is not
// served; the error says why.
func (f *finder) target(place string) (real string, found bool, err error) {
	if !f.Exists(place) {
		return "", false, nil
	}
	if real, err = walk.RealHidden(f.Base, place); err != nil {
		return "", true, fmt.Errorf("it %w", err)
	}
	if !slices.Contains(strings.Split(real, "/"), "node_modules") {
		if !f.members[real] {
			err = errors.New("it is a link to a folder of the project")
		}
		return "", true, err
	}
	if info, err := f.Base.Stat(real); err != nil || !info.IsDir() {
		real = ""
	}
	return real, true, nil
}

// open looks at a place in a node_modules folder where a package may be. found says that there is something, even if it is
// not served.
func (f *finder) open(place, name string) (p *dependencies.Package, found bool) {
	real, found, err := f.target(place)
	if err != nil {
		f.Notice(place, "is left out: %v", err)
	}
	if p := f.byPlace[real]; real == "" || p != nil {
		return p, found
	}
	data, err := dependencies.ReadFile(f.Base, real, "package.json", dependencies.MaxFile)
	if err != nil {
		return nil, false // npm leaves empty folders behind
	}
	m := parseManifest(data)
	if !dependencies.ValidVersion(m.Version) {
		f.Notice(place, "is left out: its package.json has no valid version")
		return nil, true
	}
	p = &dependencies.Package{Ecosystem: ecosystem, Name: name, Version: m.Version}
	f.byPlace[real] = p
	// READMEs of @types only say where their source is
	if !strings.HasPrefix(name, "@types/") {
		if p.Documents, p.LeftOut, err = dependencies.Files(f.Base, real, false); err != nil {
			f.Notice(place, "is left out: it cannot be read")
		}
		p.Describe = f.describe(p, real)
	}
	for _, link := range p.LeftOut {
		f.Notice(path.Join(place, link), "is left out: it is a link")
	}
	f.packages = append(f.packages, p)
	return p, true
}

// indirect adds all packages in the folders node_modules of the project.
func (f *finder) indirect() {
	seen := make(map[string]bool)
	var visit func(modules string, depth int)
	visit = func(modules string, depth int) {
		const maxDepth = 16
		if seen[modules] || depth == maxDepth {
			return
		}
		seen[modules] = true
		for _, name := range f.packagesIn(modules) {
			if f.ctx.Err() != nil || len(f.packages) >= maxPackages {
				return
			}
			if dependencies.ValidName(name) {
				f.open(path.Join(modules, name), name)
				visit(path.Join(modules, name, "node_modules"), depth+1)
			}
		}
	}
	visit(path.Join(f.root, "node_modules"), 0)
	for _, from := range f.importers {
		visit(path.Join(from.dir, "node_modules"), 0)
	}
	store := path.Join(f.root, "node_modules", ".pnpm")
	entries, _ := f.Base.ReadDir(store)
	for _, e := range entries {
		if e.IsDir() {
			visit(path.Join(store, e.Name(), "node_modules"), 0)
		}
	}
}

// packagesIn returns the names of the packages in a node_modules folder that are not links.
func (f *finder) packagesIn(modules string) (names []string) {
	entries, err := f.Base.ReadDir(modules)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		switch {
		case !e.IsDir() || walk.Hidden(e.Name()):
		case e.Name()[0] == '@':
			scoped, _ := f.Base.ReadDir(path.Join(modules, e.Name()))
			for _, s := range scoped {
				if s.Type()&fs.ModeSymlink == 0 && s.IsDir() {
					names = append(names, e.Name()+"/"+s.Name())
				}
			}
		default:
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names
}
