package gitignore

import (
	"cmp"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
)

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

// readOutside finds the work tree that a folder lies in, and reads the rules that come before those of its folders: core.excludesFile,
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
