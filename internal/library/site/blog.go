package site

import (
	"cmp"
)

var hexo = &Generator{
	Name: "Hexo", Lacks: "tags, permalinks with `:category`, `:id` or `:hash`",
	Markers: []string{"_config.yml"}, Extensions: []string{".md"}, Index: []string{"index"},
	Keys: Keys{Title: "title", URL: "url", Language: "language", Folder: "source_dir"}, Folder: "source", Ending: ".html",
	Skip: []string{"_drafts/**", "_data/**"},
	Open: func(r *reader, s *Site) bool {
		v := s.settings
		if v.Str("pretty_urls", "trailing_html") == "false" {
			s.Ending = ""
		}
		s.Posts = map[string]string{"posts": "/" + cmp.Or(v.Str("permalink"), ":year/:month/:day/:title/")}
		return (v.Get("source_dir") != nil || v.Get("theme") != nil && v.Get("new_post_name") != nil) && r.isDir(s.Trees[0].Root)
	},
	Route: posted,
}

var zola = &Generator{
	Name: "Zola", Lacks: "shortcodes, templates, transparent sections",
	Markers: []string{"config.toml", "zola.toml"}, Extensions: []string{".md"}, Index: []string{"_index", "index"}, Whole: "path", Slug: "slug", Spell: latin, Drafts: true,
	Keys: Keys{Title: "title", URL: "base_url", Language: "default_language"}, Folder: "content", Public: []string{"static"}, Ending: "/",
	Open: func(r *reader, s *Site) bool {
		t := s.Trees[0]
		t.Language = cmp.Or(t.Language, "en")
		for _, code := range s.settings.Sub("languages").Keys() {
			if code != t.Language {
				s.speak(t, code, "")
			}
		}
		return s.settings.Str("base_url") != "" && r.isDir(t.Root)
	},
}

var eleventy = &Generator{
	Name: "Eleventy", Lacks: "navigation, templates, `permalink` made by a program; ids need a plugin",
	Markers: []string{"eleventy.config.js", "eleventy.config.mjs", "eleventy.config.cjs", ".eleventy.js"}, Extensions: []string{".md", ".html"}, Index: []string{"index"}, Ending: "/", Drafts: true,
	Skip: []string{"_includes/**", "_data/**", "_site/**", "**/node_modules/**"}, Spell: undated,
	Open: func(r *reader, s *Site) bool {
		input := cmp.Or(r.program(s.Config).Names().Str("config", "dir", "input"), r.exported(s.Config).Str("dir", "input"))
		s.Trees[0].Root = join(s.Dir, input)
		return true
	},
}

// undated returns a name without the date before it.
func undated(name string) string {
	return compile(`^\d{4}-\d{1,2}-\d{1,2}-`).ReplaceAllString(name, "")
}
