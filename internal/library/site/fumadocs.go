package site

import (
	"cmp"
	"path"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

var fumadocs = &Generator{
	Name: "Fumadocs", Lacks: "API pages made of OpenAPI files",
	Markers: []string{"source.config.ts", "source.config.js", "source.config.mjs"}, Extensions: []string{".mdx", ".md"},
	Makers:   []maker{jsx("Accordions?|Banner|Callout|Cards?|CodeBlock|Files?|Folder|ImageZoom|InlineTOC|Steps?|Tabs?|Image|Link")},
	Includes: []include{fumaInclude, mdxImport},
	Open: func(r *reader, marker string) []*Site {
		dir := path.Dir(marker)
		for _, root := range append(compile(`\bdir\s*:\s*['"]([^'"]+)`).FindStringSubmatch(r.text(marker))[min(1, len(compile(`\bdir\s*:\s*['"]([^'"]+)`).FindStringSubmatch(r.text(marker)))):], "content/docs", "content") {
			if r.isDir(join(dir, root)) {
				return []*Site{{Bare: true, Static: []string{join(dir, "public")}, Trees: []*Tree{{Root: join(dir, root)}}}}
			}
		}
		return nil
	},
	Route: func(s *Site, p *Page) string { return cmp.Or(withoutGroups(p.plainRoute()), "/") },
	Order: func(r *reader, s *Site, t *Tree) []Entry { return metaOrder(r, t.Root, s.Extensions, 0) },
}

var fumaInclude = include{hint: "<include", pattern: `^\s*<include[^>]*>(?P<file>[^<#]+)(?:#(?P<part>[\w-]+))?</include>\s*$`, bases: []string{"page", "site"}}

// metaOrder returns the pages of a folder in the order of its meta.json.
func metaOrder(r *reader, dir string, extensions []string, depth int) (entries []Entry) {
	if depth > 10 {
		return nil
	}
	names := settings.Parse(".json", r.text(join(dir, "meta.json"))).List("pages")
	if len(names) == 0 {
		return folderEntries(r, dir, extensions, depth)
	}
	for _, name := range names {
		if name = strings.TrimPrefix(name, "..."); r.isDir(join(dir, name)) && name != "" {
			entries = append(entries, metaOrder(r, join(dir, name), extensions, depth+1)...)
			continue
		}
		if name != "" && !strings.HasPrefix(name, "---") {
			entries = append(entries, filesOf(r, dir, extensions, []string{name})...)
		}
	}
	return entries
}
