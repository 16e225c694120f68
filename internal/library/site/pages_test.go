package site

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// classes returns a line a document: its file, its title if that is asked for, and its class.
func classes(s *Set, titles bool) string {
	var b strings.Builder
	for _, p := range s.Pages(true) {
		b.WriteString(p.File)
		if titles {
			b.WriteString(" | " + p.Title)
		}
		fmt.Fprintf(&b, " %v\n", p.Class)
	}
	return b.String()
}

// A file that a person can read is a document, unless somebody said that it is not. Guesses order only.
func TestDocuments(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		want  string
	}{
		"source code": {
			map[string]string{"go.mod": "", "a.go": "", "b.go": "", "c.go": "", "d.go": "", "e.go": "", "f.go": "", "README.md": "# R", "docs/guide.org": "* G", "docs/notes.txt": "text", "notes.txt": "no", "pkg/README.md": "# P", "CHANGELOG.md": "# C"},
			"README.md main\ndocs/guide.org main\ndocs/notes.txt main\npkg/README.md other\nCHANGELOG.md last\n",
		},
		"notes": {
			map[string]string{"a.md": "# A", "b/c.md": "# C", "docs/d.md": "# D", "todo.txt": "text", "_part.md": "# P"},
			"a.md main\ntodo.txt main\nb/c.md main\ndocs/d.md main\n_part.md last\n",
		},
		"what somebody said": {
			map[string]string{"docs/a.md": "# A", "docs/draft.md": "---\ndraft: true\n---\n# D", "docs/no.md": "---\npublished: false\n---\n# N", "docs/moved.md": "---\nredirect_to: /a\n---\n", "docs/empty.md": "", "docs/AGENTS.md": "# Agents", ".gitignore": "made.md\n", "docs/made.md": "# M", "docs/.hidden.md": "# H"},
			"docs/a.md main\n",
		},
		"dependencies and outputs": {
			map[string]string{"package.json": "{}", "docs/a.md": "# A", "vendor/x/a.md": "# X", "node_modules/x/a.md": "# X", "dist/a.md": "# X", "other/build/a.md": "# X", "other/.git": "gitdir: x", "docs/build/b.md": "# B"},
			"docs/a.md main\ndocs/build/b.md main\n",
		},
		"a folder that a configuration names": {
			map[string]string{"book.toml": "[book]\nsrc = 'text'\n", "text/a.md": "# A", "more/b.md": "# B", "more/c.md": "# C"},
			"text/a.md main\nmore/b.md other\nmore/c.md other\n",
		},
		"the site of a package": {
			map[string]string{"go.mod": "", "a.go": "", "b.go": "", "c.go": "", "d.go": "", "site/docusaurus.config.js": "", "site/pages/a.md": "# A", "x/b.md": "# B"},
			"site/pages/a.md main\nx/b.md other\n",
		},
		"code in a site": {
			map[string]string{"docs.json": `{"navigation": []}`, "index.mdx": "# I", "a/b.mdx": "# B", "a/c.mdx": "# C", "a/x.js": "", "kit/package.json": "{}", "kit/README.md": "# K", "kit/evals/e.md": "# E", "kit/docs/d.md": "# D", "src/a.astro": "", "src/parts/p.md": "# P", "src/content/q.md": "# Q"},
			"index.mdx main\na/b.mdx main\na/c.mdx main\nkit/docs/d.md main\nsrc/content/q.md main\nkit/README.md other\nkit/evals/e.md other\nsrc/parts/p.md other\n",
		},
		"parts of pages": {
			map[string]string{"content/_index.md": "# I", "content/shared/index.md": "---\nheadless: true\n---\nx", "content/shared/a.md": "text", "content/glossary/_index.md": "---\ntitle: G\ncascade: {build: {render: never}}\n---\nx", "content/glossary/b.md": "text", "content/c.md": "# C"},
			"content/_index.md main\ncontent/c.md main\ncontent/glossary/_index.md main\ncontent/glossary/b.md last\ncontent/shared/a.md last\n",
		},
	} {
		if diff := cmp.Diff(test.want, classes(load(t, test.files), false)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A title is one of the document, or the name of its file: dates and versions stay, and a number that only orders files goes.
func TestTitles(t *testing.T) {
	s := load(t, map[string]string{
		"docs/中文笔记.md": "text", "docs/2024-01-05.md": "text", "docs/404 errors.md": "text", "docs/get-started.md": "text", "docs/a.md": "# First { #first }\n# Second", "docs/b.md": "---\ntitle: Front\n---\n# Heading", "docs/c.md": "## Only\n\n### Sub",
		"docs/g/01-intro.md": "text", "docs/g/02-next_steps.md": "text", "docs/three/README.md": "text", "docs/ähnlich.md": "text",
	})
	want := map[string]string{
		"docs/中文笔记.md": "中文笔记", "docs/2024-01-05.md": "2024-01-05", "docs/404 errors.md": "404 errors", "docs/get-started.md": "Get started", "docs/a.md": "First", "docs/b.md": "Front", "docs/c.md": "Only",
		"docs/g/01-intro.md": "Intro", "docs/g/02-next_steps.md": "Next steps", "docs/three/README.md": "Three", "docs/ähnlich.md": "Ähnlich",
	}
	got := make(map[string]string)
	for _, p := range s.Pages(true) {
		got[p.File] = p.Title
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The name of a site counts wherever its configuration lies, but not in tests.
func TestTitleOfSite(t *testing.T) {
	files := map[string]string{"docs/a.md": "# A\n", "website/docusaurus.config.js": "module.exports = {\n  title: 'Redux',\n}\n", "test/x/docusaurus.config.js": "module.exports = {\n  title: 'Fixture',\n}\n"}
	if s := load(t, files); s.Names().Title != "Redux" {
		t.Errorf("%q", s.Names().Title)
	}
	files["site/mkdocs.yml"] = "site_name: Other\n"
	if s := load(t, files); s.Names().Title != "" {
		t.Errorf("of two: %q", s.Names().Title)
	}
}

// The folder with all main documents is not one of several that hold them.
func TestBase(t *testing.T) {
	files := map[string]string{"README.md": "# R\n", "docs/guides/a.md": "# A\n", "docs/guides/b.md": "# B\n"}
	if s := load(t, files); s.Base() != "docs" {
		t.Error(s.Base())
	}
	files["docs.json"], files["index.md"] = `{"navigation": []}`, "# I\n"
	if s := load(t, files); s.Base() != "." {
		t.Errorf("with an index next to it: %s", s.Base())
	}
}

// AsciiDoc may be called .asc, and so may signatures.
func TestSignatures(t *testing.T) {
	s := load(t, map[string]string{"docs/a.asc": "= A\n", "docs/b.asc": "-----BEGIN PGP SIGNATURE-----\nx\n", "book.asc": "= Book\n"})
	if got := outline(s.Pages(true)); got != "docs/a.asc | A\nbook.asc | Book\n" || len(s.Hidden()) != 1 {
		t.Errorf("%s, hidden %v", got, s.Hidden())
	}
}

// What git ignores, and hidden files, are not read as configuration.
func TestConfigurationReadsNoPrivateFiles(t *testing.T) {
	const private = "site_name: Private\nnav: [{Private: a.md}]\n"
	for _, config := range []string{"mkdocs.yml", ".private/mkdocs.yml", "docs/.vitepress/mkdocs.yml"} {
		s := load(t, map[string]string{".gitignore": "/mkdocs.yml\n", config: private, "docs/a.md": "text\n"})
		if p := s.Page("docs/a.md"); s.Names().Title != "" || p.Title != "A" {
			t.Errorf("%s: %q, %q", config, s.Names().Title, p.Title)
		}
	}
	if s := load(t, map[string]string{"mkdocs.yml": private, "docs/a.md": "text\n"}); s.Names().Title != "Private" || s.Page("docs/a.md").Title != "Private" {
		t.Errorf("%q", s.Names().Title)
	}
}

// Of the parts of pages in a folder, only the first are read.
func TestManyParts(t *testing.T) {
	files := map[string]string{"docs/a.md": "# A"}
	for i := range maxLast + 5 {
		files[fmt.Sprintf("static/usage/%d/part.md", i)] = "# Part"
	}
	s := load(t, files)
	unread := 0
	for _, p := range s.Pages(true) {
		if p.PathOnly {
			unread++
		}
	}
	if n := s.Warnings(); unread != 5 || len(n) != 1 || n[0].Path != "static" || !strings.Contains(n[0].Reason, "5 of them are found by their paths only") {
		t.Errorf("%d are not read, warnings %v", unread, n)
	}
}
