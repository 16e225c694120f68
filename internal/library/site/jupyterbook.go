package site

import (
	"path"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

var jupyterBook = &Generator{
	Name: "Jupyter Book", Lacks: "outputs of cells, references to figures and equations",
	Markers: []string{"myst.yml", "_toc.yml"}, Extensions: []string{".md", ".ipynb", ".rst"}, Labels: true,
	Skip: []string{"_build/**"}, Makers: []maker{mystDirective, rstDirective}, Includes: []include{mystInclude, literalInclude},
	Open: func(r *reader, marker string) []*Site {
		v, dir := settings.Parse(marker, r.text(marker)), path.Dir(marker)
		if path.Base(marker) == "_toc.yml" && !r.has(join(dir, "_config.yml")) || path.Base(marker) == "myst.yml" && v.Get("project") == nil && v.Get("site") == nil {
			return nil
		}
		return []*Site{{Bare: true, Only: path.Base(marker) == "_toc.yml" || v.Get("project", "toc") != nil, Trees: []*Tree{{Root: dir}}}}
	},
	Order: func(r *reader, s *Site, t *Tree) []Entry {
		var names []string
		walkStrings(map[string]any(settings.Parse(s.Config, r.text(s.Config))), func(key string) bool { return key == "root" || key == "file" }, func(_ []string, text string) {
			names = append(names, text)
		})
		return filesOf(r, t.Root, s.Extensions, names)
	},
}
