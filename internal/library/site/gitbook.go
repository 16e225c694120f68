package site

import (
	"cmp"
	"path"
)

var gitbook = &Generator{
	Name: "GitBook", Markers: []string{".gitbook.yaml", "SUMMARY.md"}, Index: []string{"readme"}, NavTitles: true,
	Includes: []include{gitbookInclude},
	Open: func(r *reader, marker string) []*Site {
		root := path.Dir(marker)
		summary := "SUMMARY.md"
		if path.Base(marker) == ".gitbook.yaml" {
			v := parse(marker, r.text(marker))
			root, summary = join(root, v.str("root")), cmp.Or(v.str("structure", "summary"), summary)
		}
		if !r.has(join(root, summary)) || !compile(`(?m)^\s*[*-] +\[`).MatchString(r.text(join(root, summary))) {
			return nil
		}
		return []*Site{{Only: true, Bare: true, Values: map[string]string{"summary": summary}, Trees: []*Tree{{Root: root}}}}
	},
	Order: func(r *reader, s *Site, t *Tree) []Entry {
		return linkedPages(r.text(join(t.Root, s.Values["summary"])), t.Root)
	},
}

var gitbookInclude = include{hint: "{%", pattern: `^\s*\{%\s*include\s+["'](?P<file>[^"']+)["']\s*%\}`, bases: []string{"page", "root"}}
