package site

import (
	"cmp"
	"path"
	"strings"
	"unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

var quarto = &Generator{
	Name: "Quarto", Lacks: "outputs of code; references to figures, tables and equations",
	Markers: []string{"_quarto.yml", "_quarto.yaml"}, Extensions: []string{".qmd", ".md", ".ipynb", ".rmd"}, Slug: pandoc,
	Skip:     []string{"**/_*", "**/_*/**", "**/README.*", "_site/**", "**/{LICENSE,CONTRIBUTING,CHANGELOG,NEWS}.md"},
	Makers:   []maker{{pattern: `(?m)^\s*\{\{|(?:output:|results\s*=)\s*["']?asis`, code: true}},
	Includes: []include{quartoInclude}, References: []reference{{"@sec-", `(^|[\s(\[;])@(sec-[\w-]+)`, "$1[](@$2)"}},
	Open: func(r *reader, marker string) []*Site {
		v, dir := settings.Parse(marker, r.text(marker)), path.Dir(marker)
		kind := v.Str("project", "type")
		if kind == "" && v.Get("website") == nil && v.Get("book") == nil {
			return nil
		}
		s := &Site{HTML: true, BaseURL: cmp.Or(v.Str("website", "site-url"), v.Str("book", "site-url")), Static: []string{dir}}
		for _, g := range v.List("project", "render") {
			if strings.HasPrefix(g, "!") {
				s.Skip = append(s.Skip, gitGlobs([]string{g[1:]})...)
			} else {
				s.Keep = append(s.Keep, strings.TrimSuffix(g, "/"), strings.TrimSuffix(g, "/")+"/**")
			}
		}
		s.Only = v.Get("book", "chapters") != nil
		s.Trees = []*Tree{{Root: dir, Language: strings.ToLower(v.Str("lang"))}}
		return []*Site{s}
	},
	Order: func(r *reader, s *Site, t *Tree) []Entry {
		v := settings.Parse(s.Config, r.text(s.Config))
		var names []string
		keep := func(key string) bool {
			return key == "href" || key == "file" || key == "part" || key == "contents" || key == "chapters" || key == "left" || key == "section" || key == "appendices"
		}
		for _, part := range []any{v.Get("book"), v.Get("website", "sidebar"), v.Get("website", "navbar")} {
			walkStrings(part, keep, func(_ []string, text string) { names = append(names, text) })
		}
		return filesOf(r, t.Root, s.Extensions, names)
	},
}

var quartoInclude = include{hint: "{{<", pattern: `^\s*\{\{<\s*(?:include|embed)\s+(?P<file>[^\s#>]+)[^>]*>\}\}\s*$`, bases: []string{"page", "root"}}

// pandoc is the rule of Pandoc.
var pandoc = &Slug{start: 1, rule: func(text string) string {
	id := dashes(strings.ToLower(text), func(r rune) bool { return isWord(r) || r == '_' || r == '.' }, func(r rune) bool { return r != '-' && !unicode.IsSpace(r) })
	return strings.TrimLeftFunc(id, func(r rune) bool { return !unicode.IsLetter(r) })
}}
