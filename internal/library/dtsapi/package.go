package dtsapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// Files reads packages. dir is the folder of a package, and name a path in it.
type Files interface {
	// Read returns the first [MaxFile] bytes of a file.
	Read(dir, name string) ([]byte, error)
	// List returns the first [MaxListed] names of the files in a folder and the folders in it.
	List(dir, name string) []string
	// Package returns the folder of the package that a name stands for in the package in the folder from.
	Package(from, name string) (dir string, ok bool)
}

// A pkg is a package with declarations. The exported fields are fields of package.json.
type pkg struct {
	dir                        string
	Name, Types, Typings, Main string
	Exports                    any
	Imports, Dependencies      map[string]any
	// of "exports" and "imports", the most specific one first. A key may have one "*".
	keys []string
	// files for each key, in the order of preference. They may have one "*".
	targets map[string][]string
	// by path; nil: the file does not exist
	modules map[string]*module
}

// A program is the description of a package that is being made.
type program struct {
	ctx      context.Context
	files    Files
	name     string // in imports
	owner    *pkg
	packages map[string]*pkg // by folder
	claimed  map[*symbol]*section
	size     int        // bytes of files, at least [minFile] of each
	linked   int        // names that all modules export of others
	queue    []*section // that are not described yet
	cut      bool       // something is left out because of a bound
}

// packageIn returns the package in a folder.
func (p *program) packageIn(dir string) *pkg {
	if q := p.packages[dir]; q != nil {
		return q
	}
	q := &pkg{dir: dir, targets: make(map[string][]string), modules: make(map[string]*module)}
	p.packages[dir] = q
	data, _ := p.files.Read(dir, "package.json")
	// fields of other types stay empty
	_ = json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), q)
	fields := map[string]any{".": q.Exports}
	exports, _ := q.Exports.(map[string]any)
	maps.Copy(fields, exports)
	maps.Copy(fields, q.Imports)
	for key, value := range fields {
		q.targets[key] = targets(targets(nil, value, "import"), value, "require")
	}
	q.targets["."] = append(q.targets["."], cmp.Or(q.Types, q.Typings, q.Main), "index.d.ts")
	// other files, which are no entry points
	q.targets["*"] = []string{"*"}
	// "*" sorts before the characters of names, so a pattern comes after keys
	q.keys = slices.SortedFunc(maps.Keys(q.targets), func(a, b string) int {
		return cmp.Or(len(b)-len(a), strings.Compare(b, a))
	})
	return q
}

// targets appends the files for the condition "import" or "require".
func targets(list []string, value any, condition string) []string {
	switch v := value.(type) {
	case string:
		return append(list, strings.TrimPrefix(v, "./"))
	case []any:
		for _, one := range v {
			list = targets(list, one, condition)
		}
	case map[string]any:
		for _, key := range []string{"types", condition, "node", "default"} {
			list = targets(list, v[key], condition)
		}
	}
	return list
}

// entries returns the keys of the entry points of a package: "." first, then keys with fewer parts before keys with more.
func (p *program) entries(q *pkg) []string {
	keys := []string{"."}
	for _, key := range q.keys {
		if relative().MatchString(key) {
			keys = append(keys, p.expand(q, key)...)
		}
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(strings.Count(a, "/")-strings.Count(b, "/"), strings.Compare(a, b))
	})
	keys = slices.Compact(keys)
	p.cut = len(keys) > maxEntries
	return keys[:min(len(keys), maxEntries)]
}

// expand returns a key, or the keys that one with "*" stands for: one for each file of declarations that fits a target.
func (p *program) expand(q *pkg, key string) (keys []string) {
	if !strings.Contains(key, "*") {
		return []string{key}
	}
	for _, target := range q.targets[key] {
		before, _, _ := strings.Cut(target, "*")
		for _, name := range p.files.List(q.dir, path.Dir(before+"x")) {
			file := name
			if !declarations().MatchString(target) {
				file = declarations().ReplaceAllString(name, ".${1}js")
			}
			if star, ok := match(target, file); ok && star != "" && declarations().MatchString(name) {
				keys = append(keys, strings.ReplaceAll(key, "*", star))
			}
		}
	}
	return keys
}

// match returns what the * of a pattern, which has at most one, stands for in a text.
func match(pattern, text string) (star string, ok bool) {
	before, after, has := strings.Cut(pattern, "*")
	star, begins := strings.CutPrefix(text, before)
	star, ends := strings.CutSuffix(star, after)
	return star, begins && ends && (has || star == "")
}

var (
	declarations = lazyregexp.New(`\.d\.([mc]?)ts$`)
	extension    = lazyregexp.New(`\.[mc]?[jt]sx?$`)
	packageName  = lazyregexp.New(`^(?:@[^/]+/)?[^/]+`)
	relative     = lazyregexp.New(`^\.\.?(?:/|$)`)
	// It begins with a literal, so it is looked for fast.
	referenced = lazyregexp.New(`\n/// <reference path=["']([^"']+)["']`)
)

// load returns the module of the first file that exists of the declarations of a file, which may have any extension or none.
func (p *program) load(q *pkg, name string) *module {
	base := extension().ReplaceAllString(name, "")
	for _, file := range []string{name, base + ".d.ts", base + ".d.mts", base + ".d.cts", base + "/index.d.ts", base + "/index.d.mts", base + "/index.d.cts", name + ".d.ts"} {
		if m := p.file(q, path.Clean(file)); m != nil {
			return m
		}
	}
	return nil
}

// file returns the module of a file, with the declarations of files that it refers to. It returns nil if the file does not exist.
func (p *program) file(q *pkg, name string) *module {
	if m, known := q.modules[name]; known {
		return m
	}
	q.modules[name] = nil
	m, names := newModule(q, name, newModule(q, name, nil)), []string{name}
	for i := 0; i < len(names); i++ {
		text := p.read(q, names[i])
		if text == "" && i == 0 {
			return nil
		}
		m.closed = i > 0
		m.parse(text)
		for _, f := range referenced().FindAllStringSubmatch("\n"+text, maxEntries-len(names)) {
			names = appendNew(names, path.Join(path.Dir(names[i]), f[1]))
		}
	}
	q.modules[name] = m
	return m
}

// read returns the text of a file, or "" if it does not exist.
func (p *program) read(q *pkg, name string) string {
	if !declarations().MatchString(name) || !fs.ValidPath(name) {
		return ""
	} else if p.size >= maxSource || p.ctx.Err() != nil {
		p.cut = true
		return ""
	}
	data, _ := p.files.Read(q.dir, name)
	if most := min(MaxFile, maxSource-p.size); len(data) >= most {
		p.cut, data = true, data[:most]
	}
	p.size += max(len(data), minFile)
	return strings.ToValidUTF8(strings.TrimPrefix(string(data), "\ufeff"), "\ufffd")
}

// find returns the module that an import of name in the module from refers to, or nil.
func (p *program) find(from *module, name string) *module {
	q, short := from.pkg, packageName().FindString(name)
	sub := "." + strings.TrimPrefix(name, short)
	if relative().MatchString(name) {
		return p.load(q, path.Join(path.Dir(from.path), name))
	} else if strings.HasPrefix(name, "#") {
		return p.entry(q, name)
	}
	for _, short := range []string{short, typesOf(short)} {
		if dir, ok := p.files.Package(q.dir, short); ok {
			if m := p.entry(p.packageIn(dir), sub); m != nil {
				return m
			}
		}
	}
	return from.ambient.symbol(name).space
}

// typesOf returns the name of the package of declarations for a package without its own.
func typesOf(name string) string {
	return "@types/" + strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "__")
}

// entry returns the module of a key of "exports" or "imports", or of another file such as "./x".
func (p *program) entry(q *pkg, key string) *module {
	for _, pattern := range q.keys {
		if star, ok := match(pattern, key); ok {
			for _, target := range q.targets[pattern] {
				if m := p.load(q, strings.ReplaceAll(target, "*", star)); m != nil {
					if ambient := m.ambient.symbol(path.Join(q.Name, key)).space; ambient != nil && len(m.exports) == 0 {
						return ambient
					}
					return m
				}
			}
			return nil
		}
	}
	return nil
}

// exportsOf returns the exports of a module in the order of their statements. The exports of "export *" come last.
func (p *program) exportsOf(m *module) []*symbol {
	if m == nil {
		return nil
	}
	stars := m.stars
	m.stars, m.closed = nil, false
	for _, star := range stars {
		if all := p.follow(star, 0); all != nil {
			for _, s := range p.exportsOf(all.space) {
				if p.linked >= maxLinks && len(m.exports) >= fewLinks {
					p.cut = true
				} else if s.name != "default" && m.export(s) {
					p.linked++
				}
			}
		}
	}
	return m.exports
}

// follow returns the symbol with declarations or a module that a symbol refers to, or nil. One that refers to itself has none.
func (p *program) follow(s *symbol, depth int) *symbol {
	if s == nil || len(s.decls) > 0 || s.isModule() {
		return s
	}
	if ref := s.ref; ref != "" {
		if s.ref = ""; s.other == "" {
			s.found = p.lookup(s.from, ref, depth)
		} else {
			s.found = p.member(p.find(s.from, s.other), ref, depth)
		}
	}
	return s.found
}

// member returns the export of a module with a name. The name "=" is what "require" returns.
func (p *program) member(m *module, name string, depth int) *symbol {
	if m == nil {
		return nil
	} else if name != "*" && name != "=" {
		p.exportsOf(m)
		return p.follow(m.byName[name], depth+1)
	}
	s := m.symbol(name)
	if s.ref == "" && s.found == nil {
		s.space = m
	}
	return p.follow(s, depth+1)
}

// lookup finds the declaration of a name such as a or a.b in a module.
func (p *program) lookup(m *module, name string, depth int) (to *symbol) {
	if depth > maxDepth {
		return nil
	}
	first, rest, _ := strings.Cut(name, ".")
	for scope := m; scope != nil && to == nil; scope = scope.parent {
		to = p.follow(scope.names[first], depth+1)
	}
	for rest != "" && to != nil {
		first, rest, _ = strings.Cut(rest, ".")
		to = p.member(to.space, first, depth+1)
	}
	return to
}
