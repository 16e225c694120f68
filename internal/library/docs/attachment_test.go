package docs

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"
)

// TestAttachments: a file that is not a document is served if a document links to it.
func TestAttachments(t *testing.T) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"docs/a.md": "# A\n\n![plan](../img/plan.png) [data](data/x%20y.csv) ![[board.png]] [key](../.env)\n", "docs/b.md": "# B\n",
		"img/plan.png": picture.String(), "img/other.png": picture.String(), "docs/data/x y.csv": "one,two\n", "docs/data/other.csv": "secret\n", "notes/board.png": picture.String(), ".env": "A=1\n",
	}
	l, err := Detect(t.Context(), tree(files), Reading{})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"../img/plan.png": "img/plan.png", "docs/data/x y.csv": "one,two", "img/other.png": "not found", "docs/data/other.csv": "not found", "../.env": "Invalid path", ".env": "not found", "board.png": "notes/board.png"} {
		r := Request{Paths: []string{path}}
		got := answer(t, l, r)[0]
		images, err := l.ImagesOf(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if i, ok := images[0]; ok {
			got = i.Path
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if images, _ := l.ImagesOf(t.Context(), Request{Paths: []string{"img/plan.png"}, Query: "plan"}); len(images) > 0 {
		t.Errorf("a query shows images: %v", images)
	}
}

// TestIndexOfFolder: a link to a folder opens its index, and the listing follows; several documents with the same end are candidates.
func TestIndexOfFolder(t *testing.T) {
	l, err := Detect(t.Context(), tree(map[string]string{"docs/guide/index.md": "# Guide\n\nStart.\n", "docs/guide/a.md": "# A\n", "docs/other/b.md": "# B\n", "docs/x/b.md": "# B\n", "docs/index.md": "# Home\n"}), Reading{})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"docs/guide/": "# Guide\n\nStart.\n\n# Directory: docs/guide/\n\n## Files\n\n- docs/guide/a.md: A\n- docs/guide/index.md: Guide\n",
		"docs/x":      "# Directory: docs/x\n\n## Files\n\n- docs/x/b.md: B\n",
		"./b.md#b":    "Several documents have paths that end so. Ask for one of them:\n\n- docs/other/b.md\n- docs/x/b.md",
	} {
		if got := body(t, ask(t, l, path)); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
