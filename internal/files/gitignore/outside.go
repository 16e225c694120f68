package gitignore

import (
	"cmp"
	"os"
	"path/filepath"
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
			ignored = decide(l.rules, below, folder, ignored)
		}
	}
	return ignored
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
			o.lists = append(o.lists, list{base, parse(text, o.fold)})
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
	if one, ok := os.LookupEnv("GIT_CONFIG_GLOBAL"); ok {
		files[1], files[2] = one, ""
	}
	if os.Getenv("GIT_CONFIG_NOSYSTEM") != "" {
		files[0] = ""
	}
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
		key, text, given := strings.Cut(line, "=")
		if key = strings.ToLower(strings.TrimSpace(key)); key == "" || strings.ContainsAny(key[:1], "#;") {
			continue
		}
		value := "true"
		if given {
			value = unquote(strings.TrimSpace(text))
		}
		if rest, ok := strings.CutPrefix(value, "~/"); ok {
			value = inHome(rest)
		}
		if key = section + "." + key; key != "include.path" {
			settings[key] = value
		} else {
			if !filepath.IsAbs(value) {
				value = filepath.Join(filepath.Dir(file), value)
			}
			addSettings(settings, value, left)
		}
	}
}

// unquote returns the value of a setting without quotes, escapes and a comment.
func unquote(text string) string {
	var value strings.Builder
	quoted, length := false, 0 // length of the value without spaces at its end
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
			continue
		case !quoted && (c == '#' || c == ';'):
			return value.String()[:length]
		case c == '\\' && i+1 < len(text):
			i++
			value.WriteByte(strings.NewReplacer("n", "\n", "t", "\t", "b", "\b").Replace(text[i : i+1])[0])
		default:
			value.WriteByte(c)
			if !quoted && (c == ' ' || c == '\t') {
				continue
			}
		}
		length = value.Len()
	}
	return value.String()[:length]
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
