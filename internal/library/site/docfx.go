package site

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

var docfx = &Generator{
	Name: "DocFX", Lacks: "API pages made of code, `uid` references, the table of contents of Learn",
	Markers: []string{"docfx.json"}, Extensions: []string{".md"}, Index: []string{"index"}, Names: true, Skip: []string{"**/includes/**", "_site/**", "obj/**", "**/breadcrumb/**"},
	Keys: Keys{Title: "build globalMetadata _appTitle", URL: "build sitemap baseUrl"}, Public: []string{"."}, Ending: ".html",
	Open: func(r *reader, s *Site) bool {
		root := ""
		for _, c := range s.settings.Subs("build", "content") {
			src, globs := path.Clean(c.Str("src")), c.List("files")
			if !slices.ContainsFunc(globs, compile(`\.md$|md,|,md`).MatchString) {
				continue
			}
			root = cmp.Or(root, src)
			for _, g := range globs {
				s.Keep = append(s.Keep, relative(root, join(src, g)))
			}
			for _, g := range c.List("exclude") {
				s.Skip = append(s.Skip, relative(root, join(src, g)))
			}
		}
		if root == "" {
			return false
		}
		s.Trees[0].Root = join(s.Dir, root)
		return true
	},
	Order: func(n *navigation, s *Site, t *Tree) {
		file := join(t.Root, "toc.yml")
		for _, m := range compile(`(?m)^\s*-?\s*(?:href|topicHref)\s*:\s*["']?([^"'\s#?]+)`).FindAllStringSubmatch(n.text(file), 10_000) {
			n.addName(file, m[1], nil, strings.HasSuffix(m[1], ".md"))
		}
	},
}
