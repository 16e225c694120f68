package site

import (
	"cmp"
	"slices"
	"strings"
)

var vitepress = &Generator{
	Name: "VitePress", Lacks: "components",
	Unread:  map[string]string{"rewrites": "pages have no URLs", "?themeConfig sidebar": "pages are in the order of their names", "?locales": "languages are missing", "?srcDir": "documents may be missing", "?srcExclude": "pages are served that are not published"},
	Markers: []string{".vitepress"}, Extensions: []string{".md"}, Index: []string{"index"},
	Keys: Keys{Title: "title", URL: "sitemap hostname", Base: "base", Folder: "srcDir"}, Public: []string{"public"},
	Skip: []string{"public/**", "**/node_modules/**"},
	Open: func(r *reader, s *Site) bool {
		v := s.openVite(r)
		if clean := v.Str("cleanUrls"); clean == "" || clean == "false" {
			s.Ending = ".html"
		}
		if s.Skip = v.List("srcExclude"); v.Get("rewrites") != nil { // the routes of pages that are moved are not known
			s.BaseURL = ""
		}
		return true
	},
	Order: viteOrder,
}

// openVite reads the configuration of VitePress or VuePress.
func (site *Site) openVite(r *reader) values {
	site.from = r.source(join(site.Config, "config"))
	site.read(r, r.exported(site.from))
	site.locales(r, site.settings.Sub("locales"), "")
	return site.settings
}

// locales adds the languages that have folders among the documents. main is the name of the one that has no documents around
// these folders; "": those around them have their own language.
func (site *Site) locales(r *reader, locales values, main string) {
	tree, root := site.Trees[0], site.Trees[0].Root
	for _, key := range locales.Keys() {
		name, language := strings.Trim(key, "/"), strings.ToLower(locales.Str(key, "lang"))
		switch folder := join(root, name); {
		case name == "root" || name == "":
			tree.Language = language
		case !r.isDir(folder):
		case name == main:
			tree.Root, tree.Prefix, tree.Language = folder, name+"/", cmp.Or(language, strings.ToLower(name))
		default:
			site.speak(tree, name, folder).Language = cmp.Or(language, strings.ToLower(name))
		}
	}
	if len(site.Trees) > 1 {
		tree.Language = cmp.Or(tree.Language, "en")
	}
}

// viteOrder adds the pages that the sidebar links to, in order, and then those of other links.
func viteOrder(n *navigation, s *Site, t *Tree) {
	v := s.settings
	n.addTexts(v.Get("themeConfig", "sidebar"), "link children path", "/"+t.Prefix, v.Get("rewrites") == nil)
	n.addTexts(map[string]any(v), "link children path sidebar", "/"+t.Prefix, false)
}

var vuepress = &Generator{
	Name: "VuePress", Lacks: "components",
	Unread:  map[string]string{"?themeConfig sidebar": "pages are in the order of their names", "?locales": "languages are missing"},
	Markers: []string{".vuepress"}, Extensions: []string{".md"}, Index: []string{"readme", "index"},
	Keys: Keys{Title: "title|locales / title"}, Public: []string{".vuepress/public"}, Ending: ".html",
	Open: func(r *reader, s *Site) bool {
		v := s.openVite(r)
		for _, o := range slices.Concat(v.Options("plugins"), v.Options("theme")) {
			if o.Values != nil && slices.Contains([]string{"sitemapPlugin", "hopeTheme", "plumeTheme"}, o.Name) {
				o.Values["base"] = v.Get("base")
				s.BaseURL = cmp.Or(s.BaseURL, baseURL(o.Values, "hostname", "base"))
			}
		}
		return true
	},
	Order: viteOrder,
}
