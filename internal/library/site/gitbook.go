package site

import (
	"cmp"
	"path"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

var gitbook = &Generator{
	Name: "GitBook", Lacks: "variants and spaces in `docs.yaml`; OpenAPI blocks",
	Markers: []string{".gitbook.yaml", "SUMMARY.md"}, Index: []string{"readme"}, NavTitles: true, Broken: "/broken/pages/",
	Makers:   []maker{{pattern: `\{%\s*(?:include|openapi|swagger)`}},
	Includes: []include{gitbookInclude},
	Open: func(r *reader, marker string) []*Site {
		root := path.Dir(marker)
		summary := "SUMMARY.md"
		if path.Base(marker) == ".gitbook.yaml" {
			v := settings.Parse(marker, r.text(marker))
			root, summary = join(root, v.Str("root")), cmp.Or(v.Str("structure", "summary"), summary)
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
