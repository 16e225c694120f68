package site

import "path"

var jupyterBook = &Generator{
	Name: "Jupyter Book", Markers: []string{"myst.yml", "_toc.yml"}, Extensions: []string{".md", ".ipynb", ".rst"}, Slug: GitHub,
	Skip: []string{"_build/**"}, Includes: []include{mystInclude, literalInclude},
	Open: func(r *reader, marker string) []*Site {
		v, dir := parse(marker, r.text(marker)), path.Dir(marker)
		if path.Base(marker) == "_toc.yml" && !r.has(join(dir, "_config.yml")) || path.Base(marker) == "myst.yml" && v.get("project") == nil && v.get("site") == nil {
			return nil
		}
		return []*Site{{Bare: true, Only: path.Base(marker) == "_toc.yml" || v.get("project", "toc") != nil, Trees: []*Tree{{Root: dir}}}}
	},
	Order: func(r *reader, s *Site, t *Tree) []Entry {
		var names []string
		walkStrings(map[string]any(parse(s.Config, r.text(s.Config))), 0, func(key string) bool { return key == "root" || key == "file" }, func(_, text string) {
			names = append(names, text)
		})
		return filesOf(r, t.Root, s.Extensions, names)
	},
}
