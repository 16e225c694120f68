package npm

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
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
	{"pnpm-lock.yaml", "pnpm install --frozen-lockfile", "pnpm install", (*lock).pnpm},
	{"yarn.lock", "yarn install --immutable", "yarn install", (*lock).yarn},
	{"bun.lock", "bun install --frozen-lockfile", "bun install", (*lock).bun},
}

// A lock is what is used of a lock file.
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

// readLock reads the lock file of the project, or returns nil.
func (f *finder) readLock() *lock {
	for _, file := range lockFiles {
		if !f.exists(f.root, file.name) {
			continue
		}
		data := f.read(path.Join(f.root, file.name), maxLock)
		l := &lock{file: file, versions: make(map[string]string)}
		if data != nil {
			file.parse(l, data)
		}
		if len(l.versions) == 0 {
			f.notice(path.Join(f.root, file.name), "names no packages that are understood: what is installed is served")
		}
		return l
	}
	if f.exists(f.root, "bun.lockb") {
		f.notice(path.Join(f.root, "bun.lockb"), "is binary and is not understood: run bun install --save-text-lockfile")
	}
	return nil
}

// installs returns the command that installs what a package.json names.
func (l *lock) installs() string {
	if l == nil {
		return "npm install"
	}
	return l.file.install
}

// version returns the only version of a package in the lock file, or "".
func (l *lock) version(name string) string {
	if l == nil {
		return ""
	}
	return l.versions[name]
}

// npm reads package-lock.json, in the versions 1 to 3 of its format.
func (l *lock) npm(data []byte) {
	type old struct {
		Version      string
		Dependencies map[string]json.RawMessage
	}
	var file struct {
		Packages map[string]struct {
			Version string
			Link    bool
		}
		old
	}
	if json.Unmarshal(data, &file) != nil {
		return
	}
	for place, p := range file.Packages {
		i := strings.LastIndex(place, "node_modules/")
		if i >= 0 && !p.Link {
			l.add(place[i+len("node_modules/"):], p.Version)
		}
	}
	if file.Packages != nil {
		return
	}
	for name, raw := range file.Dependencies { // version 1; indirect dependencies are mostly here too
		var p old
		if json.Unmarshal(raw, &p) == nil {
			l.add(name, p.Version)
		}
	}
}

// bun reads bun.lock, which is JSON with commas at the ends of lists.
func (l *lock) bun(data []byte) {
	data, err := settings.PlainJSON(data)
	if err != nil {
		return
	}
	var file struct{ Packages map[string][]json.RawMessage }
	if json.Unmarshal(data, &file) != nil {
		return
	}
	for _, p := range file.Packages {
		if len(p) > 0 {
			l.add(splitVersion(text(p[0])))
		}
	}
}

// splitVersion splits name@version. The name may begin with "@".
func splitVersion(s string) (name, version string) {
	i := strings.LastIndexByte(s, '@')
	if i <= 0 {
		return "", ""
	}
	if k := strings.IndexByte(s[1:], '@'); k >= 0 { // the version may contain "@", as in a URL
		i = k + 1
	}
	return s[:i], s[i+1:]
}

// pnpm reads pnpm-lock.yaml, in the versions 5 to 9 of its format.
func (l *lock) pnpm(data []byte) {
	scan(string(data), func(keys []string, _ string) {
		if len(keys) == 2 && keys[0] == "packages" {
			l.add(packageKey(keys[1]))
		}
	})
}

// packageKey reads a key of the packages of pnpm: react@18.2.0, /react@18.2.0(peer) or /react/18.2.0_peer.
func packageKey(key string) (name, version string) {
	key, _, _ = strings.Cut(key, "(")
	key, slashed := strings.CutPrefix(key, "/")
	name, version = splitVersion(key)
	if i := strings.LastIndexByte(key, '/'); slashed && (name == "" || i > strings.LastIndexByte(name, '/') && i < len(name)) && i > 0 {
		name, version = key[:i], key[i+1:]
	}
	version, _, _ = strings.Cut(version, "_")
	return name, version
}

// yarn reads yarn.lock, of Yarn 1 and of its later versions.
func (l *lock) yarn(data []byte) {
	scan(string(data), func(keys []string, value string) {
		if len(keys) != 2 || keys[1] != "version" || keys[0] == "__metadata" || strings.Contains(value, "-use.local") {
			return
		}
		for key := range strings.SplitSeq(keys[0], ",") {
			key = strings.Trim(key, ` "`)
			name, _ := splitVersion(key)
			l.add(name, value)
		}
	})
	if strings.HasPrefix(string(data), "# THIS IS AN AUTOGENERATED FILE. DO NOT EDIT THIS FILE DIRECTLY.\n# yarn lockfile v1") {
		l.file.hint = "yarn install --frozen-lockfile"
	}
}
