package site

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

var mkdocs = &Generator{
	Name: "MkDocs", Lacks: "plugins other than exclude (without `regex`), i18n, literate-nav and the include plugins",
	Unread: map[string]string{"plugins gen-files": "the pages that it makes are missing", "plugins awesome-pages": "its order of the pages is lost", "plugins awesome-nav": "its order of the pages is lost",
		"plugins monorepo": "documents of other folders are missing", "plugins multirepo": "documents of other repositories are missing"},
	Markers:    []string{"mkdocs.yml", "mkdocs.yaml", "zensical.toml"},
	Extensions: []string{".md", ".markdown", ".mdown", ".mkdn", ".mkd"},
	Index:      []string{"index", "readme"}, NavTitles: true,
	Keys: Keys{Title: "site_name", URL: "site_url", Language: "theme language", Folder: "docs_dir"}, Folder: "docs", Ending: "/",
	Skip:  []string{"templates/**", "**/SUMMARY.md"},
	Built: []string{"img/favicon.ico", "{css,js,search}/**", "{404,search}.html", "sitemap.xml*"},
	Open: func(r *reader, s *Site) bool {
		v := mkdocsConfig(r, s.Config, 0)
		s.read(r, v)
		s.Skip = gitGlobs(slices.Concat(v.List("exclude_docs"), v.Option("plugins", "exclude").List("glob")))
		if v.Str("use_directory_urls") == "false" {
			s.Ending = ".html"
		}
		// The themes that MkDocs has show titles of the navigation; Material and what is made of it, those of front matter.
		s.FrontTitles = !slices.Contains([]string{"", "mkdocs", "readthedocs"}, cmp.Or(v.Str("theme", "name"), v.Str("theme")))
		snippets := v.Option("markdown_extensions", "pymdownx.snippets")
		s.Snippets, s.Appended = snippets.List("base_path"), snippets.List("auto_append")
		t := s.Trees[0]
		i18n := v.Option("plugins", "i18n")
		for _, l := range i18n.Subs("languages") {
			if code := l.Str("locale"); l.Is("default") || code == "" {
				t.Language = strings.ToLower(code)
			} else if i18n.Str("docs_structure") == "folder" {
				s.speak(t, code, join(t.Root, code))
			} else {
				s.speak(t, code, "")
			}
		}
		return true
	},
	Order: func(n *navigation, s *Site, t *Tree) {
		list := cmp.Or(s.settings.Option("plugins", "literate-nav").Str("nav_file"), "SUMMARY.md")
		if s.settings.Get("nav") == nil {
			n.addList(join(t.Root, list), nil, false)
		}
		nav, _ := s.settings.Get("nav").([]any)
		for _, x := range settings.Texts(nav, true) {
			x.Groups = slices.Clone(x.Groups)
			for i, group := range x.Groups {
				if first, ok := strings.CutPrefix(group, titleOf); ok {
					x.Groups[i] = titleOf + join(t.Root, first)
				}
			}
			switch {
			case strings.Contains(x.Text, "://"):
			case strings.HasSuffix(x.Text, "/"):
				file, groups := join(t.Root, x.Text, list), inGroup(x.Groups, x.Label)
				if n.has(file) {
					n.add(s.Config, Entry{file, x.Label, groups})
				}
				n.addList(file, groups, false)
			default:
				n.add(s.Config, Entry{join(t.Root, x.Text), x.Label, x.Groups})
			}
		}
	},
}

// mkdocsConfig reads a configuration and the ones that it inherits from.
func mkdocsConfig(r *reader, file string, depth int) values {
	v := r.config(file)
	if p := v.Sub("project"); path.Ext(file) == ".toml" && p != nil {
		return p
	}
	inherited := make(values)
	if from := v.Str("INHERIT"); from != "" && depth < 5 {
		maps.Copy(inherited, mkdocsConfig(r, join(path.Dir(file), from), depth+1))
	}
	maps.Copy(inherited, v)
	return inherited
}
