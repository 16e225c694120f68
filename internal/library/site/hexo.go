package site

import (
	"cmp"
	"path"
	"strings"
)

var hexo = &Generator{
	Name: "Hexo", Markers: []string{"_config.yml"}, Slug: Hexo,
	Skip: []string{"_drafts/**", "_data/**"},
	Open: func(r *reader, marker string) []*Site {
		v, dir := parse(marker, r.text(marker)), path.Dir(marker)
		root := join(dir, cmp.Or(v.str("source_dir"), "source"))
		if v.get("source_dir") == nil && (v.get("theme") == nil || v.get("new_post_name") == nil) || !r.isDir(root) {
			return nil
		}
		s := &Site{Static: []string{root}, Trees: []*Tree{{Root: root, Language: strings.ToLower(v.str("language"))}}}
		if v.str("root") != "" && strings.Contains(v.str("url"), "://") {
			s.BaseURL = v.str("url")
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
