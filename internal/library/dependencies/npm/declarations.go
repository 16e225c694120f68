package npm

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dtsapi"
)

// A reader reads declarations, and records what it finds. It implements [dtsapi.Files]. No link in a package is followed.
type reader struct {
	*finder
	dir     string // of the package that is described
	lookups []lookup
}

// record records a lookup. The answer is empty if nothing was found.
func (r *reader) record(kind, dir, name, answer string) {
	r.lookups = append(r.lookups, lookup{kind, r.below(dir), name, answer})
}

// below returns a folder relative to the package.
func (r *reader) below(dir string) string {
	if below, err := filepath.Rel(filepath.FromSlash(r.dir), filepath.FromSlash(dir)); err == nil {
		dir = filepath.ToSlash(below)
	}
	return dir
}

func digest(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

// Read implements [dtsapi.Files].
func (r *reader) Read(dir, name string) ([]byte, error) {
	data, err := dependencies.ReadFile(r.Base, dir, name, dtsapi.MaxFile)
	answer := ""
	if err == nil {
		answer = digest(data)
	}
	r.record("file", dir, name, answer)
	return data, err
}

// List implements [dtsapi.Files].
func (r *reader) List(dir, name string) (names []string) {
	const maxDepth = 8
	if root, err := r.Base.OpenFolder(dir, false); err == nil {
		defer root.Close()
		_ = fs.WalkDir(root, name, func(file string, e fs.DirEntry, err error) error {
			switch {
			case err != nil: // of a folder that cannot be read
			case len(names) == dtsapi.MaxListed:
				return fs.SkipAll
			case e.Type().IsRegular():
				names = append(names, file)
			case e.IsDir() && (e.Name() == "node_modules" || strings.Count(file, "/")-strings.Count(name, "/") > maxDepth):
				return fs.SkipDir
			}
			return nil
		})
	}
	r.record("folder", dir, name, digest([]byte(strings.Join(names, "\n"))))
	return names
}

// Package implements [dtsapi.Files]. It finds a package as Node does.
func (r *reader) Package(from, name string) (dir string, ok bool) {
	answer := ""
	for place := range places(from, name) {
		if dir, _, _ = r.target(place); dir != "" {
			answer = r.below(dir)
			break
		}
	}
	r.record("package", from, name, answer)
	return dir, dir != ""
}
