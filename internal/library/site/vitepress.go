package site

import (
	"cmp"
	"path"
	"strings"
	"unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

var vitepress = &Generator{
	Name: "VitePress", Lacks: "rewrites (such sites have no URLs); sidebars that a program makes; components",
	Markers: []string{".vitepress"}, Slug: viteSlug,
	Skip:     []string{"public/**", "**/node_modules/**"},
	Makers:   []maker{jsx(`Badge|ClientOnly|VP\w+`, ".vitepress/theme/components", ".vitepress/components", ".vitepress/theme")},
	Includes: []include{viteCode, viteInclude},
	Open: func(r *reader, marker string) []*Site {
		dir := path.Dir(marker)
		js, _ := viteConfig(r, marker)
		s := &Site{BaseURL: js.Block("sitemap").Str("hostname"), HTML: !compile(`cleanUrls\s*:\s*(?:true|'|")`).MatchString(string(js))}
		s.Bare = !s.HTML
		root := join(dir, js.Str("srcDir"))
		if s.BaseURL != "" {
			s.BaseURL = strings.TrimSuffix(s.BaseURL, "/") + "/" + strings.Trim(js.Str("base"), "/")
		}
		if strings.Contains(string(js), "rewrites") {
			s.BaseURL = "" // the routes of pages that are moved are not known
		}
		s.Skip, s.Static = js.Block("srcExclude").Strings(), []string{join(root, "public")}
		s.Trees = localeTrees(r, root, js)
		return []*Site{s}
	},
	Order: viteOrder,
}

var (
	viteCode    = include{hint: "<<<", pattern: `^\s*<<<\s+(?P<file>[^\s{#\[]+)(?:#(?P<part>[\w*.-]+))?(?:\s*\{(?P<lines>[^}]*)\})?(?:\s*\[[^\]]*\])?\s*$`, bases: []string{"page", "root"}, fenced: true, outside: true}
	viteInclude = include{hint: "@include", pattern: `^\s*<!--\s*@include:\s*(?P<file>[^\s{#]+)(?:#(?P<part>[\w.-]+))?(?:\{(?P<lines>[^}]*)\})?\s*-->\s*$`, bases: []string{"page", "root"}}
)

// viteConfig returns the configuration in a folder .vitepress or .vuepress, with its file.
func viteConfig(r *reader, dir string) (js script, file string) {
	for _, name := range []string{"config", "config/index"} {
		for _, ext := range []string{".ts", ".mts", ".js", ".mjs", ".cjs"} {
			if file := join(dir, name+ext); r.has(file) {
				return r.script(file), file
			}
		}
	}
	return "", ""
}

// localeTrees returns the tree of a root and one tree for each folder that "locales" names.
func localeTrees(r *reader, root string, js script) []*Tree {
	main := &Tree{Root: root}
	trees := []*Tree{main}
	for _, locale := range js.Block("locales").Members() {
		name := strings.Trim(locale.Key, "/")
		language := strings.ToLower(locale.Block.Str("lang"))
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
	_, file := viteConfig(n.reader, s.Config)
	link := func(x settings.Text) string {
		link, ok := strings.CutPrefix(x.Text, "/"+t.Prefix)
		if !ok || x.Key != "link" {
			return ""
		}
		link, _, _ = strings.Cut(link, "#")
		return cmp.Or(strings.TrimSuffix(link, ".html"), "index")
	}
	ordered := make(map[string]bool)
	for _, x := range n.texts(file, "sidebar") {
		ordered[x.Text] = true
	}
	n.addTexts(file, t.Root, s.extensions(), n.texts(file, "sidebar"), link)
	n.addTexts(file, t.Root, s.extensions(), n.texts(file, ""), func(x settings.Text) string {
		if ordered[x.Text] {
			return ""
		}
		return link(x)
	})
}

// viteSlug is the rule of VitePress and VuePress.
var viteSlug = &Slug{start: 1, rule: func(text string) string {
	return underscored(dashes(strings.ToLower(unaccented(text)), func(r rune) bool { return !viteSpecial(r) }, nil))
}}

// underscored puts "_" before an id that begins with a digit.
func underscored(id string) string {
	if id != "" && id[0] >= '0' && id[0] <= '9' {
		return "_" + id
	}
	return id
}

func viteSpecial(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("~`!@#$%^&*()-_+=[]{}|\\;:\"'“”‘’<>,.?/", r)
}

var vuepress = &Generator{
	Name: "VuePress", Lacks: "sidebars that a program makes; components",
	Markers: []string{".vuepress"}, Slug: viteSlug, Index: []string{"readme", "index"},
	Makers:   []maker{jsx("Badge|ClientOnly|RouteLink|CodeGroup(?:Item)?", ".vuepress/components")},
	Includes: []include{vueCode, viteInclude},
	Open: func(r *reader, marker string) []*Site {
		dir := path.Dir(marker)
		js, _ := viteConfig(r, marker)
		s := &Site{HTML: true, Static: []string{join(marker, "public")}}
		if host := js.Str("hostname"); host != "" {
			s.BaseURL = strings.TrimSuffix(host, "/") + "/" + strings.Trim(js.Str("base"), "/")
		}
		s.Trees = localeTrees(r, dir, js)
		return []*Site{s}
	},
	Order: viteOrder,
}

var vueCode = include{hint: "@[code", pattern: `^\s*@\[code(?:\{(?P<part>[^}]*)\})?(?P<fence>\s+\w+)?[^\]]*\]\((?P<file>[^)#]+)(?:#(?P<region>[\w.-]+))?\)`, bases: []string{"page", "root"}, fenced: true, outside: true}
