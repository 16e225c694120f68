// Package gitignore says which files of a project git ignores: a [Tree] reads the patterns in each .gitignore and in
// .git/info/exclude, see gitignore(5). It does not read git's index, so a file that git tracks is ignored too if a
// pattern names it.
package gitignore

import (
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"
)

// A Tree knows the patterns of a project. It reads the .gitignore of a folder when it is first asked about something in
// that folder.
type Tree struct {
	fsys    fs.FS
	mu      sync.Mutex        // guards the fields below
	rules   map[string][]rule // by folder; nil: the folder has no .gitignore
	folders map[string]bool   // whether a folder, or one above it, is ignored
}

// A rule is a pattern. Most patterns are a name or the end of one, which are compared without doublestar.
type rule struct {
	pattern string // for doublestar, below the folder
	base    string // the name of what it matches, in any folder, if it has no wildcards; else ""
	suffix  string // the end of this name, if the rest of the pattern is "*"; else ""
	negated bool
	folder  bool // it is about folders only
}

// matches reports whether the pattern matches a path below its folder.
func (r *rule) matches(file string) bool {
	switch {
	case r.base != "":
		return path.Base(file) == r.base
	case r.suffix != "":
		return strings.HasSuffix(path.Base(file), r.suffix)
	}
	ok, _ := doublestar.Match(r.pattern, file)
	return ok
}

// maxRules bounds the patterns of one .gitignore.
const maxRules = 5000

// New returns the patterns of a project folder.
func New(fsys fs.FS) *Tree {
	return &Tree{fsys: fsys, rules: make(map[string][]rule), folders: map[string]bool{".": false}}
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
				rules = append(rules, parse(string(data))...)
			}
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
			if rest, wild := strings.CutPrefix(line, "*"); rest != "" && !strings.ContainsAny(rest, `*?[\`) {
				if wild {
					r.suffix = rest
				} else {
					r.base = rest
				}
			}
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
	ignored := false
	for end := 0; end >= 0; {
		dir := "."
		if end > 0 {
			dir = file[:end]
		}
		rules := g.of(dir)
		for i := range rules {
			r := &rules[i]
			if r.folder && !folder || r.negated != ignored {
				continue
			}
			if r.matches(strings.TrimPrefix(file, dir+"/")) {
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
