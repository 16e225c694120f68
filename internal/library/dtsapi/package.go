package dtsapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
)

// A pkg is a package with declarations.
type pkg struct {
	dir, name    string
	types        string // of "types", "typings" or "main"
	exports      any    // parsed JSON; nil: none
	imports      any
	versions     object // of "typesVersions", with keys of the same form as in "exports"
	dependencies object
}

// depends reports whether package.json lists a package among the dependencies that are installed with q.
func (q *pkg) depends(name string) bool { return q.dependencies[name] != nil }

// packageIn returns the package in a folder.
func (p *program) packageIn(dir string) *pkg {
	if known, ok := p.packages[dir]; ok {
		return known
	}
	q := &pkg{dir: dir}
	p.packages[dir] = q
	data, err := p.files.Read(dir, "package.json")
	if err != nil {
		return q
	}
	var o object
	_ = json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), &o)
	text := func(key string) string { s, _ := o[key].(string); return s }
	q.name, q.types = text("name"), cmp.Or(text("types"), text("typings"), text("main"))
	q.exports, q.imports = o["exports"], o["imports"]
	q.dependencies, _ = o["dependencies"].(object)
	versions, _ := o["typesVersions"].(object)
	for _, version := range slices.Sorted(maps.Keys(versions)) { // the last one is the newest; "<" is for an older TypeScript
		if paths, ok := versions[version].(object); ok && !strings.HasPrefix(version, "<") {
			q.versions = object{}
			for pattern, target := range paths {
				q.versions["./"+pattern] = target
			}
		}
	}
	return q
}

// targets returns the files that a value of "exports" or "imports" names for types, in the order of preference.
func targets(value any, required string, depth int) (list []string) {
	if depth > maxDepth {
		return nil
	}
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		for _, one := range v {
			list = append(list, targets(one, required, depth+1)...)
		}
	case object:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if strings.HasPrefix(key, "types@") { // for some versions of TypeScript
				list = append(list, targets(v[key], required, depth+1)...)
			}
		}
		for _, key := range []string{"types", required, "node", "default"} {
			list = append(list, targets(v[key], required, depth+1)...)
		}
	}
	return list
}

// fields returns "exports" with keys that begin with ".".
func (q *pkg) fields() object {
	o, ok := q.exports.(object)
	for key := range o {
		ok = ok && strings.HasPrefix(key, ".")
	}
	if ok {
		return o
	}
	return object{".": q.exports}
}

// entries returns the keys of the entry points of a package: "." first, then keys with fewer parts before keys with more.
func (p *program) entries(q *pkg) []string {
	keys := []string{"."}
	if q.exports != nil {
		for key, value := range q.fields() {
			if !strings.Contains(key, "*") {
				keys = append(keys, key)
				continue
			}
			for _, required := range []string{"import", "require"} {
				for _, target := range targets(value, required, 0) {
					keys = append(keys, p.matching(q, key, target)...)
				}
			}
		}
	} else {
		for key := range q.versions {
			if !strings.Contains(key, "*") && strings.TrimPrefix(key, "./") != strings.TrimPrefix(q.types, "./") {
				keys = append(keys, key)
			}
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
	before, after, ok := strings.Cut(strings.TrimPrefix(target, "./"), "*")
	if !ok || strings.Contains(after, "*") {
		return nil
	}
	for _, name := range p.files.List(q.dir, path.Dir(before+"x")) {
		if !isDeclarations(name) {
			continue
		}
		whole := name
		if !isDeclarations(after) {
			base := name[:strings.LastIndex(name, ".d.")]
			whole = base + strings.Replace(name[len(base)+len(".d"):], "ts", "js", 1)
		}
		if star, ok := match(before+"*"+after, whole); ok && star != "" {
			keys = append(keys, strings.ReplaceAll(pattern, "*", star))
		}
	}
	return keys
}
