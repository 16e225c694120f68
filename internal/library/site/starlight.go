package site

import (
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

var starlight = &Generator{
	Name: "Starlight", Lacks: "components; other Astro collections have no navigation",
	Unread:     map[string]string{"?sidebar": "pages are in the order of their names", "?locales": "languages are missing", "?defaultLocale": "the default language may be another"},
	Markers:    []string{"astro.config.mjs", "astro.config.ts", "astro.config.js", "astro.config.mts", "astro.config.cjs"},
	Extensions: []string{".md", ".mdx", ".mdoc"}, Index: []string{"index"}, Whole: "slug", Spell: excerpt.Anchor, Drafts: true, Skip: []string{"**/_*", "**/_*/**"},
	Keys: Keys{URL: "site", Base: "base"}, Folder: "src/content/docs", Public: []string{"public"}, Ending: "/",
	Open: func(r *reader, s *Site) bool {
		v := r.exported(s.Config)
		s.read(r, v)
		config := v.Option("integrations", "starlight")
		if s.settings, s.Title = config, config.Str("title"); config == nil && !strings.Contains(r.text(s.Config), "starlight(") {
			s.Trees[0].Root, s.BaseURL = join(s.Dir, "src/content"), "" // how collections become pages is up to the site
		}
		s.locales(r, config.Sub("locales"), config.Str("defaultLocale"))
		return true
	},
	Order: func(n *navigation, s *Site, t *Tree) {
		for _, x := range settings.Texts(s.settings.Get("sidebar"), false) {
			switch name := strings.Trim(x.Text, "/"); {
			case name == "":
			case x.Key == "directory" && n.isDir(join(t.Root, name)): // with all of its files
				n.addFolder(join(t.Root, name), x.Groups)
			case !n.addName(s.Config, name, x.Groups, x.Listed || x.Key == "slug") && x.Key == "directory":
				n.missing(s.Config, join(t.Root, name), Unbuilt)
			}
		}
	},
}
