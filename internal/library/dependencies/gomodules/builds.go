package gomodules

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
)

// Bounds of a project.
const (
	maxAbove = 16      // folders above the project folder
	maxMains = 500     // main modules
	maxMod   = 4 << 20 // bytes of go.mod, go.work or vendor/modules.txt
)

// A build is main modules whose versions of other modules are chosen together.
type build struct {
	dir     string // has vendor
	mains   []*mainModule
	modules map[string]*required // by path; without the main modules
	replace []*modfile.Replace   // directives of go.work, then of go.mod; the first that applies counts

	imported map[string]map[string]bool // packages of other modules, by module
}

// A mainModule is a module of the project.
type mainModule struct {
	dir  string // below base
	path string
	file *modfile.File
}

// required is a module that a build requires.
type required struct {
	version string
	direct  bool
}

// above sets f.base to the folder of go.work or go.mod above the project folder, if there is one.
func (f *finder) above() {
	var opened []*rootfs.FS
	best := -1
	here, dir := ".", f.options.Dir
	current := f.options.Files
	hasMod := false
	places := []string{here}
	for n := 0; n < maxAbove; n++ {
		if exists(current, "go.work") && f.env.get("GOWORK") != "off" {
			if !hasMod || uses(current, here) {
				best = n
				break
			}
		}
		if !hasMod && exists(current, "go.mod") {
			hasMod, best = true, n
		}
		if exists(current, ".git") {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		next, err := rootfs.Open(up)
		if err != nil {
			break
		}
		here, dir, current = path.Join(filepath.Base(dir), here), up, next
		opened, places = append(opened, next), append(places, here)
	}
	for i, folder := range opened {
		if i+1 == best {
			f.base, f.here = folder, places[best]
		} else {
			folder.Close()
		}
	}
}

// uses reports whether go.work in a folder names the module that the project folder is in. here is the project folder
// below that folder.
func uses(folder *rootfs.FS, here string) bool {
	work, _ := workFile(folder)
	if work == nil {
		return false
	}
	return slices.ContainsFunc(work.Use, func(u *modfile.Use) bool {
		dir := path.Clean(filepath.ToSlash(u.Path))
		return dir == "." || here == dir || strings.HasPrefix(here, dir+"/")
	})
}

func exists(files *rootfs.FS, name string) bool {
	_, err := files.Lstat(name)
	return err == nil
}

func workFile(files *rootfs.FS) (*modfile.WorkFile, error) {
	data, err := dependencies.Read(files, "go.work", maxMod)
	if err != nil {
		return nil, err
	}
	return modfile.ParseWork("go.work", data, nil)
}

// builds returns the builds of the project.
func (f *finder) builds() (all []*build) {
	if f.env.get("GOWORK") != "off" && exists(f.base, "go.work") {
		f.watched = append(f.watched, "go.work", "go.work.sum")
		work, err := workFile(f.base)
		if err == nil {
			b := &build{dir: ".", replace: work.Replace}
			for _, use := range work.Use {
				dir := path.Clean(filepath.ToSlash(use.Path))
				if !fs.ValidPath(dir) {
					f.notice("go.work", fmt.Errorf("uses %q, which is outside of its folder and is not read", use.Path))
				} else if len(b.mains) < maxMains {
					f.main(b, dir)
				}
			}
			return append(all, b.require())
		}
		f.notice("go.work", errors.New("is not understood: "+firstLine(err)))
	}
	f.watched = append(f.watched, "go.mod", "go.sum")
	if exists(f.base, "go.mod") {
		b := &build{dir: "."}
		f.main(b, ".")
		return append(all, b.require())
	}
	for _, dir := range f.below() {
		b := &build{dir: dir}
		f.main(b, dir)
		all = append(all, b.require())
	}
	return all
}

// main adds the main module in a folder to a build.
func (f *finder) main(b *build, dir string) {
	name := path.Join(dir, "go.mod")
	f.watched = append(f.watched, name, path.Join(dir, "go.sum"))
	data, err := dependencies.Read(f.base, name, maxMod)
	if err != nil {
		f.notice(name, err)
		return
	}
	file, err := modfile.Parse(name, data, nil)
	if err != nil { // perhaps it is for a later version of Go
		var lax error
		if file, lax = modfile.ParseLax(name, data, nil); lax != nil {
			f.notice(name, errors.New("is not understood: "+firstLine(lax)))
			return
		}
		f.notice(name, errors.New("is understood in part: "+firstLine(err)))
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
				known = &required{version: r.Mod.Version}
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
	data, err := dependencies.Read(f.base, name, maxMod)
	if err != nil {
		return nil
	}
	all := make(map[string]module.Version)
	var path string
	var current module.Version
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "## "):
		case strings.HasPrefix(line, "# "):
			// # path version [=> path [version]]
			fields := strings.Fields(line[2:])
			path = ""
			if len(fields) < 2 {
				continue
			}
			path, current = fields[0], module.Version{Path: fields[0], Version: fields[1]}
			if i := slices.Index(fields, "=>"); i >= 0 && i+1 < len(fields) {
				current = module.Version{Path: fields[i+1]}
				if i+2 < len(fields) {
					current.Version = fields[i+2]
				}
			}
		case line != "" && path != "":
			all[path] = current
		}
	}
	return all
}
