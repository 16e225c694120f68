package site

import "testing"

func TestClass(t *testing.T) {
	c := classifier{walked: new(walked), documents: map[string]bool{"book": true, "site/content": true}, collections: map[string]bool{"docs": true}}
	for file, want := range map[string]Class{
		"README.md": Main, "Readme.rst": Main, "docs/a.md": Main, "packages/x/docs/b.md": Main, "book/src/c.md": Main, "wiki/examples/e.md": Main, "docs/contributing.md": Main,
		"docs/_docs/a.md": Main, "docs/_tutorials/a.md": Main, "Documentation/x.rst": Main, "content/_index.md": Main, "content/_index.fr.md": Main, "content/_indexes.md": Last, "docs/tests/a.md": Main, "lib/x/pages/a.md": Main,
		"packages/x/README.md": Other, "README-fr.md": Other, "notes.md": Other, "src/a.md": Other, "README/a.md": Other,
		"CHANGELOG.md": Last, "docs/legacy/a.md": Main, "docs/changelog.md": Last, "docs/includes/a.md": Last, "AUTHORS.md": Last, "docs/credits.md": Main, "docs/CREDITS.md": Last, "docs/release-notes.md": Last, "LICENSE.md": Last, "NEWS.rst": Last, "docs/_part.md": Last, "docs/_includes/a.md": Last,
		"site/content/_common/a.md": Last, "docs/static/usage/a.md": Last, "docs/partials/a.md": Last, "examples/docs/a.md": Last, "test/fixtures/docs/a.md": Last, "SECURITY.md": Last,
		"packages/x/CODE_OF_CONDUCT.md": Last, "templates/a.md": Last, "docs/_layouts/a.md": Last, "release-notes-1.2.md": Last,
	} {
		if got, _ := c.class(file); got != want {
			t.Errorf("%s is %v, want %v", file, got, want)
		}
	}
}
