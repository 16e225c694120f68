// Package gitignore says which files of a project git ignores: a [Tree] reads the patterns in each .gitignore and in
// .git/info/exclude, see gitignore(5). For a folder on the disk it also reads what git reads outside the folder: the file
// that core.excludesFile names, and the rules of the work tree that the folder lies in. It does not read git's index, so
// a file that git tracks is ignored too if a pattern names it.
package gitignore

import (
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
)

// A Tree knows the patterns of a project. It reads the .gitignore of a folder when it is first asked about something in
// that folder.
type Tree struct {
	fsys  fs.FS
	top   string // the work tree of git on the disk, if the project folder lies in it
	place string // path of the project folder in the work tree, with a slash at its end, or ""
	first []rule // of info/exclude and core.excludesFile
	fold  bool   // core.ignoreCase

	mu      sync.Mutex        // guards the fields below
	rules   map[string][]rule // by folder of the work tree; nil: it has no .gitignore
	folders map[string]bool   // of the project: whether it, or one above it, is ignored
}

// maxRules bounds the patterns of one .gitignore.
const maxRules = 5000

// New returns the patterns of a project folder.
func New(fsys fs.FS) *Tree {
	g := &Tree{fsys: fsys, rules: make(map[string][]rule), folders: map[string]bool{".": false}}
	if disk, ok := fsys.(interface{ Path() string }); ok && disk.Path() != "" {
		g.readOutside(disk.Path())
	} else {
		data, _ := rootfs.ReadFile(fsys, ".git/info/exclude", maxRead)
		g.first = g.parse(string(data))
	}
	return g
}

// of returns the rules of the .gitignore in a folder of the work tree, whose path is empty or ends in a slash.
func (g *Tree) of(dir string) []rule {
	g.mu.Lock()
	defer g.mu.Unlock()
	rules, known := g.rules[dir]
	if !known {
		text := ""
		if below, ok := strings.CutPrefix(dir, g.place); ok {
			data, _ := rootfs.ReadFile(g.fsys, path.Join(below, ".gitignore"), maxRead)
			text = string(data)
		} else {
			text = readFile(filepath.Join(g.top, dir, ".gitignore"))
		}
		rules = g.parse(text)
		g.rules[dir] = rules
	}
	return rules
}

// Has reports whether the patterns name a file or folder, or a folder that it lies in.
func (g *Tree) Has(file string, folder bool) bool {
	if folder {
		return g.hasFolder(file)
	}
	return g.hasFolder(path.Dir(file)) || g.matches(g.place+file, false)
}

func (g *Tree) hasFolder(dir string) bool {
	g.mu.Lock()
	ignored, known := g.folders[dir]
	g.mu.Unlock()
	if known {
		return ignored
	}
	ignored = g.hasFolder(path.Dir(dir)) || g.matches(g.place+dir, true)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.folders[dir] = ignored
	return ignored
}

// matches reports whether the patterns name a file or folder of the work tree itself. The last pattern that matches decides, and the
// patterns of an inner folder come after the patterns of the folders around it.
func (g *Tree) matches(file string, folder bool) bool {
	ignored := decide(g.first, g.cased(file), folder, false)
	for dir, rest := "", file; ; {
		ignored = decide(g.of(dir), g.cased(rest), folder, ignored)
		name, below, deeper := strings.Cut(rest, "/")
		if !deeper {
			return ignored
		}
		dir, rest = dir+name+"/", below
	}
}

// decide returns whether a file is ignored after the rules of a folder. file is its path below that folder, and ignored
// what the rules before say.
func decide(rules []rule, file string, folder, ignored bool) bool {
	for i := range rules {
		if r := &rules[i]; r.negated == ignored && (folder || !r.folder) && r.matches(file) {
			ignored = !ignored
		}
	}
	return ignored
}

// maxRead is the number of bytes of a .gitignore that are read.
const maxRead = 1 << 20
