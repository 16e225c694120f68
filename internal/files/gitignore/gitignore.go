// Package gitignore says which files of a project its .gitignore files name, as git does (gitignore(5)).
package gitignore

import (
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"
)

// A Tree knows the patterns of the .gitignore files of a project. It reads the file of a folder when it is first
// asked about something in that folder.
type Tree struct {
	fsys  fs.FS
	mu    sync.Mutex        // guards rules
	rules map[string][]rule // by folder; nil: the folder has no .gitignore
}

type rule struct {
	pattern string // for doublestar, below the folder
	negated bool
	folder  bool // it is about folders only
}

// maxRules bounds the patterns of one .gitignore.
const maxRules = 5000

// New returns the patterns of a project folder.
func New(fsys fs.FS) *Tree { return &Tree{fsys: fsys, rules: make(map[string][]rule)} }

// Without records that a folder has no .gitignore, which saves looking for it.
func (g *Tree) Without(dir string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.rules[dir] = nil
}

// of returns the rules of the .gitignore in dir.
func (g *Tree) of(dir string) []rule {
	g.mu.Lock()
	defer g.mu.Unlock()
	rules, known := g.rules[dir]
	if !known {
		if data, err := read(g.fsys, path.Join(dir, ".gitignore")); err == nil {
			rules = parse(string(data))
		}
		g.rules[dir] = rules
	}
	return rules
}

// parse reads the patterns of a .gitignore. See gitignore(5).
func parse(text string) (rules []rule) {
	for line := range strings.Lines(text) {
		if len(rules) == maxRules {
			break
		}
		line = strings.TrimRight(line, " \t\r\n")
		var r rule
		if line, r.negated = strings.CutPrefix(line, "!"); line == "" || line[0] == '#' {
			continue
		}
		line, r.folder = strings.CutSuffix(line, "/")
		anchored := strings.Contains(line, "/")
		line = strings.TrimPrefix(line, "/")
		if !anchored {
			line = "**/" + line
		}
		line = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(line) // braces have no meaning in a .gitignore
		if r.pattern = line; doublestar.ValidatePattern(line) {
			rules = append(rules, r)
		}
	}
	return rules
}

// Has reports whether the patterns name a file or folder, or a folder that it lies in.
func (g *Tree) Has(file string, folder bool) bool {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if g.matches(dir, true) {
			return true
		}
	}
	return g.matches(file, folder)
}

// matches reports whether the patterns name a file or folder itself. The last pattern that matches decides, and those of
// inner folders come after those of outer ones.
func (g *Tree) matches(file string, folder bool) bool {
	ignored := false
	for end := 0; end >= 0; {
		dir := "."
		if end > 0 {
			dir = file[:end]
		}
		for _, r := range g.of(dir) {
			if r.folder && !folder || r.negated != ignored {
				continue
			}
			if ok, _ := doublestar.Match(r.pattern, strings.TrimPrefix(file, dir+"/")); ok {
				ignored = !r.negated
			}
		}
		next := strings.IndexByte(file[min(len(file), end+1):], '/')
		if next < 0 {
			break
		}
		end += 1 + next
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
