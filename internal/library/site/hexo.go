package site

import (
	"cmp"
	"path"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

var hexo = &Generator{
	Name: "Hexo", Lacks: "tags, `permalink` of posts",
	Markers: []string{"_config.yml"}, Slug: hexoSlug, Makers: []maker{liquid},
	Skip: []string{"_drafts/**", "_data/**"},
	Open: func(r *reader, marker string) []*Site {
		v, dir := settings.Parse(marker, r.text(marker)), path.Dir(marker)
		root := join(dir, cmp.Or(v.Str("source_dir"), "source"))
		if v.Get("source_dir") == nil && (v.Get("theme") == nil || v.Get("new_post_name") == nil) || !r.isDir(root) {
			return nil
		}
		s := &Site{Static: []string{root}, Trees: []*Tree{{Root: root, Language: strings.ToLower(v.Str("language"))}}}
		if v.Str("root") != "" && strings.Contains(v.Str("url"), "://") {
			s.BaseURL = v.Str("url")
		}
		for _, name := range r.folders(root) {
			if isLanguage(name) {
				s.Trees = append(s.Trees, &Tree{Root: join(root, name), Language: strings.ToLower(name), Prefix: name + "/", Other: true})
			}
		}
		return []*Site{s}
	},
	Route: func(s *Site, p *Page) string {
		if strings.HasPrefix(p.below(), "_posts/") {
			return "/" + p.name() + ".html"
		}
		r := p.plainRoute()
		if !p.isIndex() {
			r = strings.TrimSuffix(r, "/") + ".html"
		}
		return r
	},
}

// hexoSlug keeps the case of letters.
var hexoSlug = &Slug{start: 1, rule: func(text string) string {
	return dashes(unaccented(text), func(r rune) bool { return !viteSpecial(r) }, nil)
}}
