package site

import (
	"cmp"
	"path"
	"strings"
)

var mintlify = &Generator{
	Name: "Mintlify", Markers: []string{"docs.json", "mint.json"}, Extensions: []string{".mdx", ".md"},
	Skip:     []string{"snippets/**", "**/{README,CONTRIBUTING,LICENSE,CODE_OF_CONDUCT,CHANGELOG}.md", "**/_*"},
	Includes: []include{mdxImport, mintSnippet},
	Open: func(r *reader, marker string) []*Site {
		v, dir := mintlifyConfig(r, marker), path.Dir(marker)
		if v.get("navigation") == nil {
			return nil
		}
		s := &Site{Bare: true, Static: []string{dir}, Skip: gitGlobs(values{"p": r.text(join(dir, ".mintignore"))}.list("p"))}
		main := &Tree{Root: dir}
		s.Trees = []*Tree{main}
		languages, _ := v.get("navigation", "languages").([]any)
		for i, l := range languages {
			l, _ := l.(map[string]any)
			code := values(l).str("language")
			if code == "" {
				code = "en"
			}
			if i == 0 || values(l).is("default") {
				main.Language = strings.ToLower(code)
			}
			for _, name := range []string{code, strings.ToLower(code)} {
				if root := join(dir, name); name != "" && r.isDir(root) && strings.ToLower(code) != main.Language {
					s.Trees = append(s.Trees, &Tree{Root: root, Language: strings.ToLower(code), Prefix: name + "/", Other: true})
					break
				}
			}
		}
		versions, _ := v.get("navigation", "versions").([]any)
		for i, x := range versions {
			x, _ := x.(map[string]any)
			name := values(x).str("version")
			if root := join(dir, name); name != "" && r.isDir(root) {
				s.Trees = append(s.Trees, &Tree{Root: root, Version: name, Prefix: name + "/", Other: i > 0 && !values(x).is("default")})
			}
		}
		return []*Site{s}
	},
	Order: func(r *reader, s *Site, t *Tree) []Entry {
		var names []string
		walkStrings(mintlifyConfig(r, s.Config).get("navigation"), 0, func(key string) bool { return key == "pages" || key == "root" },
			func(_, text string) { names = append(names, text) })
		var below []string
		for _, name := range names {
			if rest, ok := strings.CutPrefix(strings.Trim(name, "/"), t.Prefix); ok {
				below = append(below, rest)
			}
		}
		return filesOf(r, t.Root, s.Extensions, below)
	},
}

// mintlifyConfig reads a configuration with the files that its $ref name.
func mintlifyConfig(r *reader, file string) values {
	budget := 50 // files
	var fill func(x any, dir string) any
	fill = func(x any, dir string) any {
		switch x := x.(type) {
		case map[string]any:
			if ref, ok := x["$ref"].(string); ok && budget > 0 {
				budget--
				name := join(dir, ref)
				return fill(map[string]any(parse(".json", r.text(name))), path.Dir(name))
			}
			for k, v := range x {
				x[k] = fill(v, dir)
			}
		case []any:
			for i, e := range x {
				x[i] = fill(e, dir)
			}
		}
		return x
	}
	v, _ := fill(map[string]any(parse(".json", r.text(file))), path.Dir(file)).(map[string]any)
	return v
}

var nextra = &Generator{
	Name: "Nextra", Markers: []string{"next.config.js", "next.config.mjs", "next.config.ts", "next.config.cjs"}, Extensions: []string{".mdx", ".md"}, Skip: []string{"**/_*", "**/_*/**", "**/node_modules/**"},
	Open: func(r *reader, marker string) []*Site {
		dir, text := path.Dir(marker), r.text(marker)
		if !strings.Contains(text, "nextra") {
			return nil
		}
		for _, root := range []string{"content", "src/content", "app", "src/app", "pages", "src/pages"} {
			if !r.isDir(join(dir, root)) {
				continue
			}
			s := &Site{Bare: true, Static: []string{join(dir, "public")}, Trees: []*Tree{{Root: join(dir, root)}}}
			if strings.HasSuffix(root, "app") {
				s.Keep = []string{"**/page.{md,mdx}"}
			}
			return []*Site{s}
		}
		return nil
	},
	Route: func(s *Site, p *Page) string {
		r := strings.TrimSuffix(p.plainRoute(), "/page")
		return cmp.Or(withoutGroups(r), "/")
	},
}

var fumadocs = &Generator{
	Name: "Fumadocs", Markers: []string{"source.config.ts", "source.config.js", "source.config.mjs"}, Extensions: []string{".mdx", ".md"},
	Includes: []include{fumaInclude, mdxImport},
	Open: func(r *reader, marker string) []*Site {
		dir := path.Dir(marker)
		for _, root := range append(compile(`\bdir\s*:\s*['"]([^'"]+)`).FindStringSubmatch(r.text(marker))[min(1, len(compile(`\bdir\s*:\s*['"]([^'"]+)`).FindStringSubmatch(r.text(marker)))):], "content/docs", "content") {
			if r.isDir(join(dir, root)) {
				return []*Site{{Bare: true, Static: []string{join(dir, "public")}, Trees: []*Tree{{Root: join(dir, root)}}}}
			}
		}
		return nil
	},
	Route: func(s *Site, p *Page) string { return cmp.Or(withoutGroups(p.plainRoute()), "/") },
	Order: func(r *reader, s *Site, t *Tree) []Entry { return metaOrder(r, t.Root, s.Extensions, 0) },
}

// withoutGroups leaves out folders in parentheses, which routes do not have.
func withoutGroups(route string) string {
	return compile(`/\([^/]*\)`).ReplaceAllString(route, "")
}

// metaOrder returns the pages of a folder in the order of its meta.json.
func metaOrder(r *reader, dir string, extensions []string, depth int) (entries []Entry) {
	if depth > 10 {
		return nil
	}
	names := parse(".json", r.text(join(dir, "meta.json"))).list("pages")
	if len(names) == 0 {
		return folderEntries(r, dir, extensions, depth)
	}
	for _, name := range names {
		if name = strings.TrimPrefix(name, "..."); r.isDir(join(dir, name)) && name != "" {
			entries = append(entries, metaOrder(r, join(dir, name), extensions, depth+1)...)
			continue
		}
		if name != "" && !strings.HasPrefix(name, "---") {
			entries = append(entries, filesOf(r, dir, extensions, []string{name})...)
		}
	}
	return entries
}
