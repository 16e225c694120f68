package site

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// An ignore holds the patterns of the .gitignore files of a project, outer folders first.
type ignore struct {
	rules []ignoreRule
}

type ignoreRule struct {
	dir     string // of the file that has the pattern
	pattern string // for doublestar, below dir
	negated bool
	folder  bool // it is about folders only
}

// add reads the patterns of a .gitignore in dir. See gitignore(5).
func (g *ignore) add(dir, text string) {
	for line := range strings.Lines(text) {
		if len(g.rules) >= 1000 {
			return
		}
		line = strings.TrimRight(line, " \t\r\n")
		r := ignoreRule{dir: dir}
		if line, r.negated = strings.CutPrefix(line, "!"); line == "" || line[0] == '#' {
			continue
		}
		line, r.folder = strings.CutSuffix(line, "/")
		anchored := strings.Contains(line, "/")
		line = strings.TrimPrefix(line, "/")
		if !anchored {
			line = "**/" + line
		}
		if r.pattern = line; doublestar.ValidatePattern(line) {
			g.rules = append(g.rules, r)
		}
	}
}

// has reports whether the patterns name a file or folder, or a folder that it lies in.
func (g *ignore) has(file string, folder bool) bool {
	if g == nil || len(g.rules) == 0 {
		return false
	}
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if g.matches(dir, true) {
			return true
		}
	}
	return g.matches(file, folder)
}

func (g *ignore) matches(file string, folder bool) bool {
	ignored := false
	for _, r := range g.rules {
		if r.folder && !folder || !within(r.dir, file) || r.negated != ignored {
			continue
		}
		if ok, _ := doublestar.Match(r.pattern, relative(r.dir, file)); ok {
			ignored = !r.negated
		}
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
