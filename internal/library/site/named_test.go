package site

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docsfs"
)

func loadWith(t *testing.T, files map[string]string, o Options) *Set {
	t.Helper()
	return must.Get(Find(t.Context(), given.Texts(files), o, nil, nil))(t)
}

// TestNamed names folders in the ways that somebody may.
func TestNamed(t *testing.T) {
	files := map[string]string{
		"docs/a.md": "# A\n", "docs/fr/a.md": "# À\n", "docs/fr/b.md": "# B\n", "README.md": "# Read\n",
		"examples/src/one.md": "# 1\n", "examples/src/changelog.md": "# C\n", "more/en/x.md": "# X\n", "more/de/x.md": "# X\n", "resources/x/y.md": "no",
	}
	for name, test := range map[string]struct {
		named []Named
		want  string
	}{
		"by a folder":                {[]Named{{Root: "docs"}}, "docs/a.md | A | main | en\ndocs/fr/a.md | À | main | fr\ndocs/fr/b.md | B | main | fr\n"},
		"the project":                {[]Named{{Root: "."}}, "README.md | Read | main | en\ndocs/a.md | A | main | en\nmore/en/x.md | X | other | en\nexamples/src/changelog.md | C | last | en\nexamples/src/one.md | 1 | last | en\ndocs/fr/a.md | À | main | fr\ndocs/fr/b.md | B | main | fr\nmore/de/x.md | X | other | de\n"},
		"one language":               {[]Named{{"docs/fr", "fr", ""}}, "docs/fr/a.md | À | main | fr\ndocs/fr/b.md | B | main | fr\n"},
		"another order":              {[]Named{{Root: "docs/fr", Language: "fr"}, {Root: "docs", Language: "en"}}, "docs/fr/a.md | À | main | fr\ndocs/fr/b.md | B | main | fr\ndocs/a.md | A | main | en\n"},
		"in an examples folder":      {[]Named{{Root: "examples/src"}}, "examples/src/changelog.md | C | main\nexamples/src/one.md | 1 | main\n"},
		"versions":                   {[]Named{{"more/en", "", "2"}, {"more/de", "", "1"}}, "more/en/x.md | X | main | 2\nmore/de/x.md | X | main | 1\n"},
		"a folder that is not there": {[]Named{{Root: "gone"}}, ""},
	} {
		got := ""
		for _, p := range loadWith(t, files, Options{Named: test.named}).Pages(true) {
			got += strings.TrimRight(fmt.Sprintf("%s | %s | %v | %s", p.Path, p.Title, p.Class, p.Language()+p.Version()), "| ") + "\n"
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if got := outline(loadWith(t, files, Options{Named: []Named{{"docs/fr", "fr", ""}, {"docs", "en", ""}}}).Pages(false)); got != "docs/fr/a.md | À | fr\ndocs/fr/b.md | B | fr\n" {
		t.Errorf("the first folder is not the default one:\n%s", got)
	}
}

// A chosen folder is served wholly, whatever its name or contents: hidden, ignored by git, or what a build makes. Its other files can be
// read too.
func TestChosen(t *testing.T) {
	files := map[string]string{
		"package.json": "{}", ".gitignore": "build/\n", "build/out/a.md": "# A\n", "build/out/LICENSE.md": "# L\n", "build/b.md": "# B\n", ".notes/c.md": "# C\n", "vendor/x/d.rst": "D\n=\n",
		"vendor/x/image.png": "png", "vendor/x/AGENTS.md": "# Agents\n", "docs/a.md": "# Other\n", "vendor/x/draft.md": "---\ndraft: true\n---\n# D\n",
	}
	for chosen, want := range map[string]string{
		"build/out": "a.md | A\nLICENSE.md | L\n", ".notes": "c.md | C\n", "vendor/x": "AGENTS.md | Agents\nd.rst | D\n", "gone": "",
	} {
		s := must.Get(Find(t.Context(), docsfs.Of(given.Texts(files), chosen), Options{Chosen: chosen}, nil, nil))(t)
		if diff := cmp.Diff(want, outline(s.Pages(false))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", chosen, diff)
		}
		for _, p := range s.Pages(true) {
			if p.Class != Main {
				t.Errorf("%s is %v", p.File, p.Class)
			}
		}
		if attached := s.Attached(); (len(attached) == 1) != (chosen == "vendor/x") || len(attached) == 1 && attached[0].Path != "image.png" {
			t.Errorf("%s: %v", chosen, attached)
		}
	}
}

// TestQuick leaves out other languages and the last documents, and takes pages over from a quick set. A title of a list goes with it.
func TestQuick(t *testing.T) {
	files := map[string]string{"docs/en/mkdocs.yml": "nav:\n  - Start: a.md\n", "docs/en/docs/a.md": "text\n", "docs/de/docs/a.md": "# Ä\n", "CHANGELOG.md": "# Changes\n"}
	quick := loadWith(t, files, Options{Quick: true})
	if got := outline(quick.Pages(true)); got != "docs/en/docs/a.md | Start | en\n" || !quick.Quick() {
		t.Errorf("quick:\n%s", got)
	}
	files["docs/en/mkdocs.yml"] = ""
	s := must.Get(Find(t.Context(), given.Texts(files), Options{}, quick, nil))(t)
	if got := outline(s.Pages(true)); got != "docs/en/docs/a.md | A | en\nCHANGELOG.md | Changes | en\ndocs/de/docs/a.md | Ä | de\n" || s.Quick() {
		t.Errorf("then:\n%s", got)
	}
}

// TestDefault leaves out what a search without a filter leaves out: a page that only another language has stays.
func TestDefault(t *testing.T) {
	files := map[string]string{"docs/en/a.md": "# A\n", "docs/en/b.md": "# B\n", "docs/fr/a.md": "# Fa\n", "docs/fr/b.md": "# Fb\n", "docs/fr/c.md": "# Fc\n", "CHANGELOG.md": "# Changes\n"}
	s := loadWith(t, files, Options{Default: true})
	if got := outline(s.Pages(true)); got != "docs/en/a.md | A | en\ndocs/en/b.md | B | en\nCHANGELOG.md | Changes | en\ndocs/fr/c.md | Fc | fr\n" || s.Quick() {
		t.Errorf("%s", got)
	}
}
