package npm

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dtsapi"
)

// A reader reads declarations for a describer. It implements [dtsapi.Files]. No link in a package is followed.
type reader struct {
	*finder
	dir   string                // of the package that is described
	roots map[string]*rootfs.FS // open packages, by folder; nil: it cannot be opened
	told  func(step)
}

// maxRoots bounds the packages that are open at the same time.
const maxRoots = 64

func (d *describer) reader(told func(step)) *reader {
	return &reader{d.finder, d.dir, make(map[string]*rootfs.FS), told}
}

func (r *reader) close() {
	for _, root := range r.roots {
		if root != nil {
			root.Close()
		}
	}
	clear(r.roots)
}

// tell reports an answer.
func (r *reader) tell(kind, dir, name, answer string) {
	if below, err := filepath.Rel(filepath.FromSlash(r.dir), filepath.FromSlash(dir)); err == nil {
		dir = filepath.ToSlash(below)
	}
	r.told(step{kind, dir, name, answer})
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// root opens the folder of a package.
func (r *reader) root(dir string) *rootfs.FS {
	root, known := r.roots[dir]
	if !known {
		if len(r.roots) == maxRoots {
			r.close()
		}
		var err error
		if root, err = r.base.OpenFolder(dir, false); err != nil {
			root = nil
		}
		r.roots[dir] = root
	}
	return root
}

// Read implements [dtsapi.Files].
func (r *reader) Read(dir, name string) (data []byte, err error) {
	defer func() {
		if err != nil {
			r.tell("file", dir, name, "")
		} else {
			r.tell("file", dir, name, digest(data))
		}
	}()
	root := r.root(dir)
	if root == nil {
		return nil, fs.ErrNotExist
	}
	file, info, err := root.OpenPlain(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if !info.Mode().IsRegular() {
		return nil, fs.ErrNotExist
	}
	return io.ReadAll(io.LimitReader(file, dtsapi.MaxFile))
}

// List implements [dtsapi.Files].
func (r *reader) List(dir, name string) (names []string) {
	const maxDepth = 8
	var visit func(name string, depth int)
	visit = func(name string, depth int) {
		entries, _ := r.root(dir).ReadDir(name)
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		for _, e := range entries {
			switch below := path.Join(name, e.Name()); {
			case len(names) == dtsapi.MaxListed:
				return
			case e.Type().IsRegular():
				names = append(names, below)
			case e.IsDir() && e.Name() != "node_modules" && depth < maxDepth:
				visit(below, depth+1)
			}
		}
	}
	if r.root(dir) != nil && fs.ValidPath(name) {
		visit(name, 0)
	}
	r.tell("folder", dir, name, digest([]byte(strings.Join(names, "\n"))))
	return names
}

// Package implements [dtsapi.Files]. It finds a package as Node does.
func (r *reader) Package(from, name string) (dir string, ok bool) {
	answer := ""
	if fs.ValidPath(name) {
		for above := from; answer == ""; above = path.Dir(above) {
			if path.Base(above) != "node_modules" {
				answer = r.folder(path.Join(above, "node_modules", name))
			}
			if above == "." {
				break
			}
		}
	}
	below := ""
	if answer != "" {
		if rel, err := filepath.Rel(filepath.FromSlash(r.dir), filepath.FromSlash(answer)); err == nil {
			below = filepath.ToSlash(rel)
		}
	}
	r.tell("package", from, name, below)
	return answer, answer != ""
}

// folder returns the folder of a package that a path in a node_modules leads to, or "".
func (r *reader) folder(place string) string {
	if _, err := r.base.Lstat(place); err != nil {
		return ""
	}
	real, err := walk.RealHidden(r.base, place)
	if err != nil || !slices.Contains(strings.Split(real, "/"), "node_modules") {
		return ""
	}
	if info, err := r.base.Stat(real); err != nil || !info.IsDir() {
		return ""
	}
	return real
}
