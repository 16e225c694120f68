package site

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

var hugo = &Generator{
	Name: "Hugo", Markers: []string{"hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json", "config.toml", "config.yaml", "config.yml", "config.json", "_default"},
	Extensions: []string{".md", ".markdown", ".html", ".adoc", ".rst"}, Index: []string{"_index", "index"}, Lower: true,
	Skip:     []string{"**/_[!i]*/**", "**/_[!i]*"},
	Includes: []include{hugoShortcode},
	Open: func(r *reader, marker string) []*Site {
		v, dir := parse(marker, r.text(marker)), path.Dir(marker)
		if path.Base(marker) == "_default" {
			if path.Base(dir) != "config" {
				return nil
			}
			dir = path.Dir(dir)
			v = hugoConfig(r, marker)
		}
		base := cmp.Or(v.str("baseURL"), v.str("baseurl"), v.str("BaseURL"))
		if strings.HasPrefix(path.Base(marker), "config.") && base == "" {
			return nil
		}
		s := &Site{Dir: dir, Static: []string{join(dir, "static"), join(dir, "assets")}}
		if strings.Contains(base, "://") && v.get("permalinks") == nil {
			s.BaseURL = base
		}
		content := join(dir, cmp.Or(v.str("contentDir"), "content"))
		first := strings.ToLower(cmp.Or(v.str("defaultContentLanguage"), "en"))
		main := &Tree{Root: content, Language: first}
		s.Trees = []*Tree{main}
		mounts, _ := v.get("module", "mounts").([]any)
		for _, m := range mounts {
			m, _ := m.(map[string]any)
			if only := values(m).list("sites", "matrix", "languages"); len(only) > 0 && !slices.Contains(only, first) {
				continue
			}
			if target := values(m).str("target"); target == "content" && (values(m).str("lang") == "" || strings.EqualFold(values(m).str("lang"), first)) {
				main.Root = join(dir, values(m).str("source"))
			}
		}
		languages := v.sub("languages")
		for _, name := range slices.Sorted(keysOf(languages)) {
			l := languages.sub(name)
			root := l.str("contentDir")
			if code := strings.ToLower(name); code == first {
				if root != "" {
					main.Root = join(dir, root)
				}
				if v.is("defaultContentLanguageInSubdir") {
					main.Prefix = name + "/"
				}
			} else if !l.is("disabled") {
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
		s.Trees = append(s.Trees, versionTrees(r, main, cmp.Or(v.str("params", "latest_stable_version"), v.str("params", "latest"), v.str("params", "version")), 0)...)
		return []*Site{s}
	},
	Route: func(s *Site, p *Page) string {
		if u := p.front.str("url"); u != "" {
			return "/" + strings.TrimPrefix(u, "/")
		}
		r := strings.ReplaceAll(p.plainRoute(), " ", "-")
		if slug := p.front.str("slug"); slug != "" && strings.Count(r, "/") > 1 {
			r = p.ended(join(path.Dir(strings.TrimSuffix(r, "/")), slug))
		}
		return r
	},
	Publishes: func(s *Site, p *Page) string {
		if reason := draft(s, p); reason != "" {
			return reason
		}
		if p.front.is("headless") || cmp.Or(p.front.str("build", "render"), p.front.str("_build", "render")) == "never" {
			return "is not rendered by Hugo"
		}
		if t, err := time.Parse(time.DateOnly, p.front.str("date")[:min(10, len(p.front.str("date")))]); err == nil && t.After(time.Now()) {
			return "has a date in the future"
		}
		if formatOf(p.File) == html && p.front == nil {
			return "has no front matter"
		}
		return ""
	},
}

// hugoConfig returns the configuration in config/_default: hugo.toml and one file for each other key.
func hugoConfig(r *reader, dir string) values {
	v := make(values)
	for _, name := range r.list(dir) {
		part := parse(name, r.text(join(dir, name)))
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

// versionTrees returns the trees of folders that are named after versions, which stand side by side in a folder of the
// tree. latest names the default; if it is none of them, the highest number is.
func versionTrees(r *reader, t *Tree, latest string, depth int) (trees []*Tree) {
	if depth > 2 {
		return nil
	}
	dir := join(t.Root)
	var search func(dir string, depth int) []*Tree
	search = func(dir string, depth int) []*Tree {
		if depth > 2 {
			return nil
		}
		names := r.folders(dir)
		versions := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !compile(versionName).MatchString(name) })
		numbered := slices.DeleteFunc(slices.Clone(versions), func(name string) bool { return !strings.ContainsAny(name, "0123456789") })
		if len(numbered) >= 2 {
			slices.SortFunc(numbered, func(a, b string) int { return semver.Compare(semantic(a), semantic(b)) })
			best := numbered[len(numbered)-1]
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
		for _, name := range names {
			if found := search(join(dir, name), depth+1); found != nil {
				return found
			}
		}
		return nil
	}
	return search(dir, 0)
}

// semantic returns the name of a version as semver compares it.
func semantic(name string) string {
	return "v" + strings.TrimSuffix(strings.TrimPrefix(name, "v"), ".x")
}

var zola = &Generator{
	Name: "Zola", Markers: []string{"config.toml", "zola.toml"}, Index: []string{"_index", "index"}, Slug: Latin,
	Open: func(r *reader, marker string) []*Site {
		v, dir := parse(marker, r.text(marker)), path.Dir(marker)
		if v.str("base_url") == "" || !r.isDir(join(dir, "content")) {
			return nil
		}
		s := &Site{BaseURL: v.str("base_url"), Static: []string{join(dir, "static")}, Suffix: len(v.sub("languages")) > 0}
		s.Trees = []*Tree{{Root: join(dir, "content"), Language: cmp.Or(v.str("default_language"), "en")}}
		for _, name := range slices.Sorted(keysOf(v.sub("languages"))) {
			if name != s.Trees[0].Language {
				s.Trees = append(s.Trees, &Tree{Root: join(dir, "content"), Language: strings.ToLower(name), Prefix: name + "/", Other: true})
			}
		}
		return []*Site{s}
	},
	Route: func(s *Site, p *Page) string {
		if at := p.front.str("path"); at != "" {
			return p.ended("/" + strings.Trim(at, "/"))
		}
		parts := strings.Split(p.plainRoute(), "/")
		last := len(parts) - 2
		for i, part := range parts {
			parts[i] = Latin.of(part)
		}
		if slug := p.front.str("slug"); slug != "" && last > 0 {
			parts[last] = Latin.of(slug)
		}
		return strings.Join(parts, "/")
	},
	Publishes: draft,
}
