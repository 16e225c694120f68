package site

import (
	"cmp"
	"path"
	"strings"
)

var mdbook = &Generator{
	Name: "mdBook", Lacks: "preprocessors, redirects, translations in `po/`",
	Markers: []string{"book.toml"}, Index: []string{"readme", "index"}, NavTitles: true,
	Includes: []include{mdbookInclude},
	Open: func(r *reader, marker string) []*Site {
		v, dir := r.config(marker), path.Dir(marker)
		root := join(dir, cmp.Or(v.Str("book", "src"), "src"))
		if !r.has(join(root, "SUMMARY.md")) {
			return nil
		}
		return []*Site{{Title: v.Str("book", "title"), HTML: true, Only: true, Static: []string{root}, Trees: []*Tree{{Root: root, Language: strings.ToLower(v.Str("book", "language"))}}}}
	},
	Order: func(n *navigation, s *Site, t *Tree) { n.addList(join(t.Root, "SUMMARY.md"), nil, true) },
}

var mdbookInclude = include{hint: "{{#", pattern: `^\s*\{\{#(?:include|rustdoc_include|playground)\s+(?P<file>[^\s:}]+)(?::(?P<part>[^\s}]*))?[^}]*\}\}\s*$`}

var gitbook = &Generator{
	Name: "GitBook", Lacks: "variants and spaces in `docs.yaml`; OpenAPI blocks",
	Markers: []string{".gitbook.yaml", "SUMMARY.md"}, Index: []string{"readme"}, NavTitles: true, Broken: "/broken/pages/",
	Includes: []include{includeMarkdown},
	Open: func(r *reader, marker string) []*Site {
		root := path.Dir(marker)
		summary := "SUMMARY.md"
		if path.Base(marker) == ".gitbook.yaml" {
			v := r.config(marker)
			root, summary = join(root, v.Str("root")), cmp.Or(v.Str("structure", "summary"), summary)
		}
		if !r.has(join(root, summary)) || !compile(`(?m)^\s*[*-] +\[`).MatchString(r.text(join(root, summary))) {
			return nil
		}
		return []*Site{{Only: true, Bare: true, Values: map[string]string{"summary": summary}, Trees: []*Tree{{Root: root}}}}
	},
	Order: func(n *navigation, s *Site, t *Tree) { n.addList(join(t.Root, s.Values["summary"]), nil, true) },
}

var docsify = &Generator{
	Name: "Docsify", Lacks: "plugins; aliases with patterns in their targets",
	Markers: []string{"index.html"}, Index: []string{"readme"}, FromRoot: true, Hash: true, Skip: []string{"**/_*", "**/_*/**"},
	Includes: []include{docsifyInclude},
	Open: func(r *reader, marker string) []*Site {
		if !strings.Contains(r.text(marker), "$docsify") {
			return nil
		}
		dir := path.Dir(marker)
		aliases := make(map[string]string)
		for _, m := range compile(`['"](?:\.\*\??)?(/[\w./-]+)['"]\s*:\s*['"]([^'"\n]+)['"]`).FindAllStringSubmatch(r.text(marker), 1000) {
			aliases[routeKey(m[1])] = m[2]
		}
		return []*Site{{Redirects: aliases, Bare: true, Static: []string{dir}, Trees: []*Tree{{Root: dir}}}}
	},
	Order: func(n *navigation, s *Site, t *Tree) { n.addList(join(t.Root, "_sidebar.md"), nil, true) },
}

var docsifyInclude = include{hint: ":include", pattern: `^\s*\[[^\]]*\]\((?P<file>[^\s)]+)\s+['"]:include(?P<part>[^'"]*)['"]\)\s*$`, outside: true}
