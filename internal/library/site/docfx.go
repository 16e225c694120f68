package site

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

var docfx = &Generator{
	Name: "DocFX", Markers: []string{"docfx.json"}, Skip: []string{"**/includes/**", "_site/**", "obj/**", "**/breadcrumb/**"},
	Includes: []include{docfxInclude, docfxCode, docfxCodeBlock},
	Open: func(r *reader, marker string) []*Site {
		v, dir := parse(".json", r.text(marker)), path.Dir(marker)
		content, _ := v.get("build", "content").([]any)
		s := &Site{HTML: true, BaseURL: v.str("build", "sitemap", "baseUrl"), Static: []string{dir}}
		root := ""
		for _, c := range content {
			c, _ := c.(map[string]any)
			src := path.Clean(values(c).str("src"))
			globs := values(c).list("files")
			if !slices.ContainsFunc(globs, func(g string) bool {
				return strings.HasSuffix(g, ".md") || strings.Contains(g, "md,") || strings.Contains(g, ",md")
			}) {
				continue
			}
			if root == "" {
				root = src
			}
			for _, g := range globs {
				s.Keep = append(s.Keep, relative(root, join(src, g)))
			}
			for _, g := range values(c).list("exclude") {
				s.Skip = append(s.Skip, relative(root, join(src, g)))
			}
		}
		if root == "" {
			return nil
		}
		s.Trees = []*Tree{{Root: join(dir, root)}}
		return []*Site{s}
	},
	Order: func(r *reader, s *Site, t *Tree) []Entry {
		text := r.text(join(t.Root, "toc.yml"))
		var names []string
		for _, m := range compile(`(?m)^\s*-?\s*(?:href|topicHref)\s*:\s*["']?([^"'\s#?]+)`).FindAllStringSubmatch(text, 10_000) {
			names = append(names, m[1])
		}
		return filesOf(r, t.Root, s.extensions(), names)
	},
}

var quarto = &Generator{
	Name: "Quarto", Markers: []string{"_quarto.yml", "_quarto.yaml"}, Extensions: []string{".qmd", ".md", ".ipynb", ".rmd"}, Slug: Pandoc,
	Skip:     []string{"**/_*", "**/_*/**", "**/README.*", "_site/**", "**/{LICENSE,CONTRIBUTING,CHANGELOG,NEWS}.md"},
	Includes: []include{quartoInclude},
	Open: func(r *reader, marker string) []*Site {
		v, dir := parse(marker, r.text(marker)), path.Dir(marker)
		kind := v.str("project", "type")
		if kind == "" && v.get("website") == nil && v.get("book") == nil {
			return nil
		}
		s := &Site{HTML: true, BaseURL: cmp.Or(v.str("website", "site-url"), v.str("book", "site-url")), Static: []string{dir}}
		for _, g := range v.list("project", "render") {
			if strings.HasPrefix(g, "!") {
				s.Skip = append(s.Skip, gitGlobs([]string{g[1:]})...)
			} else {
				s.Keep = append(s.Keep, strings.TrimSuffix(g, "/"), strings.TrimSuffix(g, "/")+"/**")
			}
		}
		s.Only = v.get("book", "chapters") != nil
		s.Trees = []*Tree{{Root: dir, Language: strings.ToLower(v.str("lang"))}}
		return []*Site{s}
	},
	Order: func(r *reader, s *Site, t *Tree) []Entry {
		v := parse(s.Config, r.text(s.Config))
		var names []string
		keep := func(key string) bool {
			return key == "href" || key == "file" || key == "part" || key == "contents" || key == "chapters" || key == "left" || key == "section" || key == "appendices"
		}
		for _, part := range []any{v.get("book"), v.get("website", "sidebar"), v.get("website", "navbar")} {
			walkStrings(part, 0, keep, func(_, text string) { names = append(names, text) })
		}
		return filesOf(r, t.Root, s.Extensions, names)
	},
}

var docsify = &Generator{
	Name: "Docsify", Markers: []string{"index.html"}, Index: []string{"readme"}, Slug: Docsify, Skip: []string{"**/_*", "**/_*/**"},
	Includes: []include{docsifyInclude},
	Open: func(r *reader, marker string) []*Site {
		if !strings.Contains(r.text(marker), "$docsify") {
			return nil
		}
		dir := path.Dir(marker)
		s := &Site{Bare: true, Static: []string{dir}, Trees: []*Tree{{Root: dir}}}
		for _, name := range r.folders(dir) {
			if isLanguage(name) && r.has(join(dir, name, "README.md")) {
				s.Trees = append(s.Trees, &Tree{Root: join(dir, name), Language: strings.ToLower(name), Prefix: name + "/", Other: true})
			}
		}
		return []*Site{s}
	},
	Order: func(r *reader, s *Site, t *Tree) []Entry {
		return linkedPages(r.text(join(t.Root, "_sidebar.md")), t.Root)
	},
}

var exdoc = &Generator{
	Name: "ExDoc", Markers: []string{"mix.exs"}, Extensions: []string{".md", ".cheatmd", ".livemd"}, Index: []string{"readme"},
	Open: func(r *reader, marker string) []*Site {
		text, dir := r.text(marker), path.Dir(marker)
		m := compile(`(?s)\bextras:\s*(.*?)(?:\n\s*\]|$)`).FindStringSubmatch(text)
		if m == nil {
			return nil
		}
		s := &Site{HTML: true, Trees: []*Tree{{Root: dir}}}
		for _, q := range compile(`"([^"\n]+\.(?:md|cheatmd|livemd|\{[^}]*\}))"`).FindAllStringSubmatch(text, 1000) {
			s.Keep = append(s.Keep, path.Clean(q[1]))
		}
		if s.Keep == nil {
			return nil
		}
		return []*Site{s}
	},
}

var documenter = &Generator{
	Name: "Documenter", Markers: []string{"make.jl"}, Slug: Julia,
	Open: func(r *reader, marker string) []*Site {
		dir := path.Dir(marker)
		if !strings.Contains(r.text(marker), "makedocs") || !r.isDir(join(dir, "src")) {
			return nil
		}
		return []*Site{{Trees: []*Tree{{Root: join(dir, "src")}}}}
	},
	Order: func(r *reader, s *Site, t *Tree) (entries []Entry) {
		for _, m := range compile(`(?:"([^"\n]*)"\s*=>\s*)?"([^"\n]+\.md)"`).FindAllStringSubmatch(r.text(s.Config), 5000) {
			entries = append(entries, Entry{File: join(t.Root, m[2]), Title: m[1]})
		}
		return entries
	},
}
