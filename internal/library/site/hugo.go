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
		s.Trees = append(s.Trees, versionTrees(r, main, main.Root, cmp.Or(v.str("params", "latest_stable_version"), v.str("params", "latest"), v.str("params", "version")), 0)...)
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

var hugoShortcode = include{hint: "{{", pattern: `^\s*\{\{[<%]\s*[\w/-]+\s+(?:[\w-]+=["'][^"']*["']\s+)*?(?:file=|path=|src=)?["'](?P<file>[^"'\s]+\.\w+)["'][^}]*[>%]\}\}\s*$`, bases: []string{"page", "root", "root/_includes", "root/_common", "assets", "static", "project"}}

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

// versionTrees returns the trees of sibling folders of a tree that are named after versions. latest names the default
// version. If there is no such folder, the highest number is the default.
func versionTrees(r *reader, t *Tree, dir, latest string, depth int) (trees []*Tree) {
	if depth > 2 {
		return nil
	}
	names := r.folders(dir)
	versions := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !compile(versionName).MatchString(name) })
	numbered := slices.DeleteFunc(slices.Clone(versions), func(name string) bool { return !strings.ContainsAny(name, "0123456789") })
	if len(numbered) < 2 {
		for _, name := range names {
			if trees = versionTrees(r, t, join(dir, name), latest, depth+1); trees != nil {
				break
			}
		}
		return trees
	}
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

// semantic returns the name of a version as semver compares it.
func semantic(name string) string {
	return "v" + strings.TrimSuffix(strings.TrimPrefix(name, "v"), ".x")
}
