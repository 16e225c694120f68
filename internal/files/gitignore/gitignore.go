// Package gitignore says which files of a project git ignores: a [Tree] reads the patterns in each .gitignore and in
// .git/info/exclude, see gitignore(5). For a folder on the disk it also reads what git reads outside the folder: the file
// that core.excludesFile names, and the rules of the work tree that the folder lies in. It does not read git's index, so
// a file that git tracks is ignored too if a pattern names it.
package gitignore

import (
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"
)

// A Tree knows the patterns of a project. It reads the .gitignore of a folder when it is first asked about something in
// that folder.
type Tree struct {
	fsys    fs.FS
	outside outside
	mu      sync.Mutex        // guards the fields below
	rules   map[string][]rule // by folder; nil: the folder has no .gitignore
	folders map[string]bool   // whether a folder, or one above it, is ignored
}

// maxRules bounds the patterns of one .gitignore.
const maxRules = 5000

// New returns the patterns of a project folder.
func New(fsys fs.FS) *Tree {
	g := &Tree{fsys: fsys, rules: make(map[string][]rule), folders: map[string]bool{".": false}}
	if disk, ok := fsys.(interface{ Path() string }); ok && disk.Path() != "" {
		g.outside = readOutside(disk.Path())
	}
	return g
}

// Without records that a folder has no .gitignore, which saves looking for it.
func (g *Tree) Without(dir string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if dir != "." { // .git/info/exclude counts for it
		g.rules[dir] = nil
	}
}

// of returns the rules of the .gitignore in dir. In the project folder, the rules of .git/info/exclude come first.
func (g *Tree) of(dir string) []rule {
	g.mu.Lock()
	defer g.mu.Unlock()
	rules, known := g.rules[dir]
	if !known {
		files := []string{path.Join(dir, ".gitignore")}
		if dir == "." {
			files = []string{".git/info/exclude", ".gitignore"}
		}
		for _, file := range files {
			if data, err := read(g.fsys, file); err == nil {
				rules = append(rules, g.outside.parse(string(data))...)
			}
		}
		g.rules[dir] = rules
	}
	return rules
}

// Has reports whether the patterns name a file or folder, or a folder that it lies in.
func (g *Tree) Has(file string, folder bool) bool {
	if folder {
		return g.hasFolder(file)
	}
	return g.hasFolder(path.Dir(file)) || g.matches(file, false)
}

func (g *Tree) hasFolder(dir string) bool {
	g.mu.Lock()
	ignored, known := g.folders[dir]
	g.mu.Unlock()
	if known {
		return ignored
	}
	ignored = g.hasFolder(path.Dir(dir)) || g.matches(dir, true)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.folders[dir] = ignored
	return ignored
}

// matches reports whether the patterns name a file or folder itself. The last pattern that matches decides, and the
// patterns of an inner folder come after the patterns of the folders around it.
func (g *Tree) matches(file string, folder bool) bool {
	ignored := g.outside.matches(file, folder)
	for end := 0; end >= 0; {
		dir := "."
		if end > 0 {
			dir = file[:end]
		}
		ignored = decide(g.of(dir), g.outside.cased(strings.TrimPrefix(file, dir+"/")), folder, ignored)
		next := strings.IndexByte(file[min(len(file), end+1):], '/')
		if next < 0 {
			break
		}
		end += 1 + next
	}
	return ignored
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

func read(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fs.ErrInvalid
	}
	return io.ReadAll(io.LimitReader(f, maxRead))
}
