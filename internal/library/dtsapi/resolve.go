package dtsapi

import (
	"bytes"
	"cmp"
	"context"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
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

// match returns what the * of a pattern, which has at most one, stands for in a text.
func match(pattern, text string) (star string, ok bool) {
	before, after, has := strings.Cut(pattern, "*")
	if !has {
		return "", text == pattern
	}
	if len(text) < len(before)+len(after) || !strings.HasPrefix(text, before) || !strings.HasSuffix(text, after) {
		return "", false
	}
	return text[len(before) : len(text)-len(after)], true
}

type object = map[string]any // of JSON

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

// A file is a source file.
type file struct {
	pkg  *pkg
	path string
	src  string
}

func (f *file) text(s span) string { return f.src[s.start:s.end] }

// candidates returns the names of the declarations of a file, which may have any extension or none.
func candidates(name string) []string {
	for _, e := range [][2]string{{".js", ".d.ts"}, {".mjs", ".d.mts"}, {".cjs", ".d.cts"}, {".jsx", ".d.ts"}} {
		if base, ok := strings.CutSuffix(name, e[0]); ok {
			return []string{base + e[1], base + ".d.ts", name + ".d.ts"}
		}
	}
	if isDeclarations(name) {
		return []string{name}
	}
	base := strings.TrimSuffix(name, ".ts") // a source file, of which a package has only the declarations
	return []string{base + ".d.ts", base + ".d.mts", base + ".d.cts", base + "/index.d.ts", base + "/index.d.mts", base + "/index.d.cts"}
}

func isDeclarations(name string) bool {
	return strings.HasSuffix(name, ".d.ts") || strings.HasSuffix(name, ".d.mts") || strings.HasSuffix(name, ".d.cts")
}

// load returns the module of the first file that exists of the candidates for a name.
func (p *program) load(q *pkg, name string) *module {
	name = path.Clean(strings.TrimPrefix(name, "./"))
	for _, candidate := range candidates(name) {
		if candidate = path.Clean(candidate); !inside(candidate) {
			continue
		}
		key := [2]string{q.dir, candidate}
		m, known := p.modules[key]
		if !known {
			m = p.parse(q, candidate)
			p.modules[key] = m
		}
		if m != nil {
			return m
		}
	}
	return nil
}

// inside reports whether a path does not lead out of a package.
func inside(name string) bool { return fs.ValidPath(name) }

// isRelative reports whether the name of a module is a path.
func isRelative(name string) bool {
	return name == "." || name == ".." || strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../")
}

// parse reads and parses a file, or returns nil.
func (p *program) parse(q *pkg, name string) *module {
	if len(p.modules) >= 8*maxModules || p.read >= maxSource || p.ctx.Err() != nil {
		p.cut = true
		return nil
	}
	data, err := p.files.Read(q.dir, name)
	if err != nil {
		return nil
	}
	if most := min(MaxFile, maxSource-p.read); len(data) >= most {
		p.cut = true
		data = data[:most]
	}
	p.read += len(data)
	src := strings.ToValidUTF8(string(bytes.TrimPrefix(data, []byte("\ufeff"))), "\ufffd")
	f := &file{q, name, src}
	m := parse(f, nil, span{0, len(src)})
	p.modules[[2]string{q.dir, name}] = m
	for _, to := range references(src) {
		if other := p.load(q, path.Join(path.Dir(name), to)); other != nil && other != m {
			p.augment(m, other)
		}
	}
	return m
}

// references returns the files that the comments /// <reference path="…" /> before the first statement name.
func references(src string) (list []string) {
	for line := range strings.Lines(src) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "/") && !strings.HasPrefix(line, "*") || len(list) == 100 {
			break
		}
		if rest, ok := strings.CutPrefix(line, "/// <reference path="); ok && len(rest) > 1 {
			if to, _, ok := strings.Cut(rest[1:], rest[:1]); ok {
				list = append(list, to)
			}
		}
	}
	return list
}

// augment adds the declarations of a referenced file to a module: its augmentations of modules and, if it is a script, its globals.
func (p *program) augment(m, other *module) {
	for _, name := range other.adds {
		to := m.ambient[name]
		if isRelative(name) && p.find(other, name) == m {
			to = m.equal()
		}
		if to != nil {
			to.merge(other.ambient[name])
		} else if !isRelative(name) {
			m.ambient[name] = other.ambient[name]
			m.adds = append(m.adds, name)
		}
	}
	if len(other.exports)+len(other.stars) == 0 { // a script
		for _, name := range other.names {
			if m.decls[name] == nil {
				m.names = append(m.names, name)
			}
			m.decls[name] = append(m.decls[name], other.decls[name]...)
		}
	}
}

// find returns the module that an import of name in the module from refers to, or nil.
func (p *program) find(from *module, name string) *module {
	q := from.file.pkg
	switch {
	case isRelative(name):
		return p.load(q, path.Join(path.Dir(from.file.path), name))
	case strings.HasPrefix(name, "#"):
		imports, _ := q.imports.(object)
		return p.mapped(q, imports, name)
	}
	var ambient *module
	for m := from; m != nil && ambient == nil; m = m.parent {
		if ambient = m.ambient[name]; ambient != nil && m.script {
			return ambient
		}
	}
	n := 1
	if strings.HasPrefix(name, "@") || strings.HasPrefix(name, ".") {
		n = 2
	}
	parts := strings.SplitN(name, "/", n+1)
	if len(parts) < n {
		return nil
	}
	short := strings.Join(parts[:n], "/")
	sub := "." + strings.TrimPrefix(name, short)
	if short == q.name {
		return p.entry(q, sub)
	}
	for _, short := range []string{short, TypesOf(short)} {
		if dir, ok := p.files.Package(q.dir, short); ok {
			if m := p.entry(p.packageIn(dir), sub); m != nil {
				return m
			}
		}
	}
	return ambient
}

// TypesOf returns the name of the package of declarations for a package without its own.
func TypesOf(name string) string {
	return "@types/" + strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "__")
}

// mapped returns the module that the fields of "exports" or "imports" name for a key, which may be one of their patterns.
func (p *program) mapped(q *pkg, fields object, key string) *module {
	longest, star := "", ""
	value, exact := fields[key]
	for _, pattern := range slices.Sorted(maps.Keys(fields)) {
		if s, ok := match(pattern, key); ok && !exact && len(pattern) > len(longest) {
			longest, star, value = pattern, s, fields[pattern]
		}
	}
	for _, required := range []string{"import", "require"} {
		for _, target := range targets(value, required, 0) {
			if m := p.load(q, strings.ReplaceAll(target, "*", star)); m != nil {
				return m
			}
		}
	}
	return nil
}

// entry returns the module of an entry point: "." or "./x".
func (p *program) entry(q *pkg, key string) *module {
	m := p.entryFile(q, key)
	if m != nil {
		name := path.Join(q.name, key)
		if ambient := m.ambient[name]; ambient != nil && len(m.exports)+len(m.stars) == 0 {
			return ambient
		}
	}
	return m
}

func (p *program) entryFile(q *pkg, key string) *module {
	if q.exports != nil {
		if m := p.mapped(q, q.fields(), key); m != nil || key != "." {
			return m
		}
	}
	name := strings.TrimPrefix(strings.TrimPrefix(key, "."), "/")
	if name == "" {
		name = cmp.Or(q.types, "index.d.ts")
	}
	if m := p.mapped(q, q.versions, "./"+strings.TrimPrefix(name, "./")); m != nil {
		return m
	}
	if m := p.load(q, name); m != nil || key != "." {
		return m
	}
	return p.load(q, "index.d.ts")
}
