package site

import (
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"
)

// An ignore knows the patterns of the .gitignore files of a project. It reads the file of a folder when it is first
// asked about something in that folder.
type ignore struct {
	fsys  fs.FS
	mu    sync.Mutex              // guards rules
	rules map[string][]ignoreRule // by folder; nil: the folder has no .gitignore
}

type ignoreRule struct {
	pattern string // for doublestar, below the folder
	negated bool
	folder  bool // it is about folders only
}

// maxRules bounds the patterns of one .gitignore.
const maxRules = 5000

func newIgnore(fsys fs.FS) *ignore { return &ignore{fsys: fsys, rules: make(map[string][]ignoreRule)} }

// without records that a folder has no .gitignore, which saves looking for it.
func (g *ignore) without(dir string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.rules[dir] = nil
}

// of returns the rules of the .gitignore in dir.
func (g *ignore) of(dir string) []ignoreRule {
	g.mu.Lock()
	defer g.mu.Unlock()
	rules, known := g.rules[dir]
	if !known {
		if data, err := readBounded(g.fsys, join(dir, ".gitignore")); err == nil {
			rules = parseIgnore(string(data))
		}
		g.rules[dir] = rules
	}
	return rules
}

// parseIgnore reads the patterns of a .gitignore. See gitignore(5).
func parseIgnore(text string) (rules []ignoreRule) {
	for line := range strings.Lines(text) {
		if len(rules) == maxRules {
			break
		}
		line = strings.TrimRight(line, " \t\r\n")
		var r ignoreRule
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

// has reports whether the patterns name a file or folder, or a folder that it lies in.
func (g *ignore) has(file string, folder bool) bool {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if g.matches(dir, true) {
			return true
		}
	}
	return g.matches(file, folder)
}

// matches reports whether the patterns name a file or folder itself. The last pattern that matches decides, and those of
// inner folders come after those of outer ones.
func (g *ignore) matches(file string, folder bool) bool {
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
			if ok, _ := doublestar.Match(r.pattern, relative(dir, file)); ok {
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

// matchesAny reports whether a path matches one of the globs.
func matchesAny(globs []string, file string) bool {
	for _, g := range globs {
		if ok, _ := doublestar.Match(g, file); ok {
			return true
		}
	}
	return false
}
