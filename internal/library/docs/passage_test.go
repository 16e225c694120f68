package docs

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

func TestDefinesLink(t *testing.T) {
	for line, want := range map[string]bool{
		"[a]: b.md\n": true, "   [a b]: <b c> \"title\"\n": true, "[a]: b 'title'": true, "[a]:b": true, "[a]: b (title)\r\n": true,
		"[a]: b and more text\n": false, "[^1]: a footnote\n": false, "    [a]: code\n": false, "[a]:\n": false, "text [a]: b\n": false, "[a] b": false, "": false, "[": false, "[]:": false, "[a](b) and [c]: d": false,
	} {
		if got := excerpt.DefinesLink(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

func TestDefined(t *testing.T) {
	for _, test := range []struct{ line, below, want string }{
		{"| `a` | b |\n", "", " `a` "},
		{"|a\n", "", "a\n"},
		{"- **a b**: c\n", "", "a b"},
		{"  * `--a`, b\n", "", "--a"},
		{"+\t__a__ b", "", "a"}, {"- `a`\n", "", ""},
		{"- a **b**\n", "", ""},
		{"-**a**\n", "", ""},
		{"**a** b\n", "", ""},
		{"**a**, **b**\n", "", ""},
		{"a\n", ": b\n", "a\n"},
		{"a\n", ":b\n", ""},
		{"- ", "", ""}, {"|", "", ""}, {"||", "", ""}, {"`a\n", "", ""}, {"****", "", ""}, {"- **", "", ""}, {"", "", ""},
	} {
		if got := defined(test.line, test.below); got != test.want {
			t.Errorf("%q: %q, want %q", test.line, got, test.want)
		}
	}
}

func TestBaseName(t *testing.T) {
	for path, want := range map[string]string{"a/b": "b", "b": "b", "a/index": "a", "x/a/README": "a", "index": "index", "Readme": "Readme", "npm/a@1.2.0/README": "a", "npm/@s/a@1.2.0/index": "a", "@s/README": "@s"} {
		if got := baseName(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}

// Main documents come before other ones and those before changelogs and examples, and a page whose name is a date after one like it.
func TestClassesCount(t *testing.T) {
	text := "The walrus retries a call.\n"
	l := must.Get(Detect(t.Context(), given.Texts(map[string]string{
		"docs/retry.md": "# Retries\n\n" + text, "docs/other.md": "# Another\n\nText.\n", "docs/more.md": "# More\n\nText.\n", "CHANGELOG.md": "# Retries\n\n" + text, "packages/a/README.md": "# Retries\n\n" + text,
		"docs/minutes/2024-01-05-retries.md": "# Notes\n\nWe speak about seals.\n", "docs/minutes/about-retries.md": "# Notes\n\nWe speak about seals.\n", "package.json": "{}", "src/a.js": "x", "src/b.js": "x",
	}), Reading{}))(t)
	hits := search(t, l, "walrus retries")
	var paths []string
	for _, h := range hits {
		paths = append(paths, h.Path)
	}
	if len(paths) < 3 || paths[0] != "docs/retry.md" && paths[0] != "retry.md" || paths[len(paths)-1] != "CHANGELOG.md" && hits[1].Score < hits[2].Score {
		t.Errorf("found %q", paths)
	}
	if hits := search(t, l, "seals"); len(hits) != 2 || hits[0].Score <= hits[1].Score {
		t.Errorf("a page with a date: %+v", hits)
	}
}

// Of two pages with the same names, the one with few words comes later. The folder for documentation is not a word of all its pages.
func TestNamesOfPages(t *testing.T) {
	filler := strings.Repeat("Other words stand here and there. ", 10)
	l := must.Get(Detect(t.Context(), given.Texts(map[string]string{
		"content/en/redirects/method.md": "# Method syntax\n\nIt has moved.\n", "content/en/syntax/method.md": "# Method syntax\n\n" + filler,
		"content/en/time/format.md": "# Format\n\n" + filler, "content/en/management/formats.md": "# Content formats\n\n" + filler,
		"content/en/format.md": "# More\n\nA `Weak<T>` reference.\n" + filler, "other/more.md": "# More\n\nA Weak<T> reference.\n" + filler, "hugo.toml": "title = 'T'\n",
	}), Reading{}))(t)
	for query, want := range map[string]string{"method syntax": "content/en/syntax/method.md", "content format": "content/en/management/formats.md", `"a weak<t> reference"`: "content/en/format.md"} {
		if hits := search(t, l, query); len(hits) < 2 || hits[0].Path != want {
			t.Errorf("%s finds %+v, want %s first", query, hits, want)
		}
	}
}

// A copy of a page in another folder is not another page. The copy of the better class is shown, and a filter finds the other one.
func TestCopies(t *testing.T) {
	page := "# Walrus guide\n\nThe walrus dives for clams. " + strings.Repeat("Other words stand here and there. ", 10)
	l := must.Get(Detect(t.Context(), given.Texts(map[string]string{
		"docs/guide.md": page, "examples/a/guide.md": page, "docs/old/guide.md": page, "docs/other.md": "# Other\n\nA walrus.\n", "docs/b.md": "# Walrus\n\nSee.\n", "docs/c/b.md": "# Walrus\n\nSee.\n", "package.json": "{}", "src/a.js": "x",
	}), Reading{}))(t)
	for query, want := range map[string]string{"walrus dives": "docs/guide.md docs/other.md docs/b.md docs/c/b.md", "walrus dives path:examples": "examples/a/guide.md"} {
		paths, _ := found(t, l, Query{Words: query})
		slices.Sort(paths)
		if strings.Join(paths, " ") != strings.Join(slices.Sorted(strings.FieldsSeq(want)), " ") {
			t.Errorf("%s finds %q, want %q", query, paths, want)
		}
	}
}
