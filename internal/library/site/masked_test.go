package site

import (
	"encoding/json"
	"strings"
	"testing"
)

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
	described, err := s.Describe()
	if err != nil {
		t.Fatal(err)
	}
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
		head, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
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
