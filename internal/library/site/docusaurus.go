package site

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

var docusaurus = &Generator{
	Name: "Docusaurus", Lacks: "sidebars that a program makes; other plugins; client redirects",
	Unread: map[string]string{"?presets": "folders and routes of documents may be others", "?plugins": "documents may be missing", "?i18n locales": "languages are missing", "?url": "pages have no URLs", "?baseUrl": "pages have no URLs",
		"plugins remote-content": "documents of other places are missing"},
	Markers:    []string{"docusaurus.config.js", "docusaurus.config.ts", "docusaurus.config.mjs", "docusaurus.config.cjs"},
	Extensions: []string{".md", ".mdx"}, Index: []string{"index", "readme"}, FromRoot: true,
	Keys: Keys{Title: "title", URL: "url", Base: "baseUrl"}, Static: []string{"static"},
	Skip:     []string{"**/_*", "**/_*/**", "**/*.test.*", "**/__tests__/**"},
	Includes: []include{mdxImport, rawLoader},
	Open: func(r *reader, s *Site) (sites []*Site) {
		v := r.exported(s.Config)
		s.read(r, v)
		if v.Is("trailingSlash") {
			s.Ending = "/"
		}
		add := func(kind, id string, options values) {
			in := docusaurusInstance{reader: r, i18n: v.Sub("i18n"), options: options, dir: s.Dir, kind: kind, plugin: "docusaurus-plugin-content-" + kind}
			s := *s
			s.Trees, s.Skip, s.Values = nil, options.List("exclude"), make(map[string]string)
			if id != "" {
				s.Values["sidebars"], in.plugin = id+"_", in.plugin+"-"+id
			}
			if kind == "blog" {
				s.Values["blog"] = "yes"
			}
			in.trees(&s)
			sites = append(sites, &s)
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
		return p.ended("/" + strings.TrimPrefix(dir, "."))
	},
	Order: func(n *navigation, s *Site, t *Tree) {
		prefix := s.Values["sidebars"]
		file := cmp.Or(n.source(join(s.Dir, strings.TrimSuffix(prefix, "_")+"sidebars")), n.source(join(s.Dir, "sidebars")))
		if name := path.Base(t.Root); strings.HasPrefix(name, "version-") {
			file = join(s.Dir, prefix+"versioned_sidebars", name+"-sidebars.json")
		}
		n.addTexts(map[string]any(n.exported(file)), false, func(id settings.Text) string { return id.Text })
	},
	Publishes: draft,
}

var (
	mdxImport = include{hint: "import", pattern: `^\s*import\s+(?P<name>[A-Z]\w*)\s+from\s+["'](?P<file>[^"']+\.mdx?)["'];?\s*$`, outside: true}
	rawLoader = include{hint: "raw-loader", pattern: `^\s*import\s+(?P<name>[A-Za-z]\w*)\s+from\s+["']!!raw-loader!(?P<file>[^"']+)["'];?\s*$`, code: true, outside: true}
)

// A docusaurusInstance is a plugin for documents or a blog as it is configured once.
type docusaurusInstance struct {
	*reader
	i18n, options     values
	dir, kind, plugin string
}

// slashed returns what routes begin with.
func slashed(parts ...string) string { return strings.TrimPrefix(path.Join(parts...)+"/", "/") }

// trees adds the versions and languages of an instance to a site.
func (in docusaurusInstance) trees(s *Site) {
	locales := []string{in.i18n.Str("defaultLocale")}
	for _, l := range in.i18n.List("locales") {
		if !slices.Contains(locales, l) {
			locales = append(locales, l)
		}
	}
	root, base := join(in.dir, cmp.Or(in.options.Str("path"), in.kind)), strings.Trim(cmp.Or(in.options.Str("routeBasePath"), in.kind), "/")
	add := func(version, folder, docs, route string, other bool) {
		label := in.options.Str("versions", strings.TrimPrefix(folder, "version-"), "label")
		for i, l := range locales {
			t := &Tree{Root: docs, Language: strings.ToLower(l), Version: cmp.Or(label, version), Prefix: slashed(base, route), Other: other}
			if i > 0 {
				t.Root, t.Prefix, t.Other = join(in.dir, "i18n", l, in.plugin, folder), slashed(l, base, route), true
			}
			if other {
				s.Trees = append(s.Trees, t)
			} else { // the default version comes first
				s.Trees = slices.Insert(s.Trees, i, t)
			}
		}
	}
	var versions []string
	prefix := s.Values["sidebars"]
	switch {
	case in.kind == "blog":
		add("", "", root, "", false)
		return
	case json.Unmarshal([]byte(in.text(join(in.dir, prefix+"versions.json"))), &versions) != nil || len(versions) == 0:
		add("", "current", root, "", false)
		return
	}
	last := cmp.Or(in.options.Str("lastVersion"), versions[0])
	route := func(version, usual string) string {
		if in.options.Get("versions", version, "path") != nil {
			return strings.Trim(in.options.Str("versions", version, "path"), "/")
		}
		if version == last {
			return ""
		}
		return usual
	}
	only := in.options.List("onlyIncludeVersions")
	included := func(version string) bool { return len(only) == 0 || slices.Contains(only, version) }
	current := included("current") && in.options.Str("includeCurrentVersion") != "false"
	for _, v := range versions {
		if included(v) {
			docs := join(in.dir, prefix+"versioned_docs", "version-"+v)
			if !current && v == last && !in.isDir(docs) { // a build makes it of the current one
				docs = root
			}
			add(v, "version-"+v, docs, route(v, v), v != last)
		}
	}
	if current {
		add("next", "current", root, route("current", "next"), last != "current")
	}
}
