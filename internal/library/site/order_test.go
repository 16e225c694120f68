package site

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

// Pages have the groups of the navigation that hold them; "-" for a page that is at the top, nothing for one of a folder.
func TestGroups(t *testing.T) {
	for _, c := range given.Cases(t, "groups.txt") {
		var got []string
		for _, p := range load(t, c.Files).Pages(false) {
			line := p.Path
			if p.Groups != nil {
				line += " " + cmp.Or(strings.Join(p.Groups, " > "), "-")
			}
			got = append(got, line)
		}
		must.Equal(t, c.Text, strings.Join(got, "\n"), c.Name)
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
