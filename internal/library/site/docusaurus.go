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
	Extensions: []string{".md", ".mdx"}, Index: []string{"index", "readme"}, Numbers: true, FromRoot: true,
	Skip:     []string{"**/_*", "**/_*/**", "**/*.test.*", "**/__tests__/**"},
	Includes: []include{mdxImport, rawLoader},
	Open: func(r *reader, marker string) (sites []*Site) {
		dir, v := path.Dir(marker), r.exported(marker)
		for i, config := range docusaurusInstances(v) {
			in := docusaurusInstance{i18n: v.Sub("i18n"), config: config, dir: dir, id: config.Str("id")}
			if i == 0 {
				in.id = ""
			}
			in.root, in.route = join(dir, cmp.Or(config.Str("path"), "docs")), strings.Trim(cmp.Or(config.Str("routeBasePath"), "docs"), "/")
			s := &Site{settings: v, Title: v.Str("title"), BaseURL: baseURL(v, []string{"url"}, []string{"baseUrl"}), Bare: !v.Is("trailingSlash"), Static: []string{join(dir, "static")}, Skip: config.List("exclude")}
			in.trees(r, s)
			sites = append(sites, s)
		}
		if blog, ok := docusaurusBlog(v); ok {
			in := docusaurusInstance{i18n: v.Sub("i18n"), dir: dir}
			s := &Site{Title: sites[0].Title, BaseURL: sites[0].BaseURL, Bare: sites[0].Bare, Static: sites[0].Static, Skip: blog.List("exclude"), Values: map[string]string{"blog": "yes"}}
			route := strings.Trim(cmp.Or(blog.Str("routeBasePath"), "blog"), "/")
			for i, l := range in.locales() {
				t := &Tree{Root: join(dir, cmp.Or(blog.Str("path"), "blog")), Language: strings.ToLower(l), Prefix: slashed(route)}
				if i > 0 {
					t.Root, t.Prefix, t.Other = join(dir, "i18n", l, "docusaurus-plugin-content-blog"), slashed(l, route), true
				}
				s.Trees = append(s.Trees, t)
			}
			sites = append(sites, s)
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
		numbers := compile(`(^|/)\d+[-_.]+\s*`)
		dir, name := numbers.ReplaceAllString(path.Dir(p.below()), "$1"), numbers.ReplaceAllString(p.name(), "$1")
		if slug+id != "" || !p.isIndex() && name != path.Base(dir) {
			return p.ended("/" + join(dir, cmp.Or(slug, id, name)))
		}
		return p.ended("/" + strings.TrimPrefix(dir, "."))
	},
	Order: func(n *navigation, s *Site, t *Tree) {
		for _, file := range docusaurusSidebars(s, t) {
			if v := n.exported(file); len(v) > 0 {
				n.addTexts(map[string]any(v), false, func(id settings.Text) string { return id.Text })
				break
			}
		}
	},
	Publishes: draft,
}

var (
	mdxImport = include{hint: "import", pattern: `^\s*import\s+(?P<name>[A-Z]\w*)\s+from\s+["'](?P<file>[^"']+\.mdx?)["'];?\s*$`, outside: true}
	rawLoader = include{hint: "raw-loader", pattern: `^\s*import\s+(?P<name>[A-Za-z]\w*)\s+from\s+["']!!raw-loader!(?P<file>[^"']+)["'];?\s*$`, code: true, outside: true}
)

// docusaurusInstances returns the options of the plugin for documents as a preset has it, and of each further one.
func docusaurusInstances(v values) (instances []values) {
	instances = []values{{}}
	each := func(key string, yield func(name string, options values)) {
		list, _ := v.Get(key).([]any)
		for _, e := range list {
			if pair, ok := e.([]any); ok && len(pair) > 1 {
				name, _ := pair[0].(string)
				options, _ := pair[1].(map[string]any)
				yield(name, options)
			}
		}
	}
	each("presets", func(_ string, options values) {
		if docs := options.Sub("docs"); docs != nil {
			instances[0] = docs
		}
	})
	each("plugins", func(name string, options values) {
		if strings.HasSuffix(name, "plugin-content-docs") || strings.HasSuffix(name, "content-docs") {
			instances = append(instances, options)
		}
	})
	return instances
}

// A docusaurusInstance is the plugin for documents as it is configured once.
type docusaurusInstance struct {
	i18n, config         values
	dir, id, root, route string
}

// docusaurusBlog returns the options of the blog, if the site has one.
func docusaurusBlog(v values) (options values, ok bool) {
	list, _ := v.Get("presets").([]any)
	for _, e := range list {
		if pair, _ := e.([]any); len(pair) > 1 {
			if m, _ := pair[1].(map[string]any); m["blog"] != nil && m["blog"] != false {
				return values(m).Sub("blog"), true
			}
		}
	}
	return nil, false
}

// locales returns the languages, the default one first.
func (in docusaurusInstance) locales() []string {
	locales := []string{in.i18n.Str("defaultLocale")}
	for _, l := range in.i18n.List("locales") {
		if !slices.Contains(locales, l) {
			locales = append(locales, l)
		}
	}
	return locales
}

// slashed returns what routes begin with.
func slashed(parts ...string) string { return strings.TrimPrefix(path.Join(parts...)+"/", "/") }

// trees adds the versions and languages of an instance to a site.
func (in docusaurusInstance) trees(r *reader, s *Site) {
	folder, prefix := "docusaurus-plugin-content-docs", ""
	if in.id != "" {
		prefix, folder = in.id+"_", folder+"-"+in.id
	}
	s.Values = map[string]string{"sidebars": prefix}
	locales := in.locales()
	add := func(version, folderName, docs, route string, other bool) {
		label := in.config.Str("versions", strings.TrimPrefix(folderName, "version-"), "label")
		for i, l := range locales {
			t := &Tree{Root: docs, Language: strings.ToLower(l), Version: cmp.Or(label, version), Prefix: slashed(in.route, route), Other: other}
			if i > 0 {
				t.Root, t.Prefix, t.Other = join(in.dir, "i18n", l, folder, folderName), slashed(l, in.route, route), true
			}
			if other {
				s.Trees = append(s.Trees, t)
			} else { // the default version comes first
				s.Trees = slices.Insert(s.Trees, i, t)
			}
		}
	}
	var versions []string
	if json.Unmarshal([]byte(r.text(join(in.dir, prefix+"versions.json"))), &versions) != nil || len(versions) == 0 {
		add("", "current", in.root, "", false)
		return
	}
	last := cmp.Or(in.config.Str("lastVersion"), versions[0])
	route := func(version, usual string) string {
		if own := in.config.Get("versions", version, "path"); own != nil {
			return strings.Trim(in.config.Str("versions", version, "path"), "/")
		}
		if version == last {
			return ""
		}
		return usual
	}
	only := in.config.List("onlyIncludeVersions")
	included := func(version string) bool { return len(only) == 0 || slices.Contains(only, version) }
	current := included("current") && in.config.Str("includeCurrentVersion") != "false"
	for _, v := range versions {
		if included(v) {
			docs := join(in.dir, prefix+"versioned_docs", "version-"+v)
			if !current && v == last && !r.isDir(docs) { // a build makes it of the current one
				docs = in.root
			}
			add(v, "version-"+v, docs, route(v, v), v != last)
		}
	}
	if current {
		add("next", "current", in.root, route("current", "next"), last != "current")
	}
}

// docusaurusSidebars returns the files that may have the sidebar of a tree, the best first.
func docusaurusSidebars(s *Site, t *Tree) []string {
	prefix := s.Values["sidebars"]
	if name, ok := strings.CutPrefix(path.Base(t.Root), "version-"); ok {
		return []string{join(s.Dir, prefix+"versioned_sidebars", "version-"+name+"-sidebars.json")}
	}
	var files []string
	for _, ext := range []string{".js", ".ts", ".json", ".mjs", ".cjs"} {
		files = append(files, join(s.Dir, strings.TrimSuffix(prefix, "_")+"sidebars"+ext), join(s.Dir, "sidebars"+ext))
	}
	return files
}
