package site

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func loadWith(t *testing.T, files map[string]string, o Options) *Set {
	t.Helper()
	s, err := Find(t.Context(), tree(files), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Load(t.Context(), nil, nil); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestNamed names sites in the ways that somebody may.
func TestNamed(t *testing.T) {
	files := map[string]string{
		"mkdocs.yml": "site_url: https://a.example/\nplugins:\n  - i18n:\n      docs_structure: folder\n      languages:\n        - {locale: en, default: true}\n        - {locale: fr}\n",
		"docs/a.md":  "# A\n", "docs/fr/a.md": "# À\n",
		"examples/book.toml": "", "examples/src/SUMMARY.md": "[One](one.md)\n", "examples/src/one.md": "# 1\n",
		"more/en/x.md": "# X\n", "more/de/x.md": "# X\n", "resources/x/y.md": "no",
	}
	detected := loadWith(t, files, Options{})
	want := "a.md | A | en\ndocs/fr/a.md | À | fr\n"
	if got := outline(detected.Pages(true)); got != want {
		t.Fatalf("detected:\n%s", got)
	}
	for name, test := range map[string]struct {
		named []Named
		want  string
	}{
		"by a folder":                {[]Named{{Root: "docs"}}, want},
		"by the folder above":        {[]Named{{Root: "."}}, want},
		"one language":               {[]Named{{"docs/fr", "mkdocs", "fr", ""}}, "a.md | À | fr\n"},
		"another order":              {[]Named{{Root: "docs/fr", Language: "fr"}, {Root: "docs", Language: "en"}}, "a.md | À | fr\ndocs/a.md | A | en\n"},
		"in an examples folder":      {[]Named{{Root: "examples/src"}}, "one.md | One\n"},
		"without configuration":      {[]Named{{"more/en", "none", "en", ""}, {"more/de", "none", "de", ""}}, "x.md | X | en\nmore/de/x.md | X | de\n"},
		"a folder that is not there": {[]Named{{Root: "gone"}}, ""},
	} {
		if diff := cmp.Diff(test.want, outline(loadWith(t, files, Options{Named: test.named}).Pages(true))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if got := outline(loadWith(t, files, Options{Named: []Named{{"docs/fr", "MkDocs", "fr", ""}, {"docs", "MkDocs", "en", ""}}}).Pages(false)); got != "a.md | À | fr\n" {
		t.Errorf("the first tree is not the default one:\n%s", got)
	}
}

// TestChosen has the sites that publish documents in a folder, whose paths are below it.
func TestChosen(t *testing.T) {
	files := map[string]string{
		"website/docusaurus.config.js": "module.exports = {url: 'https://a.example', baseUrl: '/', presets: [['classic', {docs: {path: '../docs'}}]]}",
		"website/versions.json":        `["1.0"]`, "docs/g/intro.md": "# Next\n", "website/versioned_docs/version-1.0/intro.md": "# Old\n",
		"other/mkdocs.yml": "", "other/docs/a.md": "# A\n", "plain/a.md": "# A\n", "plain/x/y/z/mkdocs.yml": "", "plain/x/y/z/docs/a.md": "# Far\n",
	}
	for chosen, want := range map[string]string{
		"docs": "g/intro.md | Next | next\n", "docs/g": "intro.md | Next | next\n",
		"website": "versioned_docs/version-1.0/intro.md | Old | 1.0\n",
		"other":   "docs/a.md | A\n", "plain": "",
	} {
		if diff := cmp.Diff(want, outline(loadWith(t, files, Options{Chosen: chosen}).Pages(false))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", chosen, diff)
		}
	}
}

// TestQuick leaves out other languages, and takes pages over from a quick set. A title of the navigation goes with it.
func TestQuick(t *testing.T) {
	files := map[string]string{"docs/en/mkdocs.yml": "nav:\n  - Start: a.md\n", "docs/en/docs/a.md": "# A\n", "docs/de/docs/a.md": "# Ä\n"}
	quick := loadWith(t, files, Options{Quick: true})
	if got := outline(quick.Pages(true)); got != "a.md | Start | en\n" || !quick.Quick() {
		t.Errorf("quick:\n%s", got)
	}
	files["docs/en/mkdocs.yml"] = ""
	s, err := Find(t.Context(), tree(files), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Load(t.Context(), quick, nil); err != nil {
		t.Fatal(err)
	}
	if got := outline(s.Pages(true)); got != "a.md | A | en\ndocs/de/docs/a.md | Ä | de\n" || s.Quick() {
		t.Errorf("then:\n%s", got)
	}
}
