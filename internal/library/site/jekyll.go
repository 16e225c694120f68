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
	Keys: Keys{Title: "title", URL: "url", Base: "baseurl", Language: "lang", Folder: "source"}, Ending: ".html",
	Skip: []string{"_drafts/**", "_includes/**", "_layouts/**", "_data/**", "_sass/**", "_site/**", "vendor/**"},
	Open: func(r *reader, s *Site) bool {
		v := s.settings
		if len(v) == 0 || v.Get("source_dir") != nil || r.has(join(s.Dir, "_toc.yml")) || v.Get("sphinx") != nil {
			return false
		}
		s.Skip, s.Posts = gitGlobs(v.List("exclude")), map[string]string{"posts": v.Str("permalink")}
		if link := v.Str("permalink"); strings.HasSuffix(link, "/") || link == "pretty" {
			s.Ending = "/"
		}
		for name := range v.Sub("collections") {
			if c := v.Sub("collections", name); c.Is("output") || name == "posts" {
				s.Posts[name] = cmp.Or(c.Str("permalink"), s.Posts[name], "/:collection/:path.html")
			}
		}
		for _, name := range r.folders(s.Trees[0].Root) {
			if strings.HasPrefix(name, "_") {
				if _, ok := s.Posts[name[1:]]; !ok {
					s.Skip = append(s.Skip, name+"/**")
				}
			}
		}
		return true
	},
	Route: posted,
	Publishes: func(s *Site, p *Page) string {
		switch {
		case p.front == nil:
			return "has no front matter"
		case p.front.Str("published") == "false":
			return "is a draft"
		case formatOf(p.File) == html && slices.Contains([]string{"404", "search"}, p.name()):
			return "is a page of the site, and no document"
		}
		return ""
	},
}

// posted returns the route of a page of Jekyll or Hexo: the route of a post follows the pattern of its collection.
func posted(s *Site, p *Page) string {
	if link := p.front.Str("permalink"); link != "" && !strings.Contains(link, ":") {
		return "/" + strings.TrimPrefix(link, "/")
	}
	below := p.below()
	collection, rest, in := strings.Cut(strings.TrimPrefix(below, "_"), "/")
	if !in || !strings.HasPrefix(below, "_") {
		return p.plainRoute()
	}
	name, pattern := stem(path.Base(rest)), s.Posts[collection]
	day := cmp.Or(compile(`^\d{4}-\d{1,2}-\d{1,2}-`).FindString(name), p.front.Str("date"))
	dated := "/:categories/:year/:month/:day/:title"
	styles := map[string]string{"": dated + ".html", "date": dated + ".html", "pretty": dated + "/", "none": "/:categories/:title.html"}
	pattern = cmp.Or(styles[pattern], pattern)
	values := []string{":collection", collection, ":path", stem(rest), ":name", name, ":slug", name, ":categories", strings.Join(p.front.List("categories"), "/"), ":output_ext", ".html"}
	if date := compile(`^(\d{4})-(\d{1,2})-(\d{1,2})`).FindStringSubmatch(day); date != nil {
		values = append(values, ":year", date[1], ":month", date[2], ":day", date[3], ":i_month", date[2], ":i_day", date[3])
	}
	values = append(values, ":title", cmp.Or(p.front.Str("slug"), undated(name)))
	return "/" + strings.TrimLeft(strings.ReplaceAll(strings.NewReplacer(values...).Replace(pattern), "//", "/"), "/")
}
