package site

import (
	"path"
	"strings"
)

var docsify = &Generator{
	Name: "Docsify", Lacks: "plugins; aliases with patterns in their targets",
	Markers: []string{"index.html"}, Index: []string{"readme"}, Slug: docsifySlug, FromRoot: true, Hash: true, Skip: []string{"**/_*", "**/_*/**"},
	Makers:   []maker{jsx("")},
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
		s := &Site{Redirects: aliases, Bare: true, Static: []string{dir}, Trees: []*Tree{{Root: dir}}}
		for _, name := range r.folders(dir) {
			if isLanguage(name) && r.has(join(dir, name, "README.md")) {
				s.Trees = append(s.Trees, &Tree{Root: join(dir, name), Language: strings.ToLower(name), Prefix: name + "/", Other: true})
			}
		}
		return []*Site{s}
	},
	Order: func(r *reader, s *Site, t *Tree) []Entry {
		return linkedPages(r.text(join(t.Root, "_sidebar.md")), t.Root)
	},
}

var docsifyInclude = include{hint: ":include", pattern: `^\s*\[[^\]]*\]\((?P<file>[^\s)]+)\s+['"]:include(?P<part>[^'"]*)['"]\)\s*$`, bases: []string{"page", "root"}, outside: true}

var docsifySlug = &Slug{start: 1, rule: func(text string) string { return underscored(github(text, false)) }}
