package gomodules

import (
	"go/version"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
)

// standard is the name of the standard library in paths.
const standard = "std"

// goroot returns the folder of the Go installation: what the environment names, or else the installation of the go
// command in the PATH, which is not run.
func (e env) goroot() string {
	if dir := e.get("GOROOT"); dir != "" {
		return dir
	}
	name, err := exec.LookPath("go")
	if err != nil {
		return ""
	}
	if name, err = filepath.EvalSymlinks(name); err != nil {
		return ""
	}
	return filepath.Dir(filepath.Dir(name))
}

// std adds the standard library, if the project imports packages of it.
func (f *finder) std() {
	imported := make(map[string]bool)
	required := "" // version of Go
	for _, b := range f.all {
		for importPath := range b.std {
			imported[importPath] = true
		}
		for _, m := range b.mains {
			if g := m.file.Go; g != nil && version.Compare("go"+g.Version, required) > 0 {
				required = "go" + g.Version
			}
		}
	}
	if len(imported) == 0 {
		return
	}
	m := &found{Package: &dependencies.Package{Ecosystem: ecosystem, Name: standard}, imported: imported}
	switch {
	case !f.options.All || !f.options.Outside:
		m.Missing = "is the standard library, whose documents are served with the option --deps=all"
	case !f.openGo(m):
		m.Missing = "is the standard library, whose source was not found: GOROOT and PATH name no installation of Go"
	case version.Compare(m.Version, required) < 0:
		m.Locked = required + " in go.mod"
	}
	f.add(m)
}

// openGo opens the source of the standard library. It returns false if there is none.
func (f *finder) openGo(m *found) bool {
	dir := f.env.goroot()
	if dir == "" {
		return false
	}
	base, err := rootfs.Open(dir)
	if err != nil {
		return false
	}
	const most = 1000
	data, err := read(base, "VERSION", most)
	line, _, _ := strings.Cut(string(data), "\n")
	if line = strings.TrimSpace(line); err != nil || !dependencies.ValidVersion(line) {
		base.Close()
		return false
	}
	f.goroot, m.base, m.dir, m.Version = base, base, "src", line
	return true
}

// isStandard reports whether a package of no module is in the standard library, and may be imported.
func isStandard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return importPath != "C" && !strings.Contains(first, ".") && !strings.Contains("/"+importPath+"/", "/internal/")
}
