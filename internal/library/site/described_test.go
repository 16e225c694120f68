package site

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/markup"
)

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
	if got := outline(hostile.Pages(true)); got != "docs/a.md | A\n" {
		t.Errorf("%q", got)
	}
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
