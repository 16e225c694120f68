package explain

import (
	"context"
	"encoding/json"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

const templatesJSON = `[
  {"uriTemplate": "docs://{+path}", "name": "All", "description": "Pages"},
  {"uriTemplate": "docs://{version}/{page}.md", "name": "Pages"}
]`

func project(t *testing.T, files map[string]string, opts loader.Options) Project {
	t.Helper()
	fsys := given.Texts(files)
	entries, list := templates.Decode(loader.TemplatesFile, []byte(templatesJSON))
	must.Do(t, list.Err())
	opts.Templates, _ = matcher.New(loader.TemplatesFile, entries)
	library := must.Get(docs.Detect(t.Context(), fsys, docs.Reading{Sites: site.Options{Chosen: "docs"}}))(t)
	return Project{Files: fsys, Docs: "docs", Options: opts, MaxBytes: 1 << 20, Library: library}
}

func TestResource(t *testing.T) {
	p := project(t, map[string]string{"resources/docs/v2/été 1.md": "# Été\n"}, loader.Options{Describe: true})
	for _, question := range []string{"resources/docs/v2/été 1.md", "docs://v2/%C3%A9t%C3%A9%201.md", "DOCS://V2/été 1.md"} {
		a, err := Ask(t.Context(), p, question)
		if err != nil || !a.Served || a.Resource == nil {
			t.Fatalf("%s: %+v, %v", question, a, err)
		}
		r := a.Resource
		if a.File != "resources/docs/v2/été 1.md" || r.URI != "docs://v2/%C3%A9t%C3%A9%201.md" || r.Template.Line != 3 || r.Form != "text in UTF-8" {
			t.Errorf("%s: %+v, %+v", question, a, r)
		}
		if want := []Variable{{"version", "v2"}, {"page", "été 1"}}; !cmp.Equal(want, r.Variables) {
			t.Errorf("%s: %v", question, r.Variables)
		}
		if len(r.Lost) != 1 || r.Lost[0].Name != "All" || r.Lost[0].Rule != string(matcher.NoSpanning) {
			t.Errorf("%s: lost: %+v", question, r.Lost)
		}
		if want := "Été"; r.Title != want {
			t.Errorf("%s: title: %+v", question, r.Title)
		}
		if want := (Origin{"text/markdown", "by the extension"}); r.MIME != want {
			t.Errorf("%s: MIME type: %+v", question, r.MIME)
		}
	}
}

func TestHidden(t *testing.T) {
	p := project(t, map[string]string{
		"resources/docs/v2/.draft.md": "", "resources/docs/v2/a.md~": "", "resources/README.md": "", "resources/1x/a": "",
		"resources/docs/private/key.md": "", "resources/docs/link": "-> ../../../outside",
		"docs/.hidden/a.md": "# A", "docs/index.md": "# I", "docs/data.csv": "a", "docs/broken.md": "-> nothing.md",
		"prompts/review.md": "Review {{code}}.", "prompts/good.md": "---\nargs:\n  code: {}\n---\nLook at {{code}}.", "prompts/notes.txt": "",
		"elsewhere/a.md": "",
	}, loader.Options{Exclude: []string{"docs/private"}})
	for question, want := range map[string]string{
		"resources/docs/v2/.draft.md":   "hidden-name",
		"docs://v2/.draft.md":           "hidden-name",
		"resources/docs/v2/a.md~":       "hidden-name",
		"resources/README.md":           "outside-schemes",
		"resources/1x/a":                "not-scheme",
		"resources/docs/private/key.md": "excluded",
		"docs://private/key.md":         "excluded",
		"resources/docs/link":           "link-refused",
		"docs/.hidden/a.md":             "hidden-name",
		"docs/broken.md":                "link-refused",
		"prompts/review.md":             "problem",
		"prompts/notes.txt":             "not-markdown",
		"elsewhere/a.md":                "not-published",
		"docs/index.md":                 "", "docs/data.csv": "", "prompts/good.md": "", "resources/docs/v2": "", "docs": "", "docs://v2": "",
	} {
		a, err := Ask(t.Context(), p, question)
		if err != nil {
			t.Errorf("%s: %v", question, err)
			continue
		}
		got := ""
		if len(a.Hidden) > 0 {
			got = a.Hidden[0].Rule
		}
		if got != want || a.Served != (want == "") || a.File == "" {
			t.Errorf("%s: rule %q, served %v, file %q; want %q", question, got, a.Served, a.File, want)
		}
	}
	for _, question := range []string{"resources/docs/nothing.md", "docs://v2/nothing", "docs/nothing.md", "../x", "/etc/passwd", "nothing", "docs://../../x", "x://y", ""} {
		a, err := Ask(t.Context(), p, question)
		if err != nil || a.Served && question != "" || a.File != "" && question != "" {
			t.Errorf("%s: %+v, %v", question, a, err)
		}
	}
}

func TestDocument(t *testing.T) {
	p := project(t, map[string]string{"docs/guides/set up.md": "# S", "docs/data.csv": "a"}, loader.Options{Mounts: []loader.Mount{{Dir: "docs", Scheme: "docs", Host: "Acme"}}})
	a, err := Ask(t.Context(), p, "docs/guides/set up.md")
	if err != nil || a.Document == nil || a.Resource == nil || a.Resource.URI != "docs://Acme/guides/set%20up.md" {
		t.Fatalf("%+v, %v", a, err)
	}
	if a, err = Ask(t.Context(), p, "docs://Acme/data.csv"); err != nil || a.Document == nil || a.Document.Listed || a.File != "docs/data.csv" {
		t.Errorf("%+v, %v", a, err)
	}
}

// Each cause of the loader has a name and a fix.
func TestCauses(t *testing.T) {
	names := make(map[string]bool)
	for c := range causes {
		h := HiddenOf(loader.Skipped{Path: "p", Cause: c})
		if c == "" || h.Rule == "" || h.Fix == "" || names[h.Rule] {
			t.Errorf("%v: %+v", c, h)
		}
		names[h.Rule] = true
	}
}

func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Ask(ctx, project(t, nil, loader.Options{}), "docs://x"); err == nil {
		t.Error("an answer after the end")
	}
}

// An answer is valid JSON, whatever the name of the file is.
func FuzzAsk(f *testing.F) {
	f.Add("resources/x/h/a", "x://h/a")
	f.Add("docs/é%41.md", "docs/é%41")
	f.Add("prompts/a.md", "prompts/.")
	f.Fuzz(func(t *testing.T, file, question string) {
		if !fs.ValidPath(file) || file == "." || strings.Contains(file, "\x00") {
			return
		}
		p := project(t, map[string]string{file: "text"}, loader.Options{})
		a, err := Ask(t.Context(), p, question)
		if err != nil {
			return
		}
		if _, err := json.Marshal(a); err != nil {
			t.Error(err)
		}
	})
}

func TestSkill(t *testing.T) {
	p := project(t, map[string]string{"skills/git/SKILL.md": "---\nname: git\ndescription: d\n---\n", "skills/git/a": "1", "skills/bad/SKILL.md": "x"}, loader.Options{Mounts: []loader.Mount{{Dir: "skills", Scheme: "skill", Skills: true}}})
	for question, want := range map[string]*Skill{
		"skill://git/SKILL.md": {Name: "git", Files: 2},
		"skills/bad/SKILL.md":  {Why: "has no front matter: it must begin with a line ---, the fields name and description, and another line ---"},
		"skills/git/a":         nil,
	} {
		a, err := Ask(t.Context(), p, question)
		if err != nil || a.Resource == nil {
			t.Fatalf("%s: %+v, %v", question, a, err)
		}
		must.Equal(t, want, a.Resource.Skill, question)
	}
}

// A question that is not an existing path is looked up by the names of documents and prompts, as their lists show them.
func TestNames(t *testing.T) {
	p := project(t, map[string]string{
		"docs/guide/setup.md": "# Setup", "docs/review.md": "# Review", "prompts/review.md": "Review.", "prompts/sub/torn.md": "{{none}}", "prompts/plain.md": "Plain.",
	}, loader.Options{})
	for question, want := range map[string]string{
		"guide/setup.md": "docs/guide/setup.md", "guide/setup": "docs/guide/setup.md", "guide/setup.md#part": "docs/guide/setup.md",
		"review": "docs/review.md", "plain": "prompts/plain.md", "sub/torn": "prompts/sub/torn.md", "none": "", "../docs/review.md": "docs/review.md", "../docs/gone.md": "", "guide": "",
	} {
		a, err := Ask(t.Context(), p, question)
		if err != nil || a.File != want || a.Question != question {
			t.Errorf("%s: %q, %+v, %v, want %q", question, a.File, a, err, want)
		}
		if served := want != "" && want != "prompts/sub/torn.md"; a.Served != served || want != "" && !served && (len(a.Hidden) != 1 || a.Hidden[0].Rule != problem) {
			t.Errorf("%s: served %v, hidden %+v", question, a.Served, a.Hidden)
		}
	}
}
