package docs

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestFigures(t *testing.T) {
	l := scan(t, tree(map[string]string{"docs/a.md": "# What you get\n\n## Pages\n\nThe pages.\n", "docs/b.md": "# B\n"}), "docs", nil)
	if l.Indexed() || l.Figures() != (Figures{}) {
		t.Error("there are figures without an index")
	}
	if err := l.Index(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := l.Figures(); !l.Indexed() || got.Documents != 2 || got.Passages != 3 {
		t.Errorf("%+v", got)
	}
	var none *Library
	if !none.Indexed() || none.Figures() != (Figures{}) || none.Documents() != nil {
		t.Error("a nil library has something")
	}
}

func TestFacts(t *testing.T) {
	fsys := tree(map[string]string{
		"docs/index.md": "---\ndescription: The start.\n---\n# Welcome\n\n[a](guides/a.md#x) [b](guides/b) [g](guides/) [self](index.md) [out](../README.md) " +
			"[none](missing.md) [a](./guides/a.md) [web](https://example.org/x#y) [root](/guides/my%20file.md) `[code](c.md)`\n",
		"docs/guides/index.md":   "# Guides\n\n[up](../index.md?x=1)\n",
		"docs/guides/a.md":       "no heading\n",
		"docs/guides/b.mdx":      "# B\n",
		"docs/guides/my file.md": "",
		"docs/guides/c.txt":      "[a](a.md)",
	})
	l := scan(t, fsys, "docs", nil)
	got := make(map[string]Facts)
	for _, d := range l.Documents() {
		got[d.Path] = d.Facts()
	}
	want := map[string]Facts{
		"index.md":          {"Welcome", "The start.", []string{"guides/a.md", "guides/b.mdx", "guides/index.md", "guides/my file.md", "https://example.org/x"}},
		"guides/index.md":   {"Guides", "", []string{"index.md"}},
		"guides/a.md":       {Title: "A"},
		"guides/c.txt":      {Title: "C"},
		"guides/b.mdx":      {Title: "B"},
		"guides/my file.md": {Title: "My file"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	// Facts are kept for unchanged documents, but the targets of their links are resolved again.
	delete(fsys, "docs/guides/b.mdx")
	next := scan(t, fsys, "docs", l)
	fsys["docs/index.md"].Data = []byte("# Changed since the scan\n")
	if got := next.document(t, "index.md").Facts(); slices.Contains(got.Links, "guides/b.mdx") || got.Title != "Welcome" {
		t.Errorf("%+v", got)
	}
	fsys["docs/late.md"] = &fstest.MapFile{Data: []byte("# Late\n")}
	last := scan(t, fsys, "docs", next)
	fsys["docs/late.md"] = &fstest.MapFile{Data: []byte("# Later than the scan\n")}
	if got := last.document(t, "late.md").Facts(); got.Title != "" {
		t.Errorf("%+v", got)
	}
}

func (l *Library) document(t *testing.T, path string) Document {
	t.Helper()
	for _, d := range l.Documents() {
		if d.Path == path {
			return d
		}
	}
	t.Fatalf("there is no document %s", path)
	return Document{}
}
