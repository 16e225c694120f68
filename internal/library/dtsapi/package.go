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

type object = map[string]any // of JSON

// A pkg is a package with declarations. The exported fields are fields of package.json.
type pkg struct {
	dir                        string
	Name, Types, Typings, Main string
	Exports, Imports           any
	exports                    object // with keys that begin with "."; nil: none
	Dependencies               object
}

// A program is the modules of one description.
type program struct {
	ctx       context.Context
	files     Files
	packages  map[string]*pkg
	modules   map[[2]string]*module // by folder of the package and path; nil: the file does not exist
	read      int                   // bytes
	exported  int                   // names in all modules
	following int                   // modules whose exports are being found
	cut       bool                  // something is left out because of a bound
}

// packageIn returns the package in a folder.
func (p *program) packageIn(dir string) *pkg {
	q := p.packages[dir]
	if q == nil {
		q = &pkg{dir: dir}
		data, _ := p.files.Read(dir, "package.json")
		_ = json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), q) // fields of other types stay empty
		q.exports, _ = q.Exports.(object)
		if q.Exports != nil && !slices.ContainsFunc(slices.Collect(maps.Keys(q.exports)), relative().MatchString) {
			q.exports = object{".": q.Exports}
		}
		p.packages[dir] = q
	}
	return q
}

// allTargets returns the files that a value of "exports" or "imports" names for types, in the order of preference.
func allTargets(value any) []string {
	return append(targets(value, "import", 0), targets(value, "require", 0)...)
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
	case object:
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
	for _, key := range slices.Sorted(maps.Keys(q.exports)) {
		if !strings.Contains(key, "*") {
			keys = append(keys, key)
			continue
		}
		for _, target := range allTargets(q.exports[key]) {
			keys = append(keys, p.matching(q, key, target)...)
		}
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(strings.Count(a, "/")-strings.Count(b, "/"), strings.Compare(a, b))
	})
	keys = slices.Compact(keys)
	if len(keys) > maxEntries {
		p.cut, keys = true, keys[:maxEntries]
	}
	return keys
}

// matching returns the keys that a pattern stands for.
func (p *program) matching(q *pkg, pattern, target string) (keys []string) {
	before, after, _ := strings.Cut(strings.TrimPrefix(target, "./"), "*")
	for _, name := range p.files.List(q.dir, path.Dir(before+"x")) {
		whole := name
		if !declarations().MatchString(after) {
			whole = declarations().ReplaceAllString(name, ".${1}js")
		}
		if star, ok := match(before+"*"+after, whole); ok && star != "" && declarations().MatchString(name) {
			keys = append(keys, strings.ReplaceAll(pattern, "*", star))
		}
	}
	return keys
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
	candidates := []string{name}
	if !declarations().MatchString(name) {
		base := extension().ReplaceAllString(name, "")
		candidates = []string{base + ".d.ts", base + ".d.mts", base + ".d.cts", base + "/index.d.ts", base + "/index.d.mts", base + "/index.d.cts", name + ".d.ts"}
	}
	for _, candidate := range candidates {
		if m := p.parse(q, path.Clean(candidate)); m != nil {
			return m
		}
	}
	return nil
}

// parse reads a file, with the declarations of the files that it refers to. It returns nil if the file does not exist.
func (p *program) parse(q *pkg, name string) *module {
	key := [2]string{q.dir, name}
	if m, known := p.modules[key]; known || !fs.ValidPath(name) {
		return m
	}
	if len(p.modules) >= 8*maxModules || p.read >= maxSource || p.ctx.Err() != nil {
		p.cut = true
		return nil
	}
	p.modules[key] = nil
	data, err := p.files.Read(q.dir, name)
	if err != nil {
		return nil
	}
	if most := min(MaxFile, maxSource-p.read); len(data) >= most {
		p.cut, data = true, data[:most]
	}
	p.read += len(data)
	src := strings.ToValidUTF8(string(bytes.TrimPrefix(data, []byte("\ufeff"))), "\ufffd")
	m := parse(&module{pkg: q, path: name}, src)
	p.modules[key] = m
	if strings.Contains(src, "/// <reference path=") {
		for _, f := range referenced().FindAllStringSubmatch(src, 100) {
			p.addReferenced(m, p.load(q, path.Join(path.Dir(name), f[1])))
		}
	}
	return m
}

// addReferenced adds the declarations of a file that a module refers to.
func (p *program) addReferenced(m, other *module) {
	if other == nil || other == m {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(other.ambient)) {
		if !relative().MatchString(name) {
			m.augment(name, other.ambient[name])
		} else if p.find(other, name) == m {
			m.inner().merge(other.ambient[name])
		}
	}
	if len(other.exports) == 0 {
		m.merge(&module{names: other.names, decls: other.decls})
	}
}

// inner returns the namespace that "export =" names, or the module.
func (m *module) inner() *module {
	return append(m.namespaces(m.equals), m)[0]
}

// find returns the module that an import of name in the module from refers to, or nil.
func (p *program) find(from *module, name string) *module {
	q := from.pkg
	if relative().MatchString(name) {
		return p.load(q, path.Join(path.Dir(from.path), name))
	} else if strings.HasPrefix(name, "#") {
		imports, _ := q.Imports.(object)
		return p.mapped(q, imports, name)
	}
	short := packageName().FindString(name)
	sub := "." + strings.TrimPrefix(name, short)
	if short == q.Name {
		return p.entry(q, sub)
	}
	for _, short := range []string{short, TypesOf(short)} {
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

// TypesOf returns the name of the package of declarations for a package without its own.
func TypesOf(name string) string {
	return "@types/" + strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "__")
}

// mapped returns the module that the fields of "exports" or "imports" name for a key, which may be one of their patterns.
func (p *program) mapped(q *pkg, fields object, key string) *module {
	longest, star := "", ""
	var value any
	for _, pattern := range slices.Sorted(maps.Keys(fields)) { // "*" sorts before the characters of names, so a key comes after patterns
		if s, ok := match(pattern, key); ok && len(pattern) >= len(longest) {
			longest, star, value = pattern, s, fields[pattern]
		}
	}
	for _, target := range allTargets(value) {
		if m := p.load(q, strings.ReplaceAll(target, "*", star)); m != nil {
			return m
		}
	}
	return nil
}

// entry returns the module of an entry point: "." or "./x".
func (p *program) entry(q *pkg, key string) *module {
	m := p.mapped(q, q.exports, key)
	if m == nil && (q.Exports == nil || key == ".") {
		if key == "." {
			m = p.load(q, cmp.Or(q.Types, q.Typings, q.Main, "index.d.ts"))
		}
		if m == nil {
			m = p.load(q, path.Join(key, "index.d.ts"))
		}
	}
	if m != nil && len(m.exports) == 0 && m.ambient[path.Join(q.Name, key)] != nil {
		return m.ambient[path.Join(q.Name, key)]
	}
	return m
}
