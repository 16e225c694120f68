package site

import (
	"cmp"
	"path"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

var mintlify = &Generator{
	Name: "Mintlify", Lacks: "pages made of OpenAPI files; components that packages define",
	Unread:  map[string]string{"api openapi": "the pages that are made of OpenAPI files are missing"},
	Markers: []string{"docs.json", "mint.json"}, Extensions: []string{".mdx", ".md"}, Index: []string{"index"},
	Keys: Keys{Title: "name"},
	Skip: []string{"snippets/**", "**/{README,CONTRIBUTING,LICENSE,CODE_OF_CONDUCT,CHANGELOG}.md", "**/_*"},
	Open: func(r *reader, s *Site) bool {
		v, main := mintlifyConfig(r, s.Config), s.Trees[0]
		if v.Get("navigation") == nil {
			return false
		}
		s.settings, s.Skip = v, gitGlobs(values{"p": r.text(join(s.Dir, ".mintignore"))}.List("p"))
		s.redirects(v, "")
		for i, l := range v.Subs("navigation", "languages") {
			code := cmp.Or(l.Str("language"), "en")
			if i == 0 || l.Is("default") {
				main.Language = strings.ToLower(code)
			}
			for _, name := range []string{code, strings.ToLower(code)} {
				if root := join(s.Dir, name); r.isDir(root) && strings.ToLower(code) != main.Language {
					s.speak(main, name, root)
					break
				}
			}
		}
		s.versions(v.Get("navigation"))
		return true
	},
	Order: func(n *navigation, s *Site, t *Tree) {
		n.addTexts(s.settings.Get("navigation"), "pages root", t.Prefix, true)
	},
}

// mintlifyConfig reads a configuration with the files that its $ref name.
func mintlifyConfig(r *reader, file string) values {
	files := 50 // that are read: a file may name others many times, which may do the same
	var fill func(x any, dir string) any
	fill = func(x any, dir string) any {
		switch x := x.(type) {
		case map[string]any:
			if ref, ok := x["$ref"].(string); ok && files > 0 {
				name := join(dir, ref)
				text := r.configuration(name)
				files--
				return fill(r.parse(name+".json", `{"ref": `+text+`}`).Get("ref"), path.Dir(name)) // an object or a list
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
	v, _ := fill(map[string]any(r.parse(file, r.configuration(file))), path.Dir(file)).(map[string]any)
	return v
}

// versions finds the folders of the versions in a navigation: of the names in the paths of a version's pages, the one that
// most of them have and that no page of another version has.
func (site *Site) versions(navigation any) {
	type place struct{ folder, version string } // their names
	counts, versions := make(map[place]int), make(map[string]int)
	pages := make(map[string]int) // by the name of a version
	chosen := settings.Text{}
	for _, x := range settings.Texts(navigation, false) {
		if x.Version == "" || x.Key != "pages" && x.Key != "root" {
			continue
		}
		if chosen.Version == "" || x.Default && !chosen.Default {
			chosen = x
		}
		pages[x.Version]++
		for name := range strings.SplitSeq(path.Dir(strings.Trim(x.Text, "/")), "/") {
			if counts[place{name, x.Version}]++; counts[place{name, x.Version}] == 1 {
				versions[name]++
			}
		}
	}
	for at, n := range counts {
		if versions[at.folder] == 1 && n*2 > pages[at.version] && len(pages) > 1 {
			if site.Versions == nil {
				site.Versions = make(map[string]string)
			}
			if site.Versions[at.folder] = at.version; at.version == chosen.Version {
				site.Latest = at.folder
			}
		}
	}
}
