package site

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

var zola = &Generator{
	Name: "Zola", Lacks: "shortcodes, templates, transparent sections",
	Markers: []string{"config.toml", "zola.toml"}, Index: []string{"_index", "index"}, Slug: latin,
	Makers: []maker{{pattern: `\{[{%]\s*(\w+)\(`, folders: []string{"templates/shortcodes"}}},
	Open: func(r *reader, marker string) []*Site {
		v, dir := settings.Parse(marker, r.text(marker)), path.Dir(marker)
		if v.Str("base_url") == "" || !r.isDir(join(dir, "content")) {
			return nil
		}
		s := &Site{BaseURL: v.Str("base_url"), Static: []string{join(dir, "static")}, Suffix: len(v.Sub("languages")) > 0}
		s.Trees = []*Tree{{Root: join(dir, "content"), Language: cmp.Or(v.Str("default_language"), "en")}}
		for _, name := range slices.Sorted(maps.Keys(v.Sub("languages"))) {
			if name != s.Trees[0].Language {
				s.Trees = append(s.Trees, &Tree{Root: join(dir, "content"), Language: strings.ToLower(name), Prefix: name + "/", Other: true})
			}
		}
		return []*Site{s}
	},
	Route: func(s *Site, p *Page) string {
		if route := p.front.Str("path"); route != "" {
			return p.ended("/" + strings.Trim(route, "/"))
		}
		parts := strings.Split(p.plainRoute(), "/")
		last := len(parts) - 2
		for i, part := range parts {
			parts[i] = latin.of(part)
		}
		if slug := p.front.Str("slug"); slug != "" && last > 0 {
			parts[last] = latin.of(slug)
		}
		return strings.Join(parts, "/")
	},
	Publishes: draft,
}

// latin is the rule of Zola, whose ids and routes are in ASCII.
var latin = &Slug{start: 1, rule: func(text string) string { return dashes(strings.ToLower(unaccented(text)), isASCIIWord, nil) }}
