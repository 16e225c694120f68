package site

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docsfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/markup"
)

func load(t *testing.T, files map[string]string) *Set {
	t.Helper()
	return must.Get(loadAll(t.Context(), files))(t)
}

func loadAll(ctx context.Context, files map[string]string) (*Set, error) {
	return Find(ctx, given.Texts(files), Options{}, nil, nil)
}

func content(t testing.TB, s *Set, p *Page, text string) Content {
	t.Helper()
	return must.Get(s.Content(t.Context(), p, text))(t)
}

func uses(t testing.TB, s *Set, p *Page, text string) []string {
	t.Helper()
	return must.Get(s.Uses(t.Context(), p, text))(t)
}

// outline returns a line a page: file, title, and what else is known.
func outline(pages []*Page) string {
	var b strings.Builder
	for _, p := range pages {
		b.WriteString(p.Path + " | " + p.Title)
		for _, more := range []string{p.Language(), p.Version()} {
			if more != "" {
				b.WriteString(" | " + more)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// A byte order mark is not a fault of a document, of configuration, or of a file that is included.
func TestByteOrderMark(t *testing.T) {
	const mark = "\ufeff"
	s := load(t, map[string]string{
		"mkdocs.yml": mark + "site_url: https://a.example/\nnav: [b.md, a.md]\n", "docs/a.md": mark + "---\ntitle: First\n---\ntext\n", "docs/b.md": mark + "# Second\n--8<-- \"docs/c.txt\"\n", "docs/c.txt": mark + "part\n",
	})
	must.Equal(t, "docs/b.md | Second\ndocs/a.md | First\ndocs/c.txt | C\n", outline(s.Pages(true)))
	must.Equal(t, "part\n", content(t, s, s.Page("docs/b.md"), "--8<-- \"docs/c.txt\"\n").Text)
	wide := "\xff\xfe"
	for _, r := range "---\ntitle: Wide\n---\n" {
		wide += string([]byte{byte(r), 0})
	}
	must.Equal(t, "docs/a.md | Wide\n", outline(load(t, map[string]string{"docs/a.md": wide}).Pages(true)), "UTF-16")
}

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

// denied is a project of which one file may not be read.
type denied struct {
	fstest.MapFS
	file string
}

func (d denied) Open(name string) (fs.File, error) {
	if name == d.file {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return d.MapFS.Open(name)
}

// A page that may not be read is not served, and the reason is the true one.
func TestDeniedPage(t *testing.T) {
	s, err := Find(t.Context(), docsfs.Of(denied{given.Texts(map[string]string{"mkdocs.yml": "", "docs/a.md": "# A\n", "docs/b.md": "# B\n"}), "docs/b.md"}), Options{}, nil, nil)
	if err != nil || len(s.Pages(true)) != 1 || len(s.Hidden()) != 1 {
		t.Fatalf("%v, %v, %v", err, s.Pages(true), s.Hidden())
	}
	if p := s.Hidden()[0]; p.Err == nil || !strings.Contains(p.Hidden, "permission denied") {
		t.Errorf("%q, %v", p.Hidden, p.Err)
	}
}

// TestIDs compares ids with the headings and the ids of a page by their letters and digits.
func TestIDs(t *testing.T) {
	for _, test := range []struct {
		page, text string
		has, lacks []string
	}{
		{"docs/a.md", "# A\n\n## What's `a/b`?\n\n## Same\n\n## Same\n\n## D & E {#own-id}\n\n## ![logo](i.png) Title\n\n## 10&nbsp;km\n\n## 2. Über uns\n", []string{"a", "What-s-a/b", "same", "same-1", "same-2", "d--e", "d-amp-e", "own-id", "-title", "10-km", "über-uns", "2-uber-uns", "top"}, []string{"gone", "sam"}},
		{"docs/a.md", "<a name=foo></a> <p id=\"b&#x5F;c\"> <ParamField body=\"api.key\" />\n\n> #### In a quote\n\n!!! note\n\n    ## In a note\n\n(own/label)=\n\n:::{note}\n:name: the-note\n:::\n\n[^1]: note\n", []string{"foo", "b_c", "api-key", "in-a-quote", "in-a-note", "own/label", "the-note", "1"}, []string{"bar"}},
		{"docs/a.rst", "Top\n===\n\n.. _My Label:\n\nPart one\n--------\n", []string{"top", "my-label", "part-one"}, []string{"gone"}},
		{"docs/a.adoc", "= A\n\n== Own parts\n\n[#set]\ntext\n\n[[[book]]] [[x,y]] anchor:z[]\n", []string{"_own_parts", "set", "book", "x", "z"}, []string{"gone"}},
	} {
		s := load(t, map[string]string{test.page: test.text})
		p := s.Page(test.page)
		for _, id := range test.has {
			if to := s.withID(p, Target{File: p.File}, id); to.Lacks {
				t.Errorf("%s lacks %q", test.page, id)
			}
		}
		for _, id := range test.lacks {
			if to := s.withID(p, Target{File: p.File}, id); !to.Lacks {
				t.Errorf("%s has %q", test.page, id)
			}
		}
	}
}

// What configuration says and the program cannot follow is reported once, with its line.
func TestNotices(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		want  string
	}{
		"a missing file": {
			map[string]string{"mkdocs.yml": "site_name: x\nnav:\n- a.md\n- More:\n  - Gone: guide/gone.md\n  - Again: guide/gone.md\n  - made.md\n  - https://a.example/x.md\n", "docs/a.md": "# A\n", ".gitignore": "made.md\n"},
			"mkdocs.yml:5: the navigation names docs/guide/gone.md, which is not there",
		},
		"a list": {
			map[string]string{"book.toml": "", "src/SUMMARY.md": "- [A](a.md)\n- [Gone](gone.md)\n- [Draft]()\n", "src/a.md": "# A\n"},
			"src/SUMMARY.md:2: the navigation names src/gone.md, which is not there",
		},
		"YAML": {
			map[string]string{"mkdocs.yml": "site_name: x\nnav: [a.md\nx: y\n", "docs/a.md": "# A\n"},
			"mkdocs.yml:3: cannot be parsed: there must be ',' or ']': its settings are not read",
		},
		"TOML": {
			map[string]string{"hugo.toml": "title = 'x'\nbaseURL = \n", "content/a.md": "# A\n"},
			"hugo.toml:2: cannot be parsed: toml: unexpected character U+000A at start of value: its settings are not read",
		},
		"JSON": {
			map[string]string{"docs.json": "{\n\"navigation\": {x}\n}", "docs/a.md": "# A\n"},
			"docs.json:2: cannot be parsed: invalid character 'x' looking for beginning of object key string: its settings are not read",
		},
	} {
		s := load(t, test.files)
		var lines []string
		for _, n := range s.Warnings() {
			lines = append(lines, fmt.Sprintf("%s:%d: %s", n.Path, n.Line, n.Reason))
		}
		if got := strings.Join(lines, "\n"); got != test.want || len(s.Pages(true)) == 0 {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, test.want)
		}
	}
}

// Of a very large folder, a first answer has a part; the whole folder is read after it, with one notice that says what to write.
func TestVeryLargeFolder(t *testing.T) {
	before := quickFiles
	quickFiles = 50
	defer func() { quickFiles = before }()
	files := make(map[string]string)
	for i := range 120 {
		files[fmt.Sprintf("d%d/a.md", i)] = "# A\n"
	}
	quick := loadWith(t, files, Options{Quick: true})
	if n := len(quick.Pages(true)); n == 0 || n >= 60 || !quick.Quick() {
		t.Errorf("first: %d documents, more to come: %t", n, quick.Quick())
	}
	whole := loadWith(t, files, Options{})
	if n := whole.Warnings(); len(whole.Pages(true)) != 120 || whole.Quick() || len(n) != 1 || n[0].Path != "." || !strings.Contains(n[0].Reason, `"docs": "FOLDER"`) {
		t.Errorf("then: %d documents, %v", len(whole.Pages(true)), n)
	}
}

// TestWiki has a vault of notes that link to each other by name.
func TestWiki(t *testing.T) {
	files := map[string]string{
		"Home.md":             "# Home\n\n[[Daily plan]] [[deep/Plan|the plan]] [[plan#Next steps]] [[Second name]] [[#Here]] [[gone]] [[plan#gone]]\n`[[gone]]` [[1, 2], [3]] [[1,2]] [[x]](b.md)\n\n    [[gone]]\n\n![[Plan#Next steps]]\n![[a b.png|300]] ![[plan]]\n\n## Here\n",
		"notes/deep/Plan.md":  "---\naliases: [Second name]\n---\n# The plan\n\ntext\n\n## Next steps\n\nsteps\n\n## Later\n",
		"notes/Daily plan.md": "# Daily\n", "files/a b.png": "png", "b.md": "# B\n",
	}
	s := load(t, files)
	p := s.Page("Home.md")
	var got strings.Builder
	for _, l := range s.Links(p, files["Home.md"]) {
		to := s.Resolve(p, l.Link)
		fmt.Fprintln(&got, l.Line, l.Link, to.Certainty, to)
	}
	want := "3 [[Daily plan]] found notes/Daily plan.md\n3 [[deep/Plan]] found notes/deep/Plan.md\n3 [[plan#Next steps]] found notes/deep/Plan.md#Next steps\n3 [[Second name]] found notes/deep/Plan.md\n" +
		"3 [[#Here]] found Home.md#Here\n3 [[gone]] unknown \n3 [[plan#gone]] found notes/deep/Plan.md#gone\n4 b.md found b.md\n8 [[Plan#Next steps]] found notes/deep/Plan.md#Next steps\n9 [[a b.png]] found files/a b.png\n9 [[plan]] found notes/deep/Plan.md\n"
	must.Equal(t, want, got.String(), "links")
	text := "# Home\n\n[Daily plan](notes/Daily%20plan.md) [the plan](notes/deep/Plan.md) [plan#Next steps](notes/deep/Plan.md#next-steps) [Second name](notes/deep/Plan.md) [#Here](Home.md#here) [[gone]] [plan#gone](notes/deep/Plan.md#gone)\n" +
		"`[[gone]]` [[1, 2], [3]] [[1,2]] [[x]](b.md)\n\n    [[gone]]\n\n## Next steps\n\nsteps\n![a b.png](files/a%20b.png) [plan](notes/deep/Plan.md)\n\n## Here\n"
	must.Equal(t, text, content(t, s, p, files["Home.md"]).Text, "text")
}

// repacked returns the set that is found in the documents of a set, what they use, and its description.
func repacked(t *testing.T, s *Set, files map[string]string) *Set {
	t.Helper()
	description := must.Get(s.Describe())(t)
	packed := map[string]string{DescriptionFile: string(description)}
	for _, p := range s.Pages(true) {
		packed[p.File] = markup.WithoutOutputs(p.File, files[p.File])
		for _, name := range uses(t, s, p, files[p.File]) {
			packed[name] = files[name]
		}
	}
	return load(t, packed)
}

// A set that is made of its description answers as the set of the repository, and no file of it is a document that
// may not be read.
func TestDescribed(t *testing.T) {
	files := map[string]string{
		"mkdocs.yml": "site_url: https://a.example/\nnav: [b.md, index.md]\nmarkdown_extensions: [{pymdownx.snippets: {base_path: src}}]\n", "docs/index.md": "# Home\n\n--8<-- \"x.py\"\n\n![](img/a.png)\n", "docs/b.md": "# B\n\n--8<-- \"docs/.part.md\"\n",
		"docs/.part.md": "part\n", "src/x.py": "x = 1\n", "docs/img/a.png": "png", "docs/img/other.png": "png",
	}
	s := load(t, files)
	again := repacked(t, s, files)
	for _, p := range s.Pages(true) {
		o := again.Page(p.File)
		if o == nil {
			t.Fatalf("%s is missing", p.File)
		}
		if diff := cmp.Diff(content(t, s, p, files[p.File]), content(t, again, o, files[p.File])); diff != "" {
			t.Errorf("%s (-repository +package):\n%s", p.File, diff)
		}
	}
	if a, b := outline(again.Pages(true)), outline(s.Pages(true)); a != b || again.String() != s.String() {
		t.Errorf("%s\n%s\n%s", a, b, again)
	}
	if got := uses(t, s, s.Page("docs/index.md"), files["docs/index.md"]); !slices.Equal(got, []string{"src/x.py", "docs/img/a.png"}) {
		t.Errorf("uses %q", got)
	}
	hostile := load(t, map[string]string{
		DescriptionFile: `{"sites": [{"generator": "MkDocs", "trees": [{"root": "docs"}, {"root": "../up", "extra": true}], "pages": [{"file": "docs/a.md", "title": "A", "key": "docs/a"},
			{"file": "docs/.env"}, {"file": "docs/made.md"}, {"file": "../x.md", "tree": 1}, {"file": "src/x.py"}, {"file": "docs/gone.md"}, {"file": "docs/a.md", "tree": 7}, {"file": "/etc/passwd"}]}]}`,
		"docs/a.md": "# A\n", "docs/.env": "x", "docs/made.md": "x", ".gitignore": "made.md\n", "src/x.py": "x",
	})
	must.Equal(t, "docs/a.md | A\n", outline(hostile.Pages(true)))
}

// Escapes, and the strings of a notebook, do not hide secrets from the text and the names that are made of a file.
func TestMaskedAfterDecoding(t *testing.T) {
	const (
		token    = "8fK2mQ7xW4vN9tR1yB6cZ3hJ5dL0sPaGeUoI"
		password = "Xq9LmPqR27zz"
		aws      = "IeC3rQ8sKd9aXmT4/hZ7wYpL2nGvBu5oJfR1xE0s"
	)
	escaped := strings.ReplaceAll(aws, "/", `\/`)
	const begin = "-----BEGIN RSA PRIVATE" + " KEY-----"
	files := map[string]string{
		"docs/index.md":   "# Home\n\n--8<-- \"docs/part.ipynb\"\n",
		"docs/url.json":   `{"openapi": "3.0.0", "info": {"title": "\u006epm_` + token + `", "description": "postgres:\/\/admin:` + password + `@db.acme.io\/x"}}`,
		"docs/aws.json":   `{"openapi": "3.0.0", "info": {"title": "A", "description": "aws_secret_access_key=` + escaped + ` \u006epm_` + token + `"}}`,
		"docs/api.yaml":   "openapi: 3.0.0\ninfo:\n  title: B\n  description: \"n\\x70m_" + token + "\"\n",
		"docs/cut.json":   `{"openapi": "3.0.0", "info": {"title": "C", "description": "\u002d` + begin[1:] + `\n` + token + token + `"}}`,
		"docs/a.ipynb":    `{"cells": [{"cell_type": "markdown", "source": ["# A\n", "npm_", "` + token + `\n", "\u006epm_` + token + `"]}]}`,
		"docs/b.ipynb":    `{"cells": [{"cell_type": "markdown", "source": "# npm_\u0038` + token[1:] + `"}]}`,
		"docs/part.ipynb": `{"cells": [{"cell_type": "code", "source": ["t = 'npm_", "` + token + `'\n"]}]}`,
		"docs/yaml.md":    "---\ntitle: \"n\\x70m_" + token + "\"\ndescription: \"n\\x70m_" + token + "\"\nslug: \"n\\x70m_" + token + "\"\n---\ntext\n",
		"docs/toml.md":    "+++\ntitle = \"n\\u0070m_" + token + "\"\n+++\ntext\n",
		"docs/mark.md":    "# npm\\_" + token + "\n\ntext\n",
		"mkdocs.yml":      "site_name: \"n\\x70m_" + token + "\"\nnav:\n- \"n\\x70m_" + token + "\": index.md\n- \"n\\x70m_" + token + "\":\n  - x: yaml.md\n",
	}
	s := load(t, files)
	described := must.Get(s.Describe())(t)
	seen := map[string]string{"the description": string(described), "the title": s.Names().Title}
	notes := 0
	for name, text := range files {
		p := s.Page(name)
		if p == nil {
			if name != "mkdocs.yml" {
				t.Errorf("%s is not a document", name)
			}
			continue
		}
		head := must.Get(json.Marshal(p))(t)
		seen["the head of "+name] = string(head)
		if f := formatOf(name); f == notebook || f == openapi || name == "docs/index.md" {
			c := content(t, s, p, text).Text
			seen["the text of "+name] = c
			if notes++; !strings.Contains(c, "[removed: looks like ") {
				t.Errorf("%s has no note: %q", name, c)
			}
		}
	}
	if notes != 8 {
		t.Errorf("%d texts", notes)
	}
	for what, text := range seen {
		for _, secret := range []string{token[1:], password, aws} {
			if strings.Contains(text, secret) {
				t.Errorf("%s has a secret: %q", what, text)
			}
		}
	}
	if want := "[removed: looks like an npm token (npm_…)]"; s.Names().Title != want || s.Page("docs/yaml.md").Title != want || s.Page("docs/index.md").Short != want {
		t.Errorf("%q, %q, %q", s.Names().Title, s.Page("docs/yaml.md").Title, s.Page("docs/index.md").Short)
	}
}
