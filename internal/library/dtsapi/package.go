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
	Exports, Imports           any
	Dependencies               map[string]any
	files                      []mapping // the most specific key first
}

// A mapping is a key of "exports" or "imports", and a file for it, in the order of preference. Both may have one "*". "/" is no file.
type mapping struct{ key, file string }

// A program is the description of a package that is being made.
type program struct {
	ctx      context.Context
	files    Files
	name     string // in imports
	owner    *pkg
	packages map[string]*pkg
	modules  map[[2]string]*module // by folder of the package and path; nil: the file does not exist
	claimed  map[target]bool       // what has a section
	reads    int                   // files
	size     int                   // bytes of files
	listing  int                   // modules whose exports are being listed
	exported int                   // names in all modules
	queue    []*section            // of a page
	written  int                   // bytes of all pages
	cut      bool                  // something is left out because of a bound
}

// packageIn returns the package in a folder.
func (p *program) packageIn(dir string) *pkg {
	if q := p.packages[dir]; q != nil {
		return q
	}
	q := &pkg{dir: dir}
	p.packages[dir] = q
	data, _ := p.files.Read(dir, "package.json")
	_ = json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), q) // fields of other types stay empty
	fields, _ := q.Exports.(map[string]any)
	if !slices.ContainsFunc(slices.Collect(maps.Keys(fields)), relative().MatchString) {
		fields = map[string]any{".": q.Exports}
	}
	imports, _ := q.Imports.(map[string]any)
	maps.Copy(fields, imports)
	for key, value := range fields {
		for _, file := range append(append(targets(value, "import", 0), targets(value, "require", 0)...), "/") {
			q.files = append(q.files, mapping{key, strings.TrimPrefix(file, "./")})
		}
	}
	q.files = append(q.files, mapping{".", cmp.Or(q.Types, q.Typings, q.Main)}, mapping{".", "index.d.ts"})
	if q.Exports == nil {
		q.files = append(q.files, mapping{"./*", "*"})
	}
	slices.SortStableFunc(q.files, func(a, b mapping) int { // "*" sorts before the characters of names, so a pattern comes after keys
		return cmp.Or(len(b.key)-len(a.key), strings.Compare(b.key, a.key))
	})
	return q
}

// targets returns the files for the condition "import" or "require".
func targets(value any, condition string, depth int) (list []string) {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		for _, one := range v {
			list = append(list, targets(one, condition, depth+1)...)
		}
	case map[string]any:
		keys := slices.DeleteFunc(slices.Sorted(maps.Keys(v)), func(key string) bool { return !strings.HasPrefix(key, "types@") }) // for some versions of TypeScript
		for _, key := range append(keys, "types", condition, "node", "default") {
			if depth < maxDepth {
				list = append(list, targets(v[key], condition, depth+1)...)
			}
		}
	}
	return list
}

// entries returns the keys of the entry points of a package: "." first, then keys with fewer parts before keys with more.
func (p *program) entries(q *pkg) []string {
	keys := []string{"."}
	for _, to := range q.files {
		before, _, pattern := strings.Cut(to.file, "*")
		switch {
		case q.Exports == nil || !relative().MatchString(to.key):
		case !strings.Contains(to.key, "*"):
			keys = append(keys, to.key)
		case pattern:
			for _, name := range p.files.List(q.dir, path.Dir(before+"x")) {
				file := name
				if !declarations().MatchString(to.file) {
					file = declarations().ReplaceAllString(name, ".${1}js")
				}
				if star, ok := match(to.file, file); ok && star != "" && declarations().MatchString(name) {
					keys = append(keys, strings.ReplaceAll(to.key, "*", star))
				}
			}
		}
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(strings.Count(a, "/")-strings.Count(b, "/"), strings.Compare(a, b))
	})
	keys = slices.Compact(keys)
	p.cut = len(keys) > maxEntries
	return keys[:min(len(keys), maxEntries)]
}

// match returns what the * of a pattern, which has at most one, stands for in a text.
func match(pattern, text string) (star string, ok bool) {
	before, after, has := strings.Cut(pattern, "*")
	if !has {
		return "", text == pattern
	}
	star, ok = strings.CutPrefix(text, before)
	star, found := strings.CutSuffix(star, after)
	return star, ok && found
}

var (
	declarations = lazyregexp.New(`\.d\.([mc]?)ts$`)
	extension    = lazyregexp.New(`\.[mc]?[jt]sx?$`)
	packageName  = lazyregexp.New(`^(?:@[^/]+/)?[^/]+`)
	relative     = lazyregexp.New(`^\.\.?(?:/|$)`)
	referenced   = lazyregexp.New(`(?m)^/// <reference path=["']([^"']+)["']`)
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
	key := [2]string{q.dir, name}
	if m, known := p.modules[key]; known {
		return m
	}
	m, exports, names := &module{pkg: q, path: name}, []*symbol(nil), []string{name}
	for i := 0; i < len(names); i++ {
		text := p.read(q, names[i])
		if m.parse(text); i == 0 {
			if exports, p.modules[key] = m.exports, m; text == "" {
				p.modules[key] = nil
			}
		}
		for _, f := range referenced().FindAllStringSubmatch(text, maxEntries) {
			if other := path.Join(path.Dir(names[i]), f[1]); len(names) < maxEntries && !slices.Contains(names, other) {
				names = append(names, other)
			}
		}
	}
	m.exports = exports
	return p.modules[key]
}

// read returns the text of a file, or "" if it does not exist.
func (p *program) read(q *pkg, name string) string {
	if !declarations().MatchString(name) || !fs.ValidPath(name) {
		return ""
	} else if p.reads++; p.reads > maxReads || p.size >= maxSource || p.ctx.Err() != nil {
		p.cut = true
		return ""
	}
	data, _ := p.files.Read(q.dir, name)
	if most := min(MaxFile, maxSource-p.size); len(data) >= most {
		p.cut, data = true, data[:most]
	}
	p.size += len(data)
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
	for m := from; m != nil; m = m.parent {
		if ambient := m.ambient[name]; ambient != nil {
			return ambient
		}
	}
	return nil
}

// typesOf returns the name of the package of declarations for a package without its own.
func typesOf(name string) string {
	return "@types/" + strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "__")
}

// entry returns the module of a key of "exports" or "imports", or of another file such as "./x".
func (p *program) entry(q *pkg, key string) *module {
	best := ""
	for _, to := range q.files {
		star, ok := match(to.key, key)
		if !ok || best != "" && best != to.key {
			continue
		}
		best = to.key
		if m := p.load(q, strings.ReplaceAll(to.file, "*", star)); m != nil {
			if ambient := m.ambient[path.Join(q.Name, key)]; ambient != nil && len(m.exports) == 0 {
				return ambient
			}
			return m
		}
	}
	return nil
}

// A target is declarations of one name in a module, or the module itself.
type target struct {
	module *module // nil: there are none
	local  string  // the name of the declarations; "*": the module itself; "=": the module of "import x = require"
}

// A symbol is a name that a module imports or exports, and what it refers to. Modules with "export *" share it.
type symbol struct {
	name, other string  // other: the module that it comes from, or ""
	from        *module // with the statement
	ref         string  // a name in the module, or of the other one. "*" is the other one itself.
	followed    bool
	found       target
}

func (t target) isModule() bool { return t.local == "*" || t.local == "=" }

// space returns the module whose exports are the members of a target: a namespace, or a module. It may be nil.
func (t target) space() *module {
	if t.module == nil || t.isModule() {
		return t.module
	}
	return t.module.spaces[t.local]
}

// exportsOf returns the exports of a module in the order of their statements. The exports of "export *" come last.
func (p *program) exportsOf(m *module) []*symbol {
	if m == nil {
		return nil
	} else if m.byName != nil {
		return m.symbols
	}
	outermost := p.listing == 0
	p.listing++
	m.byName = make(map[string]*symbol)
	add := func(s *symbol) {
		if m.byName[s.name] != nil || !valid().MatchString(s.name) {
			return
		}
		if p.exported++; p.exported > maxLinks && (!outermost || len(m.symbols) >= maxExports) {
			p.cut = true
			return
		}
		m.byName[s.name], m.symbols = s, append(m.symbols, s)
	}
	for _, s := range m.exports {
		add(s)
	}
	for _, s := range p.exportsOf(p.lookup(m, m.equals, 0).space()) {
		add(s)
	}
	for _, name := range m.stars {
		for _, s := range p.exportsOf(p.find(m, name)) {
			if s.name != "default" {
				add(s)
			}
		}
	}
	p.listing--
	return m.symbols
}

// follow returns what a symbol refers to. One that refers to itself has no declarations.
func (p *program) follow(s *symbol, depth int) target {
	if s.followed {
		return s.found
	}
	if s.followed = true; s.other == "" {
		s.found = p.lookup(s.from, s.ref, depth)
	} else {
		s.found = p.member(p.find(s.from, s.other), s.ref, depth)
	}
	return s.found
}

// member returns the export of a module with a name. The name "=" is what "require" returns.
func (p *program) member(m *module, name string, depth int) target {
	if m == nil || name == "*" || name == "=" && m.equals == "" {
		return target{m, name}
	} else if name == "=" {
		name = "default"
	}
	if p.exportsOf(m); m.byName[name] != nil {
		return p.follow(m.byName[name], depth+1)
	}
	return target{}
}

// lookup finds the declaration of a name such as a or a.b in a module.
func (p *program) lookup(m *module, name string, depth int) (to target) {
	if depth > maxDepth || name == "" {
		return to
	}
	first, rest, _ := strings.Cut(name, ".")
	for scope := m; scope != nil && to.module == nil; scope = scope.parent {
		if len(scope.decls[first]) > 0 {
			to = target{scope, first}
		} else if imported := scope.imports[first]; imported != nil {
			to = p.follow(imported, depth+1)
			break
		}
	}
	for rest != "" {
		inner := to.space()
		first, rest, _ = strings.Cut(rest, ".")
		if to = p.member(inner, first, depth+1); to.module == nil && inner != nil && len(inner.decls[first]) > 0 {
			to = target{inner, first}
		}
	}
	return to
}
