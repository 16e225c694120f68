package site

import (
	"cmp"
	"path"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

var mdbook = &Generator{
	Name: "mdBook", Lacks: "preprocessors, redirects, translations in `po/`",
	Markers: []string{"book.toml"}, Index: []string{"readme", "index"}, Slug: rustSlug, NavTitles: true,
	Includes: []include{mdbookInclude},
	Open: func(r *reader, marker string) []*Site {
		v, dir := settings.Parse(marker, r.text(marker)), path.Dir(marker)
		root := join(dir, cmp.Or(v.Str("book", "src"), "src"))
		if !r.has(join(root, "SUMMARY.md")) {
			return nil
		}
		return []*Site{{HTML: true, Only: true, Static: []string{root}, Trees: []*Tree{{Root: root, Language: strings.ToLower(v.Str("book", "language"))}}}}
	},
	Order: func(r *reader, s *Site, t *Tree) []Entry {
		return linkedPages(r.text(join(t.Root, "SUMMARY.md")), t.Root)
	},
}

var mdbookInclude = include{hint: "{{#", pattern: `^\s*\{\{#(?:include|rustdoc_include|playground)\s+(?P<file>[^\s:}]+)(?::(?P<part>[^\s}]*))?[^}]*\}\}\s*$`, bases: []string{"page"}}

// rustSlug changes the case of ASCII letters alone.
var rustSlug = &Slug{start: 1, rule: func(text string) string { return github(text, true) }}
