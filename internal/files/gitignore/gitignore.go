// Package gitignore says which files of a project git ignores: a [Tree] reads the patterns in each .gitignore and in
// .git/info/exclude, see gitignore(5). For a folder on the disk it also reads what git reads outside the folder: the file
// that core.excludesFile names, and the rules of the work tree that the folder lies in. It does not read git's index, so
// a file that git tracks is ignored too if a pattern names it.
package gitignore

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
)

// A Tree knows the patterns of a project. It reads the .gitignore of a folder when it is first asked about something in
// that folder.
type Tree struct {
	fsys fs.FS
	top  string // the work tree of git on the disk, if the project folder lies in it
	// path of the project folder in the work tree, with a slash at its end, or ""
	place string
	first []rule // of info/exclude and core.excludesFile
	fold  bool   // core.ignoreCase

	mu      sync.Mutex        // guards the fields below
	rules   map[string][]rule // by folder of the work tree; nil: it has no .gitignore
	folders map[string]bool   // of the project: whether it, or one above it, is ignored
}

// maxRules bounds the patterns of one .gitignore.
const maxRules = 50_000

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

// None says that a folder of the project has no .gitignore, so that none is looked for.
func (g *Tree) None(dir string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	below := g.place
	if dir != "." {
		below += dir + "/"
	}
	if _, known := g.rules[below]; !known {
		g.rules[below] = nil
	}
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

// parse is [parse] with core.ignoreCase.
func (g *Tree) parse(text string) []rule {
	if g.fold {
		text = strings.ReplaceAll(g.cased(text), "[:upper:]", "[:alpha:]")
	}
	return parse(text)
}

// cased returns a text with ASCII letters in lower case if case does not count.
func (g *Tree) cased(text string) string {
	if !g.fold {
		return text
	}
	b := []byte(text)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// readOutside finds the work tree that a folder lies in, and reads the rules that come before the rules of its folders: core.excludesFile,
// and info/exclude of the repository. If git ignores the folder itself, somebody chose to serve it, and nothing outside it counts.
func (g *Tree) readOutside(dir string) {
	top := dir
	for {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			break
		}
		up := filepath.Dir(top)
		if up == top {
			return
		}
		top = up
	}
	common := filepath.Join(top, ".git")
	if to, ok := strings.CutPrefix(readFile(common), "gitdir: "); ok {
		common = from(top, to)
		common = from(common, readFile(filepath.Join(common, "commondir")))
	}
	settings := make(map[string]string)
	for _, file := range []string{"/etc/gitconfig", filepath.Join(userFolder(), "git", "config"), inHome(".gitconfig"), filepath.Join(common, "config")} {
		left := maxFiles
		addSettings(settings, file, &left)
	}
	g.fold = strings.EqualFold(settings["core.ignorecase"], "true")
	excludes := from(top, cmp.Or(settings["core.excludesfile"], filepath.Join(userFolder(), "git", "ignore")))
	g.first = append(g.parse(readFile(excludes)), g.parse(readFile(filepath.Join(common, "info", "exclude")))...)
	if place, err := filepath.Rel(top, dir); err == nil && place != "." {
		g.top, g.place = top, filepath.ToSlash(place)+"/"
	}
	for i, c := range g.place {
		if c == '/' && g.matches(g.place[:i], true) {
			g.place, g.first, g.rules = "", nil, make(map[string][]rule)
			return
		}
	}
}

// from returns a path that may be relative to a folder. It may end with a line end.
func from(dir, file string) string {
	if file = strings.TrimRight(file, "\r\n"); filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(dir, file)
}

// userFolder returns the folder with the settings of the user, such as ~/.config.
func userFolder() string { return cmp.Or(os.Getenv("XDG_CONFIG_HOME"), inHome(".config")) }

// inHome returns the path of a file of the user, or "".
func inHome(name string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, name)
}

// maxFiles is how many files are read for one file with settings and what it includes.
const maxFiles = 20

// addSettings reads the settings of git that have no subsection, such as core.excludesfile, from a file and the files that it
// includes. See git-config(1).
func addSettings(settings map[string]string, file string, left *int) {
	if *left--; *left < 0 {
		return
	}
	section := ""
	for line := range strings.Lines(strings.TrimPrefix(readFile(file), "\ufeff")) {
		line = strings.TrimSpace(line)
		if head, rest, ok := strings.Cut(line, "]"); ok && strings.HasPrefix(head, "[") {
			section, line = strings.ToLower(head[1:]), rest
		}
		key, value, given := strings.Cut(line, "=")
		if !given {
			value = "true"
		}
		value = strings.TrimSpace(value)
		if quoted, err := strconv.QuotedPrefix(value); err == nil {
			value, _ = strconv.Unquote(quoted)
		} else if comment := strings.IndexAny(value, "#;"); comment >= 0 {
			value = strings.TrimSpace(value[:comment])
		}
		if rest, ok := strings.CutPrefix(value, "~/"); ok {
			value = inHome(rest)
		}
		if key = section + "." + strings.ToLower(strings.TrimSpace(key)); key == "include.path" {
			addSettings(settings, from(filepath.Dir(file), value), left)
		} else {
			settings[key] = value
		}
	}
}

// readFile returns the text of a file on the disk, or "".
func readFile(file string) string {
	folder, err := rootfs.Open(filepath.Dir(file))
	if err != nil {
		return ""
	}
	defer folder.Close()
	data, _ := rootfs.ReadFile(folder, filepath.Base(file), maxRead)
	return string(data)
}
