package docs

import (
	"testing"
)

// Main documents come before other ones and those before changelogs and examples, and a page whose name is a date after one like it.
func TestClassesCount(t *testing.T) {
	text := "The walrus retries a call.\n"
	l, err := Detect(t.Context(), tree(map[string]string{
		"docs/retry.md": "# Retries\n\n" + text, "docs/other.md": "# Another\n\nText.\n", "docs/more.md": "# More\n\nText.\n", "CHANGELOG.md": "# Retries\n\n" + text, "packages/a/README.md": "# Retries\n\n" + text,
		"docs/minutes/2024-01-05-retries.md": "# Notes\n\nWe speak about seals.\n", "docs/minutes/about-retries.md": "# Notes\n\nWe speak about seals.\n", "package.json": "{}", "src/a.js": "x", "src/b.js": "x",
	}), Reading{})
	if err != nil {
		t.Fatal(err)
	}
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
