package site

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

var hugo = &Generator{
	Name: "Hugo", Lacks: "render hooks, themes and modules; `permalinks` (such sites have no URLs); shortcodes that name no file",
	Markers:    []string{"hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json", "config.toml", "config.yaml", "config.yml", "config.json", "_default"},
	Extensions: []string{".md", ".markdown", ".html", ".adoc", ".rst"}, Index: []string{"_index", "index"}, Lower: true, Terms: true,
	Skip: []string{"**/_[!i]*/**", "**/_[!i]*"},
	Makers: []maker{{pattern: `\{\{[<%]\s*([\w/-]+)`, known: "comment|details|figure|gist|highlight|instagram|param|qr|ref|relref|vimeo|x|youtube", folders: []string{"layouts/_shortcodes", "layouts/shortcodes"}},
		{pattern: `\{\{-?\s*partial(?:Cached)?\s+"([^"]+)"`, folders: []string{"layouts/_partials", "layouts/partials"}}},
	Includes: []include{hugoShortcode},
	Open: func(r *reader, marker string) []*Site {
		v, dir := r.config(marker), path.Dir(marker)
		if path.Base(marker) == "_default" {
			if path.Base(dir) != "config" {
				return nil
			}
			dir = path.Dir(dir)
			v = hugoConfig(r, marker)
		}
		base := cmp.Or(v.Str("baseURL"), v.Str("baseurl"), v.Str("BaseURL"))
		if strings.HasPrefix(path.Base(marker), "config.") && base == "" {
			return nil
		}
		s := &Site{Dir: dir, Hooked: r.has(join(dir, "layouts/_markup/render-link.html")) || r.has(join(dir, "layouts/_default/_markup/render-link.html")), Static: []string{join(dir, "static"), join(dir, "assets")}}
		if strings.Contains(base, "://") && v.Get("permalinks") == nil {
			s.BaseURL = base
		}
		content := join(dir, cmp.Or(v.Str("contentDir"), "content"))
		first := strings.ToLower(cmp.Or(v.Str("defaultContentLanguage"), "en"))
		main := &Tree{Root: content, Language: first}
		s.Trees = []*Tree{main}
		mounts, _ := v.Get("module", "mounts").([]any)
		for _, m := range mounts {
			m, _ := m.(map[string]any)
			if only := values(m).List("sites", "matrix", "languages"); len(only) > 0 && !slices.Contains(only, first) {
				continue
			}
			if target := values(m).Str("target"); target == "content" && (values(m).Str("lang") == "" || strings.EqualFold(values(m).Str("lang"), first)) {
				main.Root = join(dir, values(m).Str("source"))
			}
		}
		languages := v.Sub("languages")
		for _, name := range slices.Sorted(maps.Keys(languages)) {
			l := languages.Sub(name)
			root := l.Str("contentDir")
			if code := strings.ToLower(name); code == first {
				if root != "" {
					main.Root = join(dir, root)
				}
				if v.Is("defaultContentLanguageInSubdir") {
					main.Prefix = name + "/"
				}
			} else if !l.Is("disabled") {
				t := &Tree{Root: join(dir, cmp.Or(root, path.Join(path.Base(main.Root), "..", name))), Language: code, Prefix: name + "/", Other: true}
				if root == "" {
					s.Suffix, t.Root = true, main.Root
				}
				s.Trees = append(s.Trees, t)
			}
		}
		if len(languages) < 2 {
			s.Suffix = false
		}
		s.Trees = append(s.Trees, versionTrees(r, main, main.Root, cmp.Or(v.Str("params", "latest_stable_version"), v.Str("params", "latest"), v.Str("params", "version")), 0)...)
		return []*Site{s}
	},
	Route: func(s *Site, p *Page) string {
		if u := p.front.Str("url"); u != "" {
			return "/" + strings.TrimPrefix(u, "/")
		}
		r := strings.ReplaceAll(p.plainRoute(), " ", "-")
		if slug := p.front.Str("slug"); slug != "" && strings.Count(r, "/") > 1 {
			r = p.ended(join(path.Dir(strings.TrimSuffix(r, "/")), slug))
		}
		return r
	},
	Publishes: func(s *Site, p *Page) string {
		if reason := draft(s, p); reason != "" {
			return reason
		}
		if p.front.Is("headless") || cmp.Or(p.front.Str("build", "render"), p.front.Str("_build", "render")) == "never" {
			return "is not rendered by Hugo"
		}
		if t, err := time.Parse(time.DateOnly, p.front.Str("date")[:min(10, len(p.front.Str("date")))]); err == nil && t.After(time.Now()) {
			return "has a date in the future"
		}
		if formatOf(p.File) == html && p.front == nil {
			return "has no front matter"
		}
		return ""
	},
}

var hugoShortcode = include{hint: "{{", pattern: `^\s*\{\{[<%]\s*[\w/-]+\s+(?:[\w-]+=["'][^"']*["']\s+)*?(?:file=|path=|src=)?["'](?P<file>[^"'\s]+\.\w+)["'][^}]*[>%]\}\}\s*$`, bases: []string{"page", "root", "root/_includes", "root/_common", "assets", "static", "project"}}

// hugoConfig returns the configuration in config/_default: hugo.toml and one file for each other key.
func hugoConfig(r *reader, dir string) values {
	v := make(values)
	for _, name := range r.list(dir) {
		part := r.config(join(dir, name))
		switch key := stem(name); {
		case key == "hugo" || key == "config":
			for k, x := range part {
				v[k] = x
			}
		case strings.Contains(key, "."): // params.fr.toml
		default:
			v[key] = map[string]any(part)
		}
	}
	return v
}

// versionName matches the folders of versions.
const versionName = `^v?\d+(?:\.\d+)*(?:\.x)?$|^(?:latest|next|dev|main|master|stable|current|preview)$`

// versionTrees returns the trees of sibling folders of a tree that are named after versions. latest names the default
// version. If it names none of them, the highest number is the default.
func versionTrees(r *reader, t *Tree, dir, latest string, depth int) (trees []*Tree) {
	if depth > 2 {
		return nil
	}
	names := r.folders(dir)
	versions := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !compile(versionName).MatchString(name) || compile(`^(?:19|20)\d\d$`).MatchString(name) // a year of a blog
	})
	numbered := slices.DeleteFunc(slices.Clone(versions), func(name string) bool { return !strings.ContainsAny(name, "0123456789") })
	if len(numbered) < 2 {
		for _, name := range names {
			if trees = versionTrees(r, t, join(dir, name), latest, depth+1); trees != nil {
				break
			}
		}
		return trees
	}
	semantic := func(name string) string { return "v" + strings.TrimSuffix(strings.TrimPrefix(name, "v"), ".x") }
	best := slices.MaxFunc(numbered, func(a, b string) int { return semver.Compare(semantic(a), semantic(b)) })
	for _, name := range versions {
		if latest != "" && strings.TrimPrefix(name, "v") == strings.TrimPrefix(latest, "v") || name == "latest" || name == "stable" {
			best = name
		}
	}
	for _, name := range versions {
		trees = append(trees, &Tree{Root: join(dir, name), Language: t.Language, Version: name, Prefix: t.Prefix + relative(t.Root, join(dir, name)) + "/", Other: name != best})
	}
	return trees
}
