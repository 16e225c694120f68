package site

import (
	"cmp"
	"path"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

var vitepress = &Generator{
	Name: "VitePress", Lacks: "components",
	Unread:   map[string]string{"rewrites": "pages have no URLs", "?themeConfig sidebar": "pages are in the order of their names", "?locales": "languages are missing", "?srcDir": "documents may be missing", "?srcExclude": "pages are served that are not published"},
	Markers:  []string{".vitepress"},
	Skip:     []string{"public/**", "**/node_modules/**"},
	Includes: []include{viteCode, viteInclude},
	Open: func(r *reader, marker string) []*Site {
		dir, from := path.Dir(marker), viteConfig(r, marker)
		v := r.exported(from)
		root := join(dir, v.Str("srcDir"))
		clean := v.Str("cleanUrls")
		s := &Site{settings: v, from: from, Title: v.Str("title"), HTML: clean == "" || clean == "false", Skip: v.List("srcExclude"), Static: []string{join(root, "public")}, Trees: localeTrees(r, root, v.Sub("locales"))}
		s.Bare = !s.HTML
		if v.Get("rewrites") == nil { // else the routes of pages that are moved are not known
			s.BaseURL = baseURL(v, []string{"sitemap", "hostname"}, []string{"base"})
		}
		return []*Site{s}
	},
	Order: viteOrder,
}

var (
	viteCode    = include{hint: "<<<", pattern: `^\s*<<<\s+(?P<file>[^\s{#\[]+)(?:#(?P<part>[\w*.-]+))?(?:\s*\{(?P<lines>[^}]*)\})?(?:\s*\[[^\]]*\])?\s*$`, code: true, outside: true}
	viteInclude = include{hint: "@include", pattern: `^\s*<!--\s*@include:\s*(?P<file>[^\s{#]+)(?:#(?P<part>[\w.-]+))?(?:\{(?P<lines>[^}]*)\})?\s*-->\s*$`}
)

// viteConfig returns the file of the configuration in a folder .vitepress or .vuepress.
func viteConfig(r *reader, dir string) string {
	for _, name := range []string{"config", "config/index"} {
		for _, ext := range []string{".ts", ".mts", ".js", ".mjs", ".cjs"} {
			if file := join(dir, name+ext); r.has(file) {
				return file
			}
		}
	}
	return ""
}

// localeTrees returns the tree of a root and one tree for each folder that is a key of locales.
func localeTrees(r *reader, root string, locales values) []*Tree {
	main := &Tree{Root: root}
	trees := []*Tree{main}
	for _, key := range locales.Keys() {
		name := strings.Trim(key, "/")
		language := strings.ToLower(locales.Str(key, "lang"))
		if name == "root" || name == "" {
			main.Language = language
			continue
		}
		if language == "" {
			language = strings.ToLower(name)
		}
		if r.isDir(join(root, name)) {
			trees = append(trees, &Tree{Root: join(root, name), Language: language, Prefix: name + "/", Other: true})
		}
	}
	if len(trees) > 1 && main.Language == "" {
		main.Language = "en"
	}
	return trees
}

// viteOrder adds the pages that the sidebar links to, in order, and then those of other links.
func viteOrder(n *navigation, s *Site, t *Tree) {
	v := s.settings
	link := func(x settings.Text) string {
		link, ok := strings.CutPrefix(x.Text, "/"+t.Prefix)
		if !ok || x.Key != "link" {
			return ""
		}
		link, _, _ = strings.Cut(link, "#")
		return cmp.Or(strings.TrimSuffix(link, ".html"), "index")
	}
	n.addTexts(v.Get("themeConfig", "sidebar"), v.Get("rewrites") == nil, link)
	n.addTexts(map[string]any(v), false, link)
}

var vuepress = &Generator{
	Name: "VuePress", Lacks: "components",
	Unread:  map[string]string{"?themeConfig sidebar": "pages are in the order of their names", "?locales": "languages are missing"},
	Markers: []string{".vuepress"}, Index: []string{"readme", "index"},
	Includes: []include{vueCode, viteInclude},
	Open: func(r *reader, marker string) []*Site {
		from := viteConfig(r, marker)
		v := r.exported(from)
		s := &Site{settings: v, from: from, Title: cmp.Or(v.Str("title"), v.Str("locales", "/", "title")), HTML: true, Static: []string{join(marker, "public")}, Trees: localeTrees(r, path.Dir(marker), v.Sub("locales"))}
		for _, name := range []string{"sitemapPlugin", "hopeTheme", "plumeTheme"} {
			for _, options := range settings.Calls(map[string]any(v), name) {
				options["base"] = v.Get("base")
				s.BaseURL = cmp.Or(s.BaseURL, baseURL(options, []string{"hostname"}, []string{"base"}))
			}
		}
		return []*Site{s}
	},
	Order: viteOrder,
}

var vueCode = include{hint: "@[code", pattern: `^\s*@\[code(?:\{(?P<part>[^}]*)\})?(?P<fence>\s+\w+)?[^\]]*\]\((?P<file>[^)#]+)(?:#(?P<region>[\w.-]+))?\)`, code: true, outside: true}
