package site

import (
	"path"
	"strings"
)

var eleventy = &Generator{
	Name: "Eleventy", Lacks: "navigation, templates, `permalink` made by a program; ids need a plugin",
	Markers: []string{"eleventy.config.js", "eleventy.config.mjs", "eleventy.config.cjs", ".eleventy.js"}, Extensions: []string{".md", ".html"}, Makers: []maker{liquid},
	Skip: []string{"_includes/**", "_data/**", "_site/**", "**/node_modules/**"},
	Open: func(r *reader, marker string) []*Site {
		dir, js := path.Dir(marker), r.script(marker)
		root := join(dir, js.Block("dir").Str("input"))
		if root == dir && r.isDir(join(dir, "src")) && strings.Contains(string(js), "src") {
			root = join(dir, "src")
		}
		return []*Site{{Trees: []*Tree{{Root: root}}}}
	},
	Publishes: func(s *Site, p *Page) string {
		if formatOf(p.File) == html && p.front == nil {
			return "has no front matter"
		}
		return draft(s, p)
	},
}
