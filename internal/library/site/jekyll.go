package site

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

var jekyll = &Generator{
	Name: "Jekyll", Lacks: "includes with parameters, plugins, layouts",
	Markers:    []string{"_config.yml", "_config.yaml", "_config.toml"},
	Extensions: []string{".md", ".markdown", ".mkd", ".mkdown", ".html"}, Index: []string{"index"},
	Skip:     []string{"_drafts/**", "_includes/**", "_layouts/**", "_data/**", "_sass/**", "_site/**", "vendor/**"},
	Includes: []include{jekyllInclude},
	Open: func(r *reader, marker string) []*Site {
		v, dir := r.config(marker), path.Dir(marker)
		if len(v) == 0 || v.Get("source_dir") != nil || r.has(join(dir, "_toc.yml")) || v.Get("sphinx") != nil {
			return nil
		}
		root := join(dir, v.Str("source"))
		s := &Site{Title: v.Str("title"), Static: []string{root}, Skip: gitGlobs(v.List("exclude")), Posts: make(map[string]string), Values: map[string]string{"permalink": v.Str("permalink")}}
		if url := v.Str("url"); strings.Contains(url, "://") {
			s.BaseURL = strings.TrimSuffix(url, "/") + "/" + strings.Trim(v.Str("baseurl"), "/")
		}
		s.Posts["posts"] = v.Str("permalink")
		for name, c := range v.Sub("collections") {
			c, _ := c.(map[string]any)
			if values(c).Is("output") || name == "posts" {
				s.Posts[name] = cmp.Or(values(c).Str("permalink"), s.Posts[name], "/:collection/:path.html")
			}
		}
		for _, name := range r.folders(root) {
			if strings.HasPrefix(name, "_") {
				if _, ok := s.Posts[name[1:]]; !ok {
					s.Skip = append(s.Skip, name+"/**")
				}
			}
		}
		s.Trees = []*Tree{{Root: root, Language: strings.ToLower(v.Str("lang"))}}
		return []*Site{s}
	},
	Route: func(s *Site, p *Page) string {
		if link := p.front.Str("permalink"); link != "" && !strings.Contains(link, ":") {
			return "/" + strings.TrimPrefix(link, "/")
		}
		below := p.below()
		collection, rest, in := strings.Cut(strings.TrimPrefix(below, "_"), "/")
		pattern := s.Posts[collection]
		if !in || !strings.HasPrefix(below, "_") {
			pattern, collection, rest = "", "", below
		}
		name := stem(path.Base(rest))
		if collection == "" {
			pretty := strings.HasSuffix(s.Values["permalink"], "/") || s.Values["permalink"] == "pretty"
			r := p.plainRoute()
			if !pretty && !strings.HasSuffix(r, "/") || !pretty && !p.isIndex() {
				r = strings.TrimSuffix(r, "/") + ".html"
			}
			return r
		}
		date := compile(`^(\d{4})-(\d{1,2})-(\d{1,2})-(.*)$`).FindStringSubmatch(name)
		switch pattern {
		case "", "date":
			pattern = "/:categories/:year/:month/:day/:title.html"
		case "pretty":
			pattern = "/:categories/:year/:month/:day/:title/"
		case "none":
			pattern = "/:categories/:title.html"
		}
		values := []string{":collection", collection, ":path", stem(rest), ":name", name, ":slug", name, ":categories", strings.Join(p.front.List("categories"), "/"), ":output_ext", ".html"}
		if date != nil {
			values = append(values, ":year", date[1], ":month", date[2], ":day", date[3], ":i_month", date[2], ":i_day", date[3], ":title", cmp.Or(p.front.Str("slug"), date[4]))
		}
		values = append(values, ":title", cmp.Or(p.front.Str("slug"), name))
		return "/" + strings.TrimLeft(strings.ReplaceAll(strings.NewReplacer(values...).Replace(pattern), "//", "/"), "/")
	},
	Publishes: func(s *Site, p *Page) string {
		switch {
		case p.front == nil:
			return "has no front matter"
		case p.front.Str("published") == "false":
			return "is a draft"
		case p.front.Str("redirect_to") != "":
			return "only leads to another page"
		case formatOf(p.File) == html && slices.Contains([]string{"404", "search"}, p.name()):
			return "is a page of the site, and no document"
		}
		return ""
	},
}

var jekyllInclude = include{hint: "{%", pattern: `^\s*\{%-?\s*include(?:_relative)?\s+(?P<file>[\w./-]+\.(?:md|markdown|txt))\b[^%]*%\}\s*$`}
