package site

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

// Pages have the groups of the navigation that hold them; "-" for a page that is at the top, nothing for one of a folder.
func TestGroups(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		want  []string // path and groups
	}{
		"MkDocs": {
			map[string]string{
				"mkdocs.yml":    "nav:\n- index.md\n- Learn:\n  - a.md\n  - Deep: [sub/b.md]\n- The sub:\n  - sub/index.md\n  - sub/c.md\n",
				"docs/index.md": "# I", "docs/a.md": "# A", "docs/sub/b.md": "# B", "docs/sub/index.md": "# The sub", "docs/sub/c.md": "# C", "docs/sub/left.md": "# L",
			},
			[]string{"docs/index.md -", "docs/a.md Learn", "docs/sub/b.md Learn > Deep", "docs/sub/index.md The sub", "docs/sub/c.md The sub", "docs/sub/left.md"},
		},
		"without groups": {
			map[string]string{"mkdocs.yml": "nav: [b.md, sub/a.md]\n", "docs/b.md": "# B", "docs/sub/a.md": "# A"},
			[]string{"docs/b.md", "docs/sub/a.md"},
		},
		"mdBook": {
			map[string]string{
				"book.toml":      "[book]\n",
				"src/SUMMARY.md": "# Summary\n\n[Intro](intro.md)\n\n- [One](one.md)\n  - [Two](two.md)\n- Three\n\t- [Four](four.md)\n\n# Part\n\n- [Five](five.md)\n",
				"src/intro.md":   "x", "src/one.md": "x", "src/two.md": "x", "src/four.md": "x", "src/five.md": "x",
			},
			[]string{"src/intro.md -", "src/one.md One", "src/two.md One", "src/four.md Three", "src/five.md Part", "src/SUMMARY.md"},
		},
		"Mintlify": {
			map[string]string{
				"docs.json": `{"navigation": {"tabs": [{"tab": "Docs", "groups": [{"group": "Start", "pages": ["index", {"group": "CLI", "root": "cli/index", "pages": ["cli/a"]}]}]}]}}`,
				"index.mdx": "# I", "cli/index.mdx": "# C", "cli/a.mdx": "---\ntitle: A\n---\n",
			},
			[]string{"index.mdx Docs > Start", "cli/index.mdx Docs > Start > CLI", "cli/a.mdx Docs > Start > CLI"},
		},
		"a book of Jupyter": {
			map[string]string{"docs/_toc.yml": "root: index\nparts:\n- caption: First\n  chapters:\n  - file: b\n    title: Bee\n    sections:\n    - file: d\n- caption: More\n  chapters: [{file: c}]\n",
				"docs/index.md": "# I", "docs/b.md": "text", "docs/c.md": "# C", "docs/d.md": "# D"},
			[]string{"docs/index.md -", "docs/b.md First", "docs/d.md First > Bee", "docs/c.md More"},
		},
		"Quarto": {
			map[string]string{"docs/_quarto.yml": "book:\n  chapters:\n  - index.qmd\n  - part: Basics\n    chapters: [b.qmd, a.qmd]\n", "docs/index.qmd": "# I", "docs/a.qmd": "# A", "docs/b.qmd": "# B"},
			[]string{"docs/index.qmd -", "docs/b.qmd Basics", "docs/a.qmd Basics"},
		},
		"labels of folders": {
			map[string]string{"docs/01-x/_category_.json": `{"label": "The X", "position": 2}`, "docs/02-y/_category_.yml": "position: 1\n", "docs/01-x/a.md": "# A", "docs/02-y/b.md": "# B", "docs/z.md": "# Z"},
			[]string{"docs/02-y/b.md", "docs/01-x/a.md Docs > The X", "docs/z.md"},
		},
		"Fumadocs": {
			map[string]string{"docs/meta.json": `{"title": "Guide", "pages": ["b", "---More---", "sub", "a"]}`, "docs/a.mdx": "# A", "docs/b.mdx": "# B", "docs/sub/c.mdx": "# C", "docs/d.mdx": "# D"},
			[]string{"docs/b.mdx Guide", "docs/sub/c.mdx Guide > Sub", "docs/a.mdx Guide", "docs/d.mdx Guide"},
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
	const deep = 25
	s := load(t, map[string]string{
		"docs.json": `{"navigation": [` + strings.Repeat(`{"group": "a", "pages": [`, deep) + `"x"` + strings.Repeat("]}", deep) + `]}`, "x.md": "# X\n",
		"docs/SUMMARY.md": nested(60), "docs/a.md": "# A\n",
	})
	for _, file := range []string{"x.md", "docs/a.md"} {
		if got := len(s.Page(file).Groups); got > settings.MaxGroups || got < settings.MaxGroups-1 && file == "x.md" {
			t.Errorf("%s: %d groups", file, got)
		}
	}
}

// nested returns a list in a list in a list.
func nested(deep int) string {
	var b strings.Builder
	for i := range deep {
		b.WriteString(strings.Repeat("  ", i) + "- a\n")
	}
	return b.String() + strings.Repeat("  ", deep) + "- [A](a.md)\n"
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
	if want := []string{"content/_index.md", "content/first/_index.md", "content/first/z.md", "content/first/y.md", "content/first/2.md", "content/first/10.md", "content/c/_index.md", "content/c/deep/y.md", "content/a.md", "content/b.md", "content/last/x.md"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
