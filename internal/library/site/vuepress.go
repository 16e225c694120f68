package site

import (
	"path"
	"strings"
)

var vuepress = &Generator{
	Name: "VuePress", Lacks: "sidebars that a program makes; components",
	Markers: []string{".vuepress"}, Slug: viteSlug, Index: []string{"readme", "index"},
	Makers:   []maker{jsx("Badge|ClientOnly|RouteLink|CodeGroup(?:Item)?", ".vuepress/components")},
	Includes: []include{vueCode, viteInclude},
	Open: func(r *reader, marker string) []*Site {
		dir, js := path.Dir(marker), viteConfig(r, marker)
		s := &Site{HTML: true, Static: []string{join(marker, "public")}}
		if host := js.Str("hostname"); host != "" {
			s.BaseURL = strings.TrimSuffix(host, "/") + "/" + strings.Trim(js.Str("base"), "/")
		}
		s.Trees = localeTrees(r, dir, js)
		return []*Site{s}
	},
	Order: func(r *reader, s *Site, t *Tree) []Entry { return viteOrder(r, s, t) },
}

var vueCode = include{hint: "@[code", pattern: `^\s*@\[code(?:\{(?P<part>[^}]*)\})?(?P<fence>\s+\w+)?[^\]]*\]\((?P<file>[^)#]+)(?:#(?P<region>[\w.-]+))?\)`, bases: []string{"page", "root"}, fenced: true, outside: true}
