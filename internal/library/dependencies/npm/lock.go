package npm

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/tidwall/jsonc"
)

// maxLock bounds the size of a lock file in bytes.
const maxLock = 64 << 20

// A lockFile is a kind of lock file.
type lockFile struct {
	name    string
	hint    string // the command that installs what the file names
	install string // the command that installs what package.json names
	parse   func(l *lock, data []byte)
}

// lockFiles are the lock files, in the order in which they are looked for.
var lockFiles = []lockFile{
	{"package-lock.json", "npm ci", "npm install", (*lock).npm},
	{"npm-shrinkwrap.json", "npm ci", "npm install", (*lock).npm},
	{"pnpm-lock.yaml", "pnpm install", "pnpm install", (*lock).pnpm},
	{"yarn.lock", "yarn install", "yarn install", (*lock).yarn},
	{"bun.lock", "bun install", "bun install", (*lock).bun},
}

// A lock holds the parts of a lock file that this package uses.
type lock struct {
	file     lockFile
	versions map[string]string // by package; "": it names several versions of the package
}

// add adds a package that the lock file names. Versions with a colon are folders and URLs.
func (l *lock) add(name, version string) {
	if name == "" || version == "" || strings.Contains(version, ":") {
		return
	}
	if known, ok := l.versions[name]; ok && known != version {
		version = ""
	}
	l.versions[name] = version
}

// readLock reads the lock file of the project. Without one, the lock names no packages.
func (f *finder) readLock() *lock {
	for _, file := range lockFiles {
		if !f.Exists(path.Join(f.root, file.name)) {
			continue
		}
		l := &lock{file: file, versions: make(map[string]string)}
		file.parse(l, f.read(path.Join(f.root, file.name), maxLock))
		if len(l.versions) == 0 {
			f.Notice(path.Join(f.root, file.name), "names no packages that are understood: what is installed is served")
		}
		return l
	}
	return &lock{file: lockFile{install: "npm install"}}
}

// npm reads package-lock.json, in the versions 2 and 3 of its format.
func (l *lock) npm(data []byte) {
	var file struct {
		Packages map[string]struct {
			Version string
			Link    bool
		}
	}
	if json.Unmarshal(data, &file) != nil {
		return
	}
	for place, p := range file.Packages {
		if i := strings.LastIndex(place, "node_modules/"); i >= 0 && !p.Link {
			l.add(place[i+len("node_modules/"):], p.Version)
		}
	}
}

// bun reads bun.lock, which is JSON with commas at the ends of lists.
func (l *lock) bun(data []byte) {
	var file struct{ Packages map[string][]any }
	if json.Unmarshal(jsonc.ToJSON(data), &file) != nil {
		return
	}
	for _, p := range file.Packages {
		if len(p) > 0 {
			l.add(splitVersion(fmt.Sprint(p[0])))
		}
	}
}

// splitVersion splits name@version. The name may begin with "@".
func splitVersion(s string) (name, version string) {
	// the version may contain "@", as in a URL
	_, version, found := strings.Cut(strings.TrimPrefix(s, "@"), "@")
	if !found {
		return "", ""
	}
	return strings.TrimSuffix(s, "@"+version), version
}

// pnpm reads pnpm-lock.yaml, in the version 9 of its format.
func (l *lock) pnpm(data []byte) {
	scan(string(data), func(keys []string, _ string) {
		if len(keys) == 2 && keys[0] == "packages" {
			l.add(splitVersion(keys[1]))
		}
	})
}

// yarn reads yarn.lock, of Yarn 1 and of its later versions.
func (l *lock) yarn(data []byte) {
	scan(string(data), func(keys []string, value string) {
		if len(keys) != 2 || keys[1] != "version" {
			return
		}
		for key := range strings.SplitSeq(keys[0], ",") {
			key = strings.Trim(key, ` "`)
			name, _ := splitVersion(key)
			l.add(name, value)
		}
	})
}

// scan reads the YAML of a file that a package manager wrote: mappings by indentation, scalars on one line, and lists of
// scalars. It yields each key with the keys above it, and its value, or "" if the key has keys of its own. An item of a
// list has the key "-". yarn.lock of Yarn 1, which has a space instead of a colon before values, can be read too. keys is
// valid until yield returns.
func scan(text string, yield func(keys []string, value string)) {
	var keys []string
	var indents []int
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \r\n")
		bare := strings.TrimLeft(line, " ")
		if bare == "" || bare[0] == '#' {
			continue
		}
		indent := len(line) - len(bare)
		item := strings.HasPrefix(bare, "- ")
		for n := len(indents) - 1; n >= 0 && (indents[n] > indent || indents[n] == indent && (!item || keys[n] == "-")); n-- {
			keys, indents = keys[:n], indents[:n]
		}
		if len(keys) > 16 {
			continue
		}
		key, value := "-", bare[1:]
		if !item {
			key, value = keyOf(bare)
		}
		keys, indents = append(keys, key), append(indents, indent)
		yield(keys, strings.Trim(value, ` "'`))
	}
}

// keyOf splits a line at the end of its key, which may be several ranges of Yarn 1.
func keyOf(line string) (key, value string) {
	if key, ok := strings.CutSuffix(line, ":"); ok {
		return strings.Trim(key, `"'`), ""
	}
	key, value, ok := strings.Cut(line, ": ")
	if !ok { // Yarn 1
		key, value, _ = strings.Cut(line, " ")
	}
	return strings.Trim(key, `"'`), value
}
