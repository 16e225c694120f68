package gitignore

import (
	"cmp"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
)

// outside has the rules of a project folder from files outside it. It is empty if the folder is not in a work tree of git.
type outside struct {
	place string // path of the project folder in the work tree, with a slash at its end, or ""
	lists []list // the last one that names a file decides
	fold  bool   // core.ignoreCase
}

// A list has the patterns of a file.
type list struct {
	base  string // path of the folder of the patterns in the work tree, with a slash at its end, or ""
	rules []rule
}

// matches reports whether the rules name a file or folder itself. file is its path in the project folder.
func (o *outside) matches(file string, folder bool) (ignored bool) {
	for _, l := range o.lists {
		if below, ok := strings.CutPrefix(o.place+file, l.base); ok {
			ignored = decide(l.rules, o.cased(below), folder, ignored)
		}
	}
	return ignored
}

// parse is [parse] with core.ignoreCase.
func (o *outside) parse(text string) []rule {
	if o.fold {
		text = strings.ReplaceAll(o.cased(text), "[:upper:]", "[:alpha:]")
	}
	return parse(text)
}

// cased returns a text with ASCII letters in lower case if case does not count.
func (o *outside) cased(text string) string {
	if !o.fold {
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

// readOutside reads the rules for a folder in the order in which git does: core.excludesFile, info/exclude of the
// repository, and each .gitignore from the work tree down to the folder. If these ignore the folder itself, somebody
// chose to serve it, and they do not count.
func readOutside(dir string) outside {
	top := dir
	for {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			break
		}
		up := filepath.Dir(top)
		if up == top {
			return outside{}
		}
		top = up
	}
	common := repository(top)
	settings := readSettings(common)
	o := outside{fold: strings.EqualFold(settings["core.ignorecase"], "true")}
	add := func(base, file string) {
		if text := readFile(file); text != "" {
			o.lists = append(o.lists, list{base, o.parse(text)})
		}
	}
	excludes := cmp.Or(settings["core.excludesfile"], filepath.Join(userFolder(), "git", "ignore"))
	if !filepath.IsAbs(excludes) {
		excludes = filepath.Join(top, excludes)
	}
	add("", excludes)
	add("", filepath.Join(common, "info", "exclude"))
	place, err := filepath.Rel(top, dir)
	if err != nil || place == "." {
		return o
	}
	base := ""
	for name := range strings.SplitSeq(filepath.ToSlash(place), "/") {
		add(base, filepath.Join(top, base, ".gitignore"))
		if o.matches(base+name, true) {
			return outside{fold: o.fold}
		}
		base += name + "/"
	}
	o.place = base
	return o
}

// repository returns the folder with the configuration of a work tree: .git itself, or the folder that a file .git leads to.
func repository(top string) string {
	dir := filepath.Join(top, ".git")
	if to, ok := strings.CutPrefix(readFile(dir), "gitdir: "); ok {
		if dir = strings.TrimRight(to, "\r\n"); !filepath.IsAbs(dir) {
			dir = filepath.Join(top, dir)
		}
		if common := strings.TrimRight(readFile(filepath.Join(dir, "commondir")), "\r\n"); filepath.IsAbs(common) {
			return common
		} else if common != "" {
			return filepath.Join(dir, common)
		}
	}
	return dir
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

// readSettings returns the settings of git for a repository that have no subsection, such as core.excludesfile.
func readSettings(common string) map[string]string {
	settings := make(map[string]string)
	files := []string{"/etc/gitconfig", filepath.Join(userFolder(), "git", "config"), inHome(".gitconfig"), filepath.Join(common, "config")}
	for _, file := range files {
		left := maxFiles
		addSettings(settings, file, &left)
	}
	return settings
}

// maxFiles is how many files are read for one file with settings and what it includes.
const maxFiles = 20

// addSettings reads a file with settings of git, and the files that it includes. See git-config(1).
func addSettings(settings map[string]string, file string, left *int) {
	if *left--; *left < 0 {
		return
	}
	section := ""
	for line := range strings.Lines(strings.TrimPrefix(strings.ReplaceAll(readFile(file), "\\\n", ""), "\ufeff")) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			end := strings.IndexByte(line, ']')
			if end < 0 {
				return
			}
			section, line = strings.ToLower(line[1:end]), strings.TrimSpace(line[end+1:])
		}
		key, value, given := strings.Cut(line, "=")
		if key = strings.ToLower(strings.TrimSpace(key)); !given {
			value = "true"
		}
		value = strings.TrimSpace(value)
		if quoted, err := strconv.QuotedPrefix(value); err == nil {
			value, _ = strconv.Unquote(quoted)
		} else {
			value = strings.TrimSpace(value[:len(value)-len(strings.TrimLeftFunc(value, func(r rune) bool { return r != '#' && r != ';' }))])
		}
		if rest, ok := strings.CutPrefix(value, "~/"); ok {
			value = inHome(rest)
		}
		if key = section + "." + key; key != "include.path" {
			settings[key] = value
			continue
		}
		if !filepath.IsAbs(value) {
			value = filepath.Join(filepath.Dir(file), value)
		}
		addSettings(settings, value, left)
	}
}

// readFile returns the text of a file on the disk, or "".
func readFile(file string) string {
	folder, err := rootfs.Open(filepath.Dir(file))
	if err != nil {
		return ""
	}
	defer folder.Close()
	data, _ := read(folder, filepath.Base(file))
	return string(data)
}
