package site

import (
	"cmp"
	"path"
	"strings"
)

var hexo = &Generator{
	Name: "Hexo", Lacks: "tags, `permalink` of posts",
	Markers: []string{"_config.yml"},
	Skip:    []string{"_drafts/**", "_data/**"},
	Open: func(r *reader, marker string) []*Site {
		v, dir := r.config(marker), path.Dir(marker)
		root := join(dir, cmp.Or(v.Str("source_dir"), "source"))
		if v.Get("source_dir") == nil && (v.Get("theme") == nil || v.Get("new_post_name") == nil) || !r.isDir(root) {
			return nil
		}
		s := &Site{Title: v.Str("title"), Static: []string{root}, Trees: []*Tree{{Root: root, Language: strings.ToLower(v.Str("language"))}}}
		if v.Str("root") != "" && strings.Contains(v.Str("url"), "://") {
			s.BaseURL = v.Str("url")
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

var zola = &Generator{
	Name: "Zola", Lacks: "shortcodes, templates, transparent sections",
	Markers: []string{"config.toml", "zola.toml"}, Index: []string{"_index", "index"},
	Open: func(r *reader, marker string) []*Site {
		v, dir := r.config(marker), path.Dir(marker)
		if v.Str("base_url") == "" || !r.isDir(join(dir, "content")) {
			return nil
		}
		s := &Site{Title: v.Str("title"), BaseURL: v.Str("base_url"), Static: []string{join(dir, "static")}}
		s.Trees = []*Tree{{Root: join(dir, "content"), Language: cmp.Or(v.Str("default_language"), "en")}}
		for _, name := range v.Sub("languages").Keys() {
			if name != s.Trees[0].Language {
				s.speak(s.Trees[0], name, "")
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
			parts[i] = latin(part)
		}
		if slug := p.front.Str("slug"); slug != "" && last > 0 {
			parts[last] = latin(slug)
		}
		return strings.Join(parts, "/")
	},
	Publishes: draft,
}

// latin returns a part of a route of Zola, which is in ASCII.
func latin(text string) string { return dashes(strings.ToLower(unaccented(text)), isASCIIWord) }

var eleventy = &Generator{
	Name: "Eleventy", Lacks: "navigation, templates, `permalink` made by a program; ids need a plugin",
	Markers: []string{"eleventy.config.js", "eleventy.config.mjs", "eleventy.config.cjs", ".eleventy.js"}, Extensions: []string{".md", ".html"},
	Skip: []string{"_includes/**", "_data/**", "_site/**", "**/node_modules/**"},
	Open: func(r *reader, marker string) []*Site {
		dir := path.Dir(marker)
		input := r.program(marker).Names().Str("config", "dir", "input")
		if input == "" {
			input = r.exported(marker).Str("dir", "input")
		}
		root := join(dir, input)
		return []*Site{{Trees: []*Tree{{Root: root}}}}
	},
	Publishes: func(s *Site, p *Page) string {
		if formatOf(p.File) == html && p.front == nil {
			return "has no front matter"
		}
		return draft(s, p)
	},
}
