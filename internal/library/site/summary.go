package site

import (
	"cmp"
	"strings"
)

var mdbook = &Generator{
	Name: "mdBook", Lacks: "preprocessors, redirects, translations in `po/`",
	Markers: []string{"book.toml"}, Extensions: []string{".md"}, Index: []string{"readme", "index"}, NavTitles: true, Only: true,
	Keys: Keys{Title: "book title", Language: "book language", Folder: "book src"}, Folder: "src", Ending: ".html",
	Open: func(r *reader, s *Site) bool {
		list := join(s.Trees[0].Root, "SUMMARY.md")
		if !r.has(list) {
			r.notice(s.Config, "", "needs "+list+", which is not there: the book has no pages")
		}
		return r.has(list)
	},
	Order: func(n *navigation, s *Site, t *Tree) { n.addList(join(t.Root, "SUMMARY.md"), nil, true) },
}

var gitbook = &Generator{
	Name: "GitBook", Lacks: "variants and spaces in `docs.yaml`; OpenAPI blocks",
	Markers: []string{".gitbook.yaml", "SUMMARY.md"}, Extensions: []string{".md"}, Index: []string{"readme"}, NavTitles: true, Only: true,
	Keys: Keys{Folder: "root"},
	Open: func(r *reader, s *Site) bool {
		if root := s.Trees[0].Root; !r.isDir(root) {
			r.notice(s.Config, s.settings.Str("root"), "root is "+root+", which is not there")
		}
		return compile(`(?m)^\s*[*-] +\[`).MatchString(r.text(summary(s)))
	},
	Order: func(n *navigation, s *Site, t *Tree) { n.addList(summary(s), nil, true) },
}

// summary returns the list of the pages of a site of GitBook.
func summary(s *Site) string {
	return join(s.Trees[0].Root, cmp.Or(s.settings.Str("structure", "summary"), "SUMMARY.md"))
}

var docsify = &Generator{
	Name: "Docsify", Lacks: "plugins; aliases with patterns in their targets",
	Markers: []string{"index.html"}, Extensions: []string{".md"}, Index: []string{"readme"}, FromRoot: true, Hash: true, Skip: []string{"**/_*", "**/_*/**"},
	Open: func(r *reader, s *Site) bool {
		text := r.text(s.Config)
		if !strings.Contains(text, "$docsify") {
			return false
		}
		for _, m := range compile(`['"](?:\.\*\??)?(/[\w./-]+)['"]\s*:\s*['"]([^'"\n]+)['"]`).FindAllStringSubmatch(text, 1000) {
			s.Redirects[routeKey(m[1])] = m[2]
		}
		return true
	},
	Order: func(n *navigation, s *Site, t *Tree) { n.addList(join(t.Root, "_sidebar.md"), nil, true) },
}
