package check

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/explain"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
)

// Hidden says the same about each file as explain.
func TestHidden(t *testing.T) {
	p := project(t, map[string]string{
		"resources/templates.json": `[{"uriTemplate": "x://h/{+path}", "name": "All"}]`,
		"resources/x/h/a.txt":      "a", "resources/x/h/.git/config": "1", "resources/x/h/a~": "1", "resources/loose.txt": "1", "resources/x/h/drafts/a": "1",
		"resources/x/h/broken": "-> none", "resources/x/h/a.txt.meta.json": `{"title": "A"}`,
		"docs/index.md": "# A", "docs/.draft.md": "x", "docs/.old/a.md": "x", "docs/broken.md": "-> none.md",
		"prompts/ask.md": "Ask", "prompts/notes.txt": "x", "prompts/bad.md": "---\nargs: [\n---\n", "prompts/.later.md": "x",
	})
	p.Options.Exclude = []string{"x/h/drafts"}
	p.Options.Describe = true
	hidden := must.Get(Hidden(t.Context(), p))(t)
	library := must.Get(docs.Scan(t.Context(), p.Files, "docs", nil, nil, nil))(t)
	var got []string
	for _, h := range hidden {
		got = append(got, h.Path+" "+h.Rule)
		a, err := explain.Ask(t.Context(), explain.Project{Files: p.Files, Docs: "docs", Options: p.Options, MaxBytes: 1 << 20, Library: library}, h.Path)
		if err != nil || a.Served || len(a.Hidden) == 0 || a.Hidden[0].Rule != h.Rule || a.Hidden[0].Reason != h.Reason {
			t.Errorf("%+v: explain says %+v, %v", h, a, err)
		}
	}
	want := []string{
		"docs/.draft.md dot-name", "docs/.old dot-name", "docs/broken.md link-refused", "prompts/.later.md dot-name", "prompts/bad.md problem", "prompts/notes.txt not-markdown",
		"resources/loose.txt outside-schemes", "resources/x/h/.git dot-name", "resources/x/h/a.txt.meta.json describes", "resources/x/h/a~ backup-name",
		"resources/x/h/broken link-refused", "resources/x/h/drafts excluded",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, f := range check(t, p).Findings {
		if f.File == "resources/x/h/broken" && f.Message != "is not served: is a link to something that is not there" {
			t.Errorf("a broken link: %s", f.Message)
		}
	}
}

// A project without files says so, and where files belong.
func TestNothingIsServed(t *testing.T) {
	p := project(t, map[string]string{"README.txt": "x"})
	r := check(t, p)
	if len(r.Findings) != 1 || r.Findings[0].Rule != Nothing || !strings.Contains(r.Findings[0].Message, "README.txt is outside of docs/") || r.Errors != 1 {
		t.Errorf("%+v", r.Findings)
	}
}
