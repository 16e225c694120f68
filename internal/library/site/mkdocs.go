package site

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

var mkdocs = &Generator{
	Name: "MkDocs", Lacks: "plugins other than exclude (without `regex`), i18n, literate-nav and the include plugins; awesome-nav",
	Markers:    []string{"mkdocs.yml", "mkdocs.yaml", "zensical.toml"},
	Extensions: []string{".md", ".markdown", ".mdown", ".mkdn", ".mkd"},
	Index:      []string{"index", "readme"}, NavTitles: true,
	Skip:     []string{"templates/**", "**/SUMMARY.md"},
	Built:    []string{"img/favicon.ico", "{css,js,search}/**", "{404,search}.html", "sitemap.xml*"},
	Includes: []include{snippet, fastAPICode, mdxBang, includeMarkdown},
	Open: func(r *reader, marker string) []*Site {
		v, dir := mkdocsConfig(r, marker), path.Dir(marker)
		if p := v.Sub("project"); marker == "zensical.toml" && p != nil {
			v = p
		}
		s := &Site{Title: v.Str("site_name"), BaseURL: v.Str("site_url"), HTML: v.Str("use_directory_urls") == "false", Skip: gitGlobs(slices.Concat(v.List("exclude_docs"), pluginOf(v, "exclude").List("glob")))}
		// The themes that MkDocs has show titles of the navigation; Material and what is made of it, those of front matter.
		s.FrontTitles = !slices.Contains([]string{"", "mkdocs", "readthedocs"}, cmp.Or(v.Str("theme", "name"), v.Str("theme")))
		docs := v.Str("docs_dir")
		if docs == "" {
			docs = "docs"
		}
		t := &Tree{Root: join(dir, docs), Language: v.Str("theme", "language")}
		s.Trees = []*Tree{t}
		if i18n := pluginOf(v, "i18n"); i18n != nil {
			languages, _ := i18n.Get("languages").([]any)
			for _, l := range languages {
				l, _ := l.(map[string]any)
				code := strings.ToLower(values(l).Str("locale"))
				if values(l).Is("default") || code == "" {
					t.Language = code
					continue
				}
				other := &Tree{Root: t.Root, Language: code, Prefix: code + "/", Other: true}
				if i18n.Str("docs_structure") == "folder" {
					other.Root = join(t.Root, values(l).Str("locale"))
				} else {
					s.Suffix = true
				}
				s.Trees = append(s.Trees, other)
			}
		}
		return []*Site{s}
	},
	Order: func(n *navigation, s *Site, t *Tree) {
		v := mkdocsConfig(n.reader, s.Config)
		if p := v.Sub("project"); p != nil {
			v = p
		}
		nav := pluginOf(v, "literate-nav").Str("nav_file")
		if nav == "" {
			nav = "SUMMARY.md"
		}
		if v.Get("nav") == nil {
			n.addUntitled(join(t.Root, nav), nil)
			return
		}
		m := mkdocsNav{n, s.Config, t.Root, nav}
		m.add(v.Get("nav"), "", nil)
	},
}

var (
	snippet         = include{hint: "8<", pattern: `^\s*;?-{1,}8<-{1,}\s+["'](?P<file>[^"':]+)(?::(?P<part>[^"']+))?["']\s*$`}
	fastAPICode     = include{hint: "{*", pattern: `^\s*\{\*\s*` + file + `(?P<part>(?:\s+\w+\[[^\]]*\])*)\s*\*\}`, code: true}
	mdxBang         = include{hint: "{!", pattern: `^\s*\{!>?\s*` + file + `(?:\[(?P<part>[^\]]*)\])?\s*!\}`}
	includeMarkdown = include{hint: "{%", pattern: `^\s*\{%-?\s*include(?:-markdown)?\s+["'](?P<file>[^"']+)["'](?P<part>[^%]*)-?%\}`}
)

// mkdocsConfig reads a configuration and the ones that it inherits from.
func mkdocsConfig(r *reader, file string) values {
	return once(r, "MkDocs", file, func() values {
		v := maps.Clone(r.config(file))
		for depth, at := 0, file; depth < 5 && v.Str("INHERIT") != ""; depth++ {
			at = join(path.Dir(at), v.Str("INHERIT"))
			delete(v, "INHERIT")
			for k, x := range r.config(at) {
				if _, known := v[k]; !known {
					v[k] = x
				}
			}
		}
		return v
	})
}

// pluginOf returns the settings of a plugin, or nil if it is not used.
func pluginOf(v values, name string) values {
	if m := v.Sub("plugins"); m != nil {
		if _, used := m[name]; used {
			return orEmpty(m.Sub(name))
		}
		return nil
	}
	list, _ := v.Get("plugins").([]any)
	for _, p := range list {
		if m, ok := p.(map[string]any); ok && m[name] != nil {
			return orEmpty(values(m).Sub(name))
		}
		if p == name {
			return values{}
		}
	}
	return nil
}

func orEmpty(v values) values {
	if v == nil {
		return values{}
	}
	return v
}

// A mkdocsNav reads the navigation in a configuration of MkDocs.
type mkdocsNav struct {
	*navigation
	config, root string
	file         string // name of the navigation in a folder
}

// add adds the pages of a value in the navigation, whose key is title, in groups.
func (m *mkdocsNav) add(nav any, title string, groups []string) {
	switch x := nav.(type) {
	case string:
		if strings.Contains(x, "://") {
			return
		}
		if !strings.HasSuffix(x, "/") {
			m.navigation.add(m.config, groups, Entry{File: join(m.root, x), Title: title})
			return
		}
		file := join(m.root, x, m.file)
		groups = inGroup(groups, title)
		m.navigation.add(file, groups, Entry{File: file, Title: title})
		m.addUntitled(file, groups)
	case []any:
		groups = inGroup(groups, title)
		for _, e := range x {
			m.add(e, "", groups)
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(x)) {
			title := k
			if pages, ok := x[k].([]any); ok && k == "" && len(pages) > 0 {
				if first, ok := pages[0].(string); ok {
					title = titleOf + join(m.root, first)
				}
			}
			m.add(x[k], title, groups)
		}
	}
}

// titleOf stands before a file in a group that has the title of this page.
const titleOf = "\x00"

// maxGroups is how many groups hold a page at most.
const maxGroups = 20

// inGroup returns groups with one more, unless that has no title, or there are many.
func inGroup(groups []string, title string) []string {
	if title == "" || len(groups) >= maxGroups {
		return groups
	}
	if !strings.HasPrefix(title, titleOf) {
		title = excerpt.Cut(title, 200) // every page in it has it
	}
	return append(slices.Clip(groups), title)
}
