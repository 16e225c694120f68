package gomodules

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
)

// Bounds of a project.
const (
	maxMains = 500     // main modules
	maxMod   = 4 << 20 // bytes of go.mod, go.work or vendor/modules.txt
)

// A build is main modules whose versions of other modules are chosen together.
type build struct {
	dir     string // has vendor
	mains   []*mainModule
	modules map[string]*required // by path; without the main modules
	// directives of go.work, then of go.mod; the first that applies counts
	replace []*modfile.Replace
}

// A mainModule is a module of the project.
type mainModule struct {
	dir  string // below base
	path string
	file *modfile.File
}

// required is a module that a build requires.
type required struct {
	version  string
	direct   bool
	imported map[string]bool // packages, once [finder.scan] has found them
}

// above moves f.Base to the folder of go.work or go.mod above the project folder, if there is one.
func (f *finder) above() {
	hasMod := false
	f.Climb(func() (take, stop bool) {
		if f.hasWork() && (!hasMod || f.uses(f.Here)) {
			return true, true
		}
		if !hasMod && f.Exists("go.mod") {
			hasMod, take = true, true
		}
		return take, f.Exists(".git")
	})
}

// hasWork reports whether there is a go.work that counts.
func (f *finder) hasWork() bool { return f.env.get("GOWORK") != "off" && f.Exists("go.work") }

// uses reports whether go.work names the module that a folder is in.
func (f *finder) uses(folder string) bool {
	work, err := f.workFile()
	return err == nil && slices.ContainsFunc(work.Use, func(u *modfile.Use) bool {
		dir := path.Clean(filepath.ToSlash(u.Path))
		return dir == "." || folder == dir || strings.HasPrefix(folder, dir+"/")
	})
}

func (f *finder) workFile() (*modfile.WorkFile, error) {
	data, err := dependencies.Read(f.Base, "go.work", maxMod)
	if err != nil {
		return nil, err
	}
	return modfile.ParseWork("go.work", data, nil)
}

// builds returns the builds of the project.
func (f *finder) builds() (all []*build) {
	if f.hasWork() {
		f.watched = append(f.watched, "go.work")
		work, err := f.workFile()
		if err == nil {
			b := &build{dir: ".", replace: work.Replace}
			for _, use := range work.Use {
				dir := path.Clean(filepath.ToSlash(use.Path))
				if !fs.ValidPath(dir) {
					f.Notice("go.work", "uses %q, which is outside of its folder and is not read", use.Path)
				} else if len(b.mains) < maxMains {
					f.main(b, dir)
				}
			}
			return append(all, b.require())
		}
		f.Notice("go.work", "is not understood: %s", firstLine(err))
	}
	f.watched = append(f.watched, "go.mod")
	dirs := []string{"."}
	if !f.Exists("go.mod") {
		dirs = f.below()
	}
	for _, dir := range dirs {
		b := &build{dir: dir}
		f.main(b, dir)
		all = append(all, b.require())
	}
	return all
}

// main adds the main module in a folder to a build.
func (f *finder) main(b *build, dir string) {
	name := path.Join(dir, "go.mod")
	f.watched = append(f.watched, name)
	data, err := dependencies.Read(f.Base, name, maxMod)
	if err != nil {
		f.Notice(name, "%s", fserr.Reason(err))
		return
	}
	file, err := modfile.Parse(name, data, nil)
	if err != nil { // perhaps it is for a later version of Go
		var lax error
		if file, lax = modfile.ParseLax(name, data, nil); lax != nil {
			f.Notice(name, "is not understood: %s", firstLine(lax))
			return
		}
		f.Notice(name, "is understood in part: %s", firstLine(err))
	}
	m := &mainModule{dir: dir, file: file}
	if file.Module != nil {
		m.path = file.Module.Mod.Path
	}
	b.mains = append(b.mains, m)
	b.replace = append(b.replace, file.Replace...)
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// require sets the modules of a build.
func (b *build) require() *build {
	b.modules = make(map[string]*required)
	for _, m := range b.mains {
		for _, r := range m.file.Require {
			if b.isMain(r.Mod.Path) {
				continue
			}
			known := b.modules[r.Mod.Path]
			if known == nil {
				known = &required{version: r.Mod.Version, imported: make(map[string]bool)}
				b.modules[r.Mod.Path] = known
			}
			if semver.Compare(r.Mod.Version, known.version) > 0 {
				known.version = r.Mod.Version
			}
			known.direct = known.direct || !r.Indirect
		}
	}
	return b
}

func (b *build) isMain(path string) bool {
	return slices.ContainsFunc(b.mains, func(m *mainModule) bool { return m.path == path })
}

// replaced returns the module by which go.work or go.mod replaces a module. If its version is "", it is a folder.
func (b *build) replaced(path, version string) (by module.Version, ok bool) {
	for _, r := range b.replace {
		if r.Old.Path == path && (r.Old.Version == "" || r.Old.Version == version) {
			return r.New, true
		}
	}
	return module.Version{}, false
}

// vendored reads vendor/modules.txt. It returns the modules with packages by their paths in import paths, or nil if the
// file does not exist.
func (f *finder) vendored(b *build) map[string]module.Version {
	name := path.Join(b.dir, "vendor", "modules.txt")
	f.watched = append(f.watched, name)
	data, err := dependencies.Read(f.Base, name, maxMod)
	if err != nil {
		return nil
	}
	all := make(map[string]module.Version)
	var path string
	var current module.Version
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if header, ok := strings.CutPrefix(line, "# "); ok {
			// path version [=> path [version]]
			path = ""
			before, by, replaced := strings.Cut(header, " => ")
			if fields := strings.Fields(before); len(fields) > 1 {
				path, current = fields[0], module.Version{Path: fields[0], Version: fields[1]}
			}
			if fields := strings.Fields(by); replaced && len(fields) > 0 {
				current = module.Version{Path: fields[0], Version: strings.Join(fields[1:], "")}
			}
		} else if line != "" && path != "" && !strings.HasPrefix(line, "## ") {
			all[path] = current
		}
	}
	return all
}
