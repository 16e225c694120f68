package site

import (
	"cmp"
	"slices"
	"strings"
	"testing"
)

// Pages have the groups of the navigation that hold them; "-" for a page that is at the top, nothing for one of a folder.
func TestGroups(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		want  []string // path and groups
	}{
		"MkDocs": {
			map[string]string{
				"mkdocs.yml":    "nav:\n- index.md\n- Learn:\n  - a.md\n  - Deep: [sub/b.md]\n- '':\n  - sub/index.md\n  - sub/c.md\n",
				"docs/index.md": "# I", "docs/a.md": "# A", "docs/sub/b.md": "# B", "docs/sub/index.md": "# The sub", "docs/sub/c.md": "# C", "docs/sub/left.md": "# L",
			},
			[]string{"index.md -", "a.md Learn", "sub/b.md Learn > Deep", "sub/index.md The sub", "sub/c.md The sub", "sub/left.md"},
		},
		"without groups": {
			map[string]string{"mkdocs.yml": "nav: [b.md, sub/a.md]\n", "docs/b.md": "# B", "docs/sub/a.md": "# A"},
			[]string{"b.md", "sub/a.md"},
		},
		"mdBook": {
			map[string]string{
				"book.toml":      "[book]\n",
				"src/SUMMARY.md": "# Summary\n\n[Intro](intro.md)\n\n- [One](one.md)\n  - [Two](two.md)\n- Three\n\t- [Four](four.md)\n\n# Part\n\n- [Five](five.md)\n",
				"src/intro.md":   "", "src/one.md": "", "src/two.md": "", "src/four.md": "", "src/five.md": "",
			},
			[]string{"intro.md -", "one.md One", "two.md One", "four.md Three", "five.md Part"},
		},
		"VitePress": {
			map[string]string{
				".vitepress/config.ts": "export default {nav: [{text: 'Guide', link: '/guide/'}], themeConfig: {sidebar: {'/guide/': [{text: 'Intro', items: [{text: 'Start', link: '/guide/'}, {text: 'CLI', link: '/guide/cli'}]}]}}}",
				"guide/index.md":       "# Getting started", "guide/cli.md": "# Commands", "other.md": "# O",
			},
			[]string{"guide/index.md Intro", "guide/cli.md Intro", "other.md"},
		},
		"Starlight": {
			map[string]string{
				"astro.config.mjs":      "export default {integrations: [starlight({sidebar: [{label: 'Start', items: ['a', {slug: 'b'}]}, {label: 'Guides', autogenerate: {directory: 'guides'}}]})]}",
				"src/content/docs/a.md": "---\ntitle: A\n---\n", "src/content/docs/b.md": "---\ntitle: B\n---\n", "src/content/docs/guides/c.md": "---\ntitle: C\n---\n",
			},
			[]string{"a.md Start", "b.md Start", "guides/c.md Guides"},
		},
		"Docusaurus": {
			map[string]string{
				"docusaurus.config.js": "module.exports = {presets: [['classic', {docs: {}}]]}",
				"sidebars.json":        `{"docs": {"Introduction": ["a"], "Guides": ["b", {"type": "category", "label": "Deep", "items": ["c"]}]}}`,
				"docs/a.md":            "# A", "docs/b.md": "# B", "docs/c.md": "# C",
			},
			[]string{"a.md Introduction", "b.md Guides", "c.md Guides > Deep"},
		},
		"Mintlify": {
			map[string]string{
				"docs.json": `{"navigation": {"tabs": [{"tab": "Docs", "groups": [{"group": "Start", "pages": ["index", {"group": "CLI", "root": "cli/index", "pages": ["cli/a"]}]}]}]}}`,
				"index.mdx": "---\ntitle: I\n---\n", "cli/index.mdx": "---\ntitle: C\n---\n", "cli/a.mdx": "---\ntitle: A\n---\n",
			},
			[]string{"index.mdx Docs > Start", "cli/index.mdx Docs > Start > CLI", "cli/a.mdx Docs > Start > CLI"},
		},
		"Sphinx": {
			map[string]string{
				"conf.py":   "project = 'x'\nextensions = []\n",
				"index.rst": "=====\nIndex\n=====\n\n.. toctree::\n   :caption: First\n\n   a\n   b\n\n.. toctree::\n\n   c\n",
				"a.rst":     "A\n=\n", "b.rst": "Bee\n===\n\n.. toctree::\n\n   d\n", "c.rst": "C\n=\n", "d.rst": "D\n=\n",
			},
			[]string{"index.rst -", "a.rst First", "b.rst First > Bee", "d.rst First > Bee", "c.rst -"},
		},
	} {
		var got []string
		for _, p := range load(t, test.files).Pages(false) {
			line := p.Path
			if p.Groups != nil {
				line += " " + cmp.Or(strings.Join(p.Groups, " > "), "-")
			}
			got = append(got, line)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// However deep a navigation is, a page has few groups.
func TestGroupsAreBounded(t *testing.T) {
	const deep = 90
	s := load(t, map[string]string{
		"astro.config.mjs":      "export default {integrations: [starlight({sidebar: [" + strings.Repeat("{label: 'a', items: [", deep) + "'x'" + strings.Repeat("]}", deep) + "]})]}",
		"src/content/docs/x.md": "---\ntitle: X\n---\n",
	})
	if got := len(s.Pages(false)[0].Groups); got != maxGroups {
		t.Errorf("%d groups", got)
	}
}

// Without a navigation, numbers in front matter give the order of pages, and of folders by their index.
func TestOrderByWeight(t *testing.T) {
	s := load(t, map[string]string{
		"hugo.toml": "baseURL = 'https://a.example'\n", "content/_index.md": "# Home", "content/b.md": "# B", "content/a.md": "---\nweight: 3\n---\n# A",
		"content/first/_index.md": "---\nweight: 1\n---\n# First", "content/first/10.md": "# Ten", "content/first/2.md": "# Two", "content/first/z.md": "---\nsidebar: {order: -1}\n---\n# Z", "content/first/y.md": "---\norder: 0\n---\n# Y",
		"content/last/x.md": "# X", "content/c/_index.md": "---\norder: 2\n---\n# C", "content/c/deep/y.md": "# Y",
	})
	var got []string
	for _, p := range s.Pages(false) {
		got = append(got, p.Path)
	}
	if want := []string{"_index.md", "first/_index.md", "first/z.md", "first/y.md", "first/2.md", "first/10.md", "c/_index.md", "c/deep/y.md", "a.md", "b.md", "last/x.md"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
