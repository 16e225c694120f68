package site

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
)

var hugo = &Generator{
	Name: "Hugo", Lacks: "render hooks and themes; shortcodes that name no file",
	Unread:     map[string]string{"permalinks": "pages have no URLs"},
	Markers:    []string{"hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json", "config.toml", "config.yaml", "config.yml", "config.json", "_default"},
	Extensions: []string{".md", ".markdown", ".html", ".adoc", ".rst"}, Index: []string{"_index", "index"}, Whole: "url", Slug: "slug", Drafts: true,
	Spell: func(part string) string { return strings.ToLower(strings.ReplaceAll(part, " ", "-")) },
	Keys:  Keys{Title: "title", URL: "baseURL|baseurl|BaseURL", Language: "defaultContentLanguage", Folder: "contentDir"}, Folder: "content", Public: []string{"static", "assets"}, Ending: "/",
	Skip: []string{"**/_[!i]*/**", "**/_[!i]*"},
	Open: func(r *reader, s *Site) bool {
		if path.Base(s.Config) == "_default" {
			if path.Base(s.Dir) != "config" {
				return false
			}
			s.Dir = path.Dir(s.Dir)
			s.read(r, hugoConfig(r, s.Config))
		}
		v, dir := s.settings, s.Dir
		if strings.HasPrefix(path.Base(s.Config), "config.") && first(v, s.Keys.URL) == "" {
			return false
		}
		s.Hooked = r.has(join(dir, "layouts/_markup/render-link.html")) || r.has(join(dir, "layouts/_default/_markup/render-link.html"))
		if v.Get("permalinks") != nil {
			s.BaseURL = ""
		}
		main := s.Trees[0]
		main.Language = cmp.Or(main.Language, "en")
		first, around := main.Language, main.Root // folders in it may be named after the languages
		for _, other := range v.Subs("module", "imports") {
			if slices.ContainsFunc(other.Subs("mounts"), func(m values) bool { return within("content", m.Str("target")) }) {
				r.notice(s.Config, other.Str("path"), "module.imports is not understood: the documents of "+other.Str("path")+" are missing")
			}
		}
		for _, m := range v.Subs("module", "mounts") {
			if only := m.List("sites", "matrix", "languages"); len(only) > 0 && !slices.Contains(only, first) {
				continue
			}
			target := m.Str("target")
			if below, ok := strings.CutPrefix(target, "content/"); ok {
				below = strings.TrimSuffix(stem(below), "/_index")
				s.Built = append(s.Built, below, below+"/**")
			}
			if target == "content" && (m.Str("lang") == "" || strings.EqualFold(m.Str("lang"), first)) {
				main.Root = join(dir, m.Str("source"))
			}
		}
		languages := v.Sub("languages")
		inFolders := len(languages) > 1 && r.isDir(join(around, first))
		for _, name := range slices.Sorted(maps.Keys(languages)) {
			l, root := languages.Sub(name), join(around, name)
			if own := l.Str("contentDir"); own != "" {
				root = join(dir, own)
			} else if !inFolders || !r.isDir(root) {
				root = "" // next to the other languages
			}
			if strings.ToLower(name) != first {
				if !l.Is("disabled") {
					s.speak(main, name, root)
				}
				continue
			}
			if main.Root = cmp.Or(root, main.Root); v.Is("defaultContentLanguageInSubdir") {
				main.Prefix = name + "/"
			}
		}
		s.Cascades = cascades(v)
		s.Latest = cmp.Or(v.Str("params", "latest_stable_version"), v.Str("params", "latest"), v.Str("params", "version"))
		return true
	},
	Publishes: func(s *Site, p *Page) string {
		if p.front.Is("headless") || rendered(p.front) == "never" {
			return unrendered
		}
		date := func(keys string) time.Time {
			text := first(p.front, keys)
			t, _ := time.Parse(time.DateOnly, text[:min(10, len(text))])
			return t
		}
		if date("publishDate|publishdate|date").After(time.Now()) {
			return "has a date in the future"
		}
		if t := date("expiryDate|expirydate|unpublishdate"); !t.IsZero() && t.Before(time.Now()) {
			return "has expired"
		}
		return ""
	},
}

// hugoConfig returns the configuration in config/_default: hugo.toml and one file for each other key.
func hugoConfig(r *reader, dir string) values {
	v := make(values)
	for _, name := range r.list(dir) {
		part := r.config(join(dir, name))
		switch key := stem(name); {
		case key == "hugo" || key == "config":
			maps.Copy(v, part)
		case strings.Contains(key, "."): // params.fr.toml
		case part.Get("mounts") != nil: // or what module.yaml is made of
			v["module"] = map[string]any(part)
		default:
			v[key] = map[string]any(part)
		}
	}
	return v
}

// unrendered is why a page is hidden that front matter or configuration leaves out.
const unrendered = "is not rendered by Hugo"

// rendered returns "never", "always" or "link", or "" if front matter or a cascade does not say whether a page is rendered.
func rendered(v values) string { return cmp.Or(v.Str("build", "render"), v.Str("_build", "render")) }

// A cascade says which pages below a folder are rendered.
type cascade struct {
	glob   string // of logical paths; "": all
	render string
}

// cascades returns what a configuration or front matter says about the pages below.
func cascades(v values) (found []cascade) {
	for _, c := range append(v.Subs("cascade"), v.Sub("cascade")) { // a list, or one
		path, conditions := first(c, "target path|_target path"), len(c.Sub("target"))+len(c.Sub("_target"))
		if render := rendered(c); render != "" && (conditions == 0 || conditions == 1 && path != "") {
			found = append(found, cascade{path, render})
		}
	}
	return found
}

// leave hides the pages that are parts of other pages, as all files in a folder with an index without "_" are, and the pages
// that a cascade says are not rendered.
func (site *Site) leave(pages []*Page) {
	bundles := make(map[string]*Page)       // pages whose parts the files in a folder are
	inherited := make(map[string][]cascade) // by the folder whose index has them
	for _, p := range pages {
		switch dir := path.Dir(p.File); {
		case p.name() == "_index" && site.is(hugo):
			inherited[dir] = cascades(p.front)
		case p.name() == "index" && dir != p.Tree.Root && (site.is(hugo) || p.front.Is("headless")):
			bundles[dir] = p
		}
	}
	for _, p := range pages {
		var of []cascade // the nearest first
		for dir := path.Dir(p.File); len(bundles)+len(inherited) > 0 && within(p.Tree.Root, dir); dir = path.Dir(dir) {
			if bundle := bundles[dir]; bundle != nil && bundle != p && p.Hidden == "" {
				p.Hidden = "is a part of the page " + bundle.File
			}
			of = append(of, inherited[dir]...)
			if dir == "." {
				break
			}
		}
		if of = append(of, site.Cascades...); len(of) == 0 || p.Hidden != "" || rendered(p.front) != "" {
			continue
		}
		logical := strings.ToLower("/" + strings.TrimSuffix(join(path.Dir(p.below()), p.name()), "/_index"))
		i := slices.IndexFunc(of, func(c cascade) bool { return c.glob == "" || matchesAny([]string{c.glob}, logical) })
		if i >= 0 && of[i].render == "never" {
			p.Hidden = unrendered
		}
	}
}
