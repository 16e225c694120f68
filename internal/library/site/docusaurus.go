package site

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"
)

var docusaurus = &Generator{
	Name: "Docusaurus", Lacks: "sidebars that a program makes; other plugins; client redirects",
	Unread: map[string]string{"?presets": "pages have no URLs, and folders may be others", "?plugins": "documents may be missing", "?i18n locales": "languages are missing", "?url": "pages have no URLs", "?baseUrl": "pages have no URLs",
		"plugins remote-content": "documents of other places are missing"},
	Markers:    []string{"docusaurus.config.js", "docusaurus.config.ts", "docusaurus.config.mjs", "docusaurus.config.cjs"},
	Extensions: []string{".md", ".mdx"}, Index: []string{"index", "readme"}, FromRoot: true, Drafts: true, Spell: unnumbered,
	Keys: Keys{Title: "title", URL: "url", Base: "baseUrl"}, Public: []string{"static"},
	Skip: []string{"**/_*", "**/_*/**", "**/*.test.*", "**/__tests__/**"},
	Open: func(r *reader, s *Site) bool {
		s.read(r, r.exported(s.Config))
		if s.settings.Is("trailingSlash") {
			s.Ending = "/"
		}
		if s.settings.Unknown("presets") { // routes may begin otherwise
			s.BaseURL = ""
		}
		return true
	},
	Sites: func(r *reader, s *Site) (sites []*Site) {
		v := s.settings
		add := func(kind, id string, options values) {
			sites = append(sites, docusaurusSite(r, *s, kind, id, options))
		}
		docs, blog := values{}, any(nil)
		for _, preset := range v.Options("presets") {
			if options := preset.Sub("docs"); options != nil {
				docs = options
			}
			blog = cmp.Or(blog, preset.Get("blog"))
		}
		add("docs", "", docs)
		for _, plugin := range v.Options("plugins") {
			if strings.HasSuffix(plugin.Name, "content-docs") {
				add("docs", plugin.Str("id"), plugin.Values)
			}
		}
		if options, _ := blog.(map[string]any); options != nil || blog == true {
			add("blog", "", options)
		}
		return sites
	},
	Route: func(s *Site, p *Page) string {
		slug, id := p.front.Str("slug"), p.front.Str("id")
		if s.Values["blog"] != "" {
			if m := compile(`^(?:.*/)?(\d{4})[-/](\d{1,2})[-/](\d{1,2})[-/]?(.*?)(?:/index)?$`).FindStringSubmatch(stem(p.below())); m != nil {
				slug = cmp.Or(slug, join(m[1], m[2], m[3], m[4]))
			}
			slug = "/" + strings.Trim(cmp.Or(slug, join(path.Dir(p.below()), p.name())), "/")
		}
		if strings.HasPrefix(slug, "/") {
			return p.ended(slug)
		}
		dir, name := spelled(path.Dir(p.below()), unnumbered), unnumbered(p.name())
		if slug+id != "" || !p.isIndex() && name != path.Base(dir) {
			return p.ended("/" + join(dir, cmp.Or(slug, id, name)))
		}
		if s.settings.Str("trailingSlash") == "false" {
			return path.Join("/", dir)
		}
		return strings.TrimSuffix(path.Join("/", dir), "/") + "/"
	},
	Order: func(n *navigation, s *Site, t *Tree) {
		if s.Values["blog"] != "" {
			return // it has no sidebar of its own
		}
		prefix := s.Values["sidebars"]
		file := cmp.Or(n.source(join(s.Dir, strings.TrimSuffix(prefix, "_")+"sidebars")), n.source(join(s.Dir, "sidebars")))
		if name := path.Base(t.Root); strings.HasPrefix(name, "version-") {
			file = join(s.Dir, prefix+"versioned_sidebars", name+"-sidebars.json")
		}
		s.from = file
		n.addTexts(map[string]any(n.exported(file)), "", "", true)
		n.addWeights(t.Root)
	},
}

// addWeights reads the weights of a folder and of those in it.
func (n *navigation) addWeights(dir string) {
	for _, name := range n.list(dir) {
		if stem(name) == "_category_" {
			n.weights[dir], _ = n.config(join(dir, name)).Number("position")
		}
	}
	for _, name := range n.folders(dir) {
		if n.isDir(join(dir, name)) {
			n.addWeights(join(dir, name))
		}
	}
}

// docusaurusSite returns the site of a plugin for documents or a blog as it is configured once. Its versions are in the folders
// that versions.json names, and their languages in i18n.
func docusaurusSite(r *reader, site Site, kind, id string, options values) *Site {
	s, i18n, plugin := &site, site.settings.Sub("i18n"), "docusaurus-plugin-content-"+kind
	s.Trees, s.Skip, s.Values = nil, options.List("exclude"), make(map[string]string)
	if id != "" {
		s.Values["sidebars"], plugin = id+"_", plugin+"-"+id
	}
	main := i18n.Str("defaultLocale")
	locales := append([]string{main}, slices.DeleteFunc(i18n.List("locales"), func(l string) bool { return l == main })...)
	var versions []string
	if kind == "blog" {
		s.Values["blog"] = "yes"
	} else if file := join(s.Dir, s.Values["sidebars"]+"versions.json"); r.has(file) && json.Unmarshal([]byte(r.text(file)), &versions) != nil {
		versions = nil
		r.notice(file, "", "cannot be parsed: versions are missing")
	}
	if file := options.Str("sidebarPath"); strings.HasPrefix(file, "./") && r.source(join(s.Dir, file)) == "" {
		r.absent(site.Config, join(s.Dir, file), "")
	}
	all, only := append(versions, "current"), options.List("onlyIncludeVersions")
	last := cmp.Or(options.Str("lastVersion"), all[0])
	left := func(version string) bool {
		return len(only) > 0 && !slices.Contains(only, version) || version == "current" && options.Str("includeCurrentVersion") == "false"
	}
	slices.SortStableFunc(all, func(a, b string) int { return compareBool(b == last, a == last) })
	root, base := join(s.Dir, cmp.Or(options.Str("path"), kind)), cmp.Or(options.Str("routeBasePath"), kind)
	for _, version := range all {
		if len(versions) > 0 && left(version) {
			continue
		}
		title, folder, docs, route := version, "version-"+version, join(s.Dir, s.Values["sidebars"]+"versioned_docs", "version-"+version), version
		switch {
		case kind == "blog":
			title, folder, docs = "", "", root
		case version == "current":
			title, folder, docs, route = "next", version, root, "next"
		case version == last && left("current") && !r.isDir(docs): // a build makes it of the current one
			docs = root
		}
		if len(versions) == 0 {
			title = ""
		}
		if options.Get("versions", version, "path") != nil {
			route = options.Str("versions", version, "path")
		} else if version == last {
			route = ""
		}
		for i, l := range locales {
			t := &Tree{Root: docs, Language: strings.ToLower(l), Version: cmp.Or(options.Str("versions", version, "label"), title), Other: i > 0 || version != last}
			if i > 0 {
				t.Root, t.Prefix = join(s.Dir, "i18n", l, plugin, folder), l
			}
			t.Prefix = strings.TrimLeft(path.Join("/", t.Prefix, base, route)+"/", "/")
			s.Trees = append(s.Trees, t)
		}
	}
	return s
}
