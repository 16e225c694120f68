package docs

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func words(keywords []Keyword) (out []string) {
	for _, k := range keywords {
		out = append(out, k.Word)
	}
	return out
}

func TestKeywords(t *testing.T) {
	files := map[string]string{
		"docs/retry-policy.md": "# Retries\n\nA request is retried. The requests wait. unmentioned unmentioned\n",
		"docs/pages.md":        "# What you get\n\n## Pages\n\nThe pages of an answer. A page has items.\n\n## readFile\n\nreads a file\n",
		"docs/chinese.md":      "# 配置\n\n配置文件\n",
		"docs/1.2.3.md":        "# 2026\n\n2026 2026 2026\n",
	}
	l := scan(t, tree(files), "docs", nil)
	if l.Indexed() || len(l.Keywords(20)) > 0 || l.Figures() != (Figures{}) {
		t.Error("there are keywords without an index")
	}
	if err := l.Index(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := words(l.Keywords(20))
	slices.Sort(got)
	if diff := cmp.Diff([]string{"chinese", "file", "pages", "policy", "read", "retry", "配置"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !l.Indexed() || l.Figures().Documents != 4 || l.Figures().Passages != 6 {
		t.Errorf("%+v", l.Figures())
	}
	if got := l.Keywords(2); len(got) != 2 {
		t.Errorf("%v, want 2 keywords", got)
	}
	var none *Library
	if !none.Indexed() || none.Keywords(1) != nil || none.Figures() != (Figures{}) || none.Documents() != nil {
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
		"guides/a.md":       {},
		"guides/b.mdx":      {Title: "B"},
		"guides/my file.md": {},
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
