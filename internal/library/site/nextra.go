package site

import (
	"cmp"
	"path"
	"strings"
)

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

// withoutGroups leaves out folders in parentheses, which routes do not have.
func withoutGroups(route string) string {
	return compile(`/\([^/]*\)`).ReplaceAllString(route, "")
}
