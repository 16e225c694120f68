package check

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/explain"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
	"github.com/mcp-docs-server/mcp-docs-server/problems"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// project makes a project from files, see [given.Texts].
func project(t testing.TB, files map[string]string) Project {
	t.Helper()
	p := Project{Files: given.Texts(files), Config: config.Default("test"), ConfigFile: config.File, Templates: files[loader.TemplatesFile]}
	var entries []templates.Entry
	if p.Templates != "" {
		var list problems.List
		if entries, list = templates.Decode(loader.TemplatesFile, []byte(p.Templates)); list.Err() != nil {
			t.Fatal(list)
		}
	}
	p.Options.Templates, p.Problems = matcher.New(loader.TemplatesFile, entries)
	return p
}

// lines returns a line for each finding.
func lines(r *Report) []string {
	var out []string
	for _, f := range r.Findings {
		s := fmt.Sprintf("%s %s %s", f.Severity, f.Rule, f.File)
		if f.Line > 0 {
			s += fmt.Sprintf(":%d", f.Line)
		}
		if f.Column > 0 {
			s += fmt.Sprintf(":%d", f.Column)
		}
		out = append(out, s)
	}
	return out
}

// finds reports a difference of the findings about a project.
func finds(t testing.TB, p Project, want ...string) {
	t.Helper()
	must.Equal(t, want, lines(check(t, p)))
}

func check(t testing.TB, p Project) *Report {
	t.Helper()
	if p.Library == nil {
		p.Library = must.Get(docs.Detect(t.Context(), p.Files, docs.Reading{Sites: site.Options{Chosen: p.Config.Docs}}))(t)
	}
	r := must.Get(Run(t.Context(), p))(t)
	for _, f := range r.Findings {
		if f.Message == "" || f.Fix == "" || f.Rule.Title() == "" {
			t.Errorf("%+v: something is missing", f)
		}
	}
	return r
}

func TestFindings(t *testing.T) {
	for _, c := range given.Cases(t, "findings.txt") {
		t.Run(c.Name, func(t *testing.T) {
			must.Equal(t, c.Text, strings.Join(lines(check(t, project(t, c.Files))), "\n"))
		})
	}
	finds(t, project(t, nil), "note nothing-served ")
	p := project(t, map[string]string{
		loader.TemplatesFile:      `[{"uriTemplate": "docs://{v}/{name}", "name": "D"}]`,
		"resources/docs/a b/x.md": "# X", "resources/docs/v/é.md": "# É", "resources/http/h/x": "1", "resources/one/s.json": "1", "resources/docs/v/CON.txt": "1", "resources/docs/v/a\u202eb": "1",
	})
	finds(t, p,
		"warning name-unportable resources/docs/v/CON.txt", "warning name-host resources/docs/a b", "warning name-scheme resources/http",
		"note file-unmatched resources/http/h/x", "note file-unmatched resources/one/s.json", "note file-host resources/one", "note name-awkward resources/docs/v/a\u202eb")
}

func TestSizes(t *testing.T) {
	p := project(t, map[string]string{
		"resources/x/h/a.md": "# A\n", "resources/x/h/empty": "", "resources/x/h/large": strings.Repeat("a", 3000), "resources/x/h/frame": strings.Repeat("a", 2000),
	})
	p.Options.Describe = true
	p.Config.Limits.MaxReadBytes, p.Config.Limits.MaxFrameBytes = 2500, 1500
	p.Config.Instructions = strings.Repeat("i", 3000)
	finds(t, p,
		"error instructions-long mcp-docs-server.json", "error size-unreadable resources/x/h/large", "warning size-frame resources/x/h/frame",
		"note size-empty resources/x/h/empty")
}

// A file that is too large or too deep is an error only in a folder that somebody named.
func TestTooLarge(t *testing.T) {
	deep := "docs" + strings.Repeat("/d", 250)
	p := project(t, map[string]string{"docs/a.md": "# A\n", "docs/log.txt": strings.Repeat("a line of a log\n", 65<<16), deep + "/a.md": "# A\n"})
	for _, severity := range []string{"warning", "error"} {
		finds(t, p, severity+" not-served "+deep, severity+" not-served docs/log.txt")
		p.Config.Docs, p.Config.DocsGiven = "docs", true
	}
}

// Documents that include the same large file are looked at until they include 256 MiB together.
func TestLargeIncludes(t *testing.T) {
	must.SkipUnderRace(t)
	files := map[string]string{"docs/big.txt": strings.Repeat("a line of text\n", 66_000)}
	for i := range 300 {
		files[fmt.Sprintf("docs/%d.md", i)] = "# A\n\n--8<-- \"big.txt\"\n"
	}
	r := check(t, project(t, files))
	if len(r.Findings) != 1 || r.Findings[0].Severity != Note || !strings.Contains(r.Findings[0].Message, "include 256 MiB together") {
		t.Errorf("%+v", r.Findings)
	}
}

func TestFilesThatAreNotServed(t *testing.T) {
	p := project(t, map[string]string{
		"resources/README.md": "r", "resources/1x/a": "1", "resources/x/h/link": "-> ../../../../outside", "resources/x/h/.hidden": "1", "resources/x/h/a": "1", "docs/broken.md": "-> gone.md",
		"resources/x/h/a.meta.json": "{", "prompts/bad.md": "Hello {{name}}.", "resources/x/H/a": "2", "resources/X/h/a": "3",
	})
	p.Options.Describe = true
	finds(t, p,
		"error prompt prompts/bad.md:1:7", "error sidecar resources/x/h/a.meta.json:1:2",
		"warning not-served docs/broken.md", "warning not-served resources/1x", "warning not-served resources/README.md",
		"warning not-served resources/X/h/a", "warning not-served resources/x/h/link",
		"warning name-unportable resources/x/h")
	p = project(t, map[string]string{loader.TemplatesFile: `[{"uriTemplate": "x://h/{f}", "name": "n"}]`, "resources/x/h/a": "1", "resources/x/k/b": "1"})
	finds(t, p, "note file-unmatched resources/x/k/b")
	p.Options.HideUnmatched = true
	finds(t, p, "warning file-unmatched resources/x/k/b")
}

func TestPublishing(t *testing.T) {
	secret := "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"[:36]
	p := project(t, map[string]string{
		"docs/a.md": "# A\n\ntoken: " + strings.NewReplacer("abc", "aB9", "mno", "Q2z").Replace(secret) + "\n", "docs/.env": "x", "resources/x/h/prod.env": "A=1", "package.json": "{",
	})
	p.Config.Package, p.Config.Version = "No Name", "1"
	got := lines(check(t, p))
	for _, want := range []string{"error publish-secret resources/x/h/prod.env", "warning publish-settings mcp-docs-server.json"} {
		if !strings.Contains(strings.Join(got, "\n")+"\n", want) {
			t.Errorf("%q is not among %q", want, got)
		}
	}
	if !strings.Contains(strings.Join(got, "\n"), "warning publish-settings package.json:1") {
		t.Errorf("package.json is not among %q", got)
	}
}

func TestFrontMatter(t *testing.T) {
	p := project(t, map[string]string{
		"docs/good.md": "---\ntitle: A\n---\n# A\n", "docs/rule.md": "---\n\nText below a rule.\n", "docs/open.md": "---\ntitle: A\n# A\n",
		"docs/bad.md": "---\ndescription: ok\ntitle: a: b\n---\n# A\n", "docs/list.md": "---\n- a\n---\n", "docs/comment.md": "---\n# nothing\n---\n", "docs/empty.md": "---\n---\n",
	})
	finds(t, p, "warning front-matter docs/bad.md:3", "warning front-matter docs/open.md:1")
}

func TestPromptLinks(t *testing.T) {
	p := project(t, map[string]string{
		"resources/x/h/a": "1", "prompts/p.md": "---\nargs:\n  f: {}\n---\nRead {{f}}.\n\n[good](x://h/a)\n[gone](x://h/b)\n[any](x://h/{{f}})\n![other](y://z)\nSee https://example.com.\n",
	})
	finds(t, p, "error link-broken prompts/p.md:8", "error link-broken prompts/p.md:10")
}

func TestFromProblems(t *testing.T) {
	r := FromProblems(problems.List{{File: "mcp-docs-server.json", Line: 2, Column: 3, Reason: "name is missing"}, {File: "x", Reason: "odd", Warning: true}})
	must.Equal(t, []string{"error settings mcp-docs-server.json:2:3", "warning settings x"}, lines(r))
}

func TestSkills(t *testing.T) {
	p := project(t, map[string]string{
		"skills/git/SKILL.md": "---\nname: git\ndescription: Uses Git\nlicense: 1\n---\n[good](refs/a.md) [gone](refs/b.md)\n", "skills/git/refs/a.md": "# A",
		"skills/bad/SKILL.md": "---\nname: other\ndescription: d\n---\n", "skills/torn/SKILL.md": "---\nname: [\n---\n", "skills/x/git/SKILL.md": "---\nname: git\ndescription: d\n---\n", "skills/notes.md": "n",
	})
	p.Options.Mounts = []loader.Mount{skills.Mount()}
	finds(t, p,
		"error link-broken skills/git/SKILL.md:6:26", "error skill skills/bad/SKILL.md:2", "error skill skills/torn/SKILL.md:3",
		"warning skill skills/git/SKILL.md:4", "warning skill skills/x/git/SKILL.md:2", "warning not-served skills/notes.md")
}

// Patterns that match nothing are reported with their position.
func TestPatternsThatMatchNothing(t *testing.T) {
	p := project(t, map[string]string{
		"resources/x/h/a.md": "# A", "resources/x/h/b.txt": "b", "resources/x/old/c.md": "c", "resources/x/.well-known/d.md": "d", "resources/x/e.bak": "e",
		"docs/guides/f.md": "# F", "docs/drafts/g.md": "# G",
	})
	p.ConfigText = `{
  "include": ["**/*.md", "/x/.well-known/**", "**/*.rst", "**/.other/**", "resources/x/h/*.txt"],
  "exclude": ["**/*.bak", "x/old/", "x/old/c.md", "**/*.tmp", "docs/test/drafts", "docs/other"]
}`
	var problems problems.List
	if p.Config, problems = config.Decode(p.ConfigFile, "", []byte(strings.Replace(p.ConfigText, "{", `{"name": "Test", "package": "test", "version": "1.0.0",`, 1))); problems.Err() != nil {
		t.Fatal(problems)
	}
	p.Options.Include, p.Options.Exclude = p.Config.Include, p.Config.Exclude
	p.Options.Mounts = []loader.Mount{{Dir: "docs", Scheme: "docs", Host: "test"}}
	var got []string
	for i, f := range check(t, p).Findings {
		if f.Rule == PatternUnused {
			got = append(got, lines(check(t, p))[i]+" "+f.Message)
		}
	}
	want := []string{
		`warning pattern-unused mcp-docs-server.json:2:47 the pattern "**/*.rst" of "include" matches no file below resources/ that is not left out by another rule`,
		`warning pattern-unused mcp-docs-server.json:2:59 the pattern "**/.other/**" of "include" matches no file below resources/ that is not left out by another rule`,
		`note pattern-unused mcp-docs-server.json:3:37 the pattern "x/old/c.md" of "exclude" matches no file or folder below resources/ that is not left out already`,
		`note pattern-unused mcp-docs-server.json:3:51 the pattern "**/*.tmp" of "exclude" matches no file or folder below resources/ that is not left out already`,
		`note pattern-unused mcp-docs-server.json:3:83 the pattern "docs/other" of "exclude" matches no file or folder below resources/ that is not left out already`,
	}
	must.Equal(t, want, got)
}

// A pattern of docsExclude that matches nothing is probably a mistake.
func TestDocsExcludeUnused(t *testing.T) {
	p := project(t, map[string]string{"docs/a.md": "# A", "docs/internal/b.md": "# B"})
	p.ConfigText = "{\"name\": \"x\", \"package\": \"x\", \"version\": \"1.0.0\",\n\"docsExclude\": [\"docs/internal\", \"docs/intrenal/**\"]}"
	p.Config, _ = config.Decode(config.File, "", []byte(p.ConfigText))
	set, err := glob.ParseSet(p.Config.DocsExclude)
	if err == nil {
		p.Library, err = docs.Detect(t.Context(), p.Files, docs.Reading{Sites: site.Options{Chosen: "docs", Exclude: set}})
	}
	must.Do(t, err)
	report := must.Get(Run(t.Context(), p))(t)
	var got []string
	for _, f := range report.Findings {
		got = append(got, fmt.Sprintf("%s %d:%d %s", f.Rule, f.Line, f.Column, f.Message))
	}
	want := []string{`pattern-unused 2:34 the pattern "docs/intrenal/**" of "docsExclude" matches no file or folder of the documents`}
	must.Equal(t, want, got)
}

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
	library := must.Get(docs.Detect(t.Context(), p.Files, docs.Reading{Sites: site.Options{Chosen: "docs"}}))(t)
	p.Library = library
	hidden := must.Get(Hidden(t.Context(), p))(t)
	var got []string
	for _, h := range hidden {
		got = append(got, h.Path+" "+h.Rule)
		a, err := explain.Ask(t.Context(), explain.Project{Files: p.Files, Docs: "docs", Options: p.Options, MaxBytes: 1 << 20, Library: library}, h.Path)
		if err != nil || a.Served || len(a.Hidden) == 0 || a.Hidden[0].Rule != h.Rule || a.Hidden[0].Reason != h.Reason {
			t.Errorf("%+v: explain says %+v, %v", h, a, err)
		}
	}
	want := []string{
		"docs/.draft.md hidden-name", "docs/.old hidden-name", "docs/broken.md link-refused", "prompts/.later.md hidden-name", "prompts/bad.md problem", "prompts/notes.txt not-markdown",
		"resources/loose.txt outside-schemes", "resources/x/h/.git hidden-name", "resources/x/h/a.txt.meta.json describes", "resources/x/h/a~ hidden-name",
		"resources/x/h/broken link-refused", "resources/x/h/drafts excluded",
	}
	must.Equal(t, want, got)
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
