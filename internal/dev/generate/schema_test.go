package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// TestCommitted compares the committed schemas with fresh ones, made twice.
func TestCommitted(t *testing.T) {
	fresh := must.Get(schemas())(t)
	again := must.Get(schemas())(t)
	for name, data := range fresh {
		if diff := cmp.Diff(string(data), string(again[name])); diff != "" {
			t.Errorf("%s is not the same each time:\n%s", name, diff)
		}
		committed, err := os.ReadFile(filepath.Join(root, schemaFolder, name))
		if err != nil {
			t.Error(err)
		} else if diff := cmp.Diff(string(committed), string(data)); diff != "" {
			t.Errorf("%s is stale, run go generate ./internal/dev/generate:\n%s", name, diff)
		}
		if other, ok := copies[name]; ok {
			if copied, err := os.ReadFile(filepath.Join(root, other, name)); err != nil || string(copied) != string(committed) {
				t.Errorf("the copy of %s in %s is stale, run go generate ./internal/dev/generate: %v", name, other, err)
			}
		}
	}
}

// schema reads a committed schema.
func schema(t *testing.T, name string) *jsonschema.Resolved {
	t.Helper()
	data := must.Get(os.ReadFile(filepath.Join(root, schemaFolder, name)))(t)
	var s jsonschema.Schema
	must.Do(t, json.Unmarshal(data, &s))
	return must.Get(s.Resolve(nil))(t)
}

func validate(s *jsonschema.Resolved, document string) error {
	var v any
	if err := json.Unmarshal([]byte(document), &v); err != nil {
		return err
	}
	return s.Validate(v)
}

// TestFiles validates the files of this repository, of the examples and next to the schemas. The program
// must accept them without a warning, too.
func TestFiles(t *testing.T) {
	for _, kind := range []struct {
		schema   string
		patterns []string
		problems func(file string, data []byte) error
	}{
		{
			"mcp-docs-server.schema.json",
			[]string{"mcp-docs-server.json", "examples/*/mcp-docs-server.json", schemaFolder + "/mcp-docs-server.example.json"},
			func(file string, data []byte) error {
				if _, problems := config.Decode(file, "", data); len(problems) > 0 {
					return problems
				}
				return nil
			},
		},
		{
			"templates.schema.json",
			[]string{"resources/templates.json", "examples/*/resources/templates.json", schemaFolder + "/templates.example.json"},
			func(file string, data []byte) error {
				if _, problems := templates.Decode(file, data); len(problems) > 0 {
					return problems
				}
				return nil
			},
		},
	} {
		s := schema(t, kind.schema)
		for _, pattern := range kind.patterns {
			files, err := filepath.Glob(filepath.Join(root, pattern))
			if err != nil || len(files) == 0 {
				t.Errorf("%s: no files (%v)", pattern, err)
			}
			for _, file := range files {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Error(err)
					continue
				}
				if err := validate(s, string(data)); err != nil {
					t.Errorf("%s: %v", file, err)
				}
				if err := kind.problems(file, data); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// TestConfig compares the configurations that the schema and the program accept.
func TestConfig(t *testing.T) {
	s := schema(t, "mcp-docs-server.schema.json")
	with := func(field, value string) string {
		return fmt.Sprintf(`{"name": "n", "package": "p", "version": "v", %q: %s}`, field, value)
	}
	limit := func(name string, value int) string { return with("limits", fmt.Sprintf(`{%q: %d}`, name, value)) }
	tests := []string{
		`{}`, `{"name": "n", "package": "p"}`, `[]`, `{"name": 1, "package": "p", "version": "v"}`,
		with("$schema", `"./s.json"`), with("name", `""`),
		with("unmatched", `"serve"`), with("unmatched", `"hide"`), with("unmatched", `"drop"`), with("unmatched", `""`),
		with("include", `[]`), with("include", `["**/*.md"]`), with("include", `"*"`), with("exclude", `[1]`),
		with("index", `true`), with("index", `false`), with("index", `1`), with("index", `{}`), with("index", `[]`), with("index", `"on"`),
		with("index", `{"expose": ["summary", "full", "stats", "elements"], "ttl": "1h2m3.5s"}`), with("index", `{"expose": []}`), with("index", `{"expose": ["all"]}`),
		with("index", `{"expose": [1]}`), with("index", `{"ttl": 5}`), with("index", `{"ttl": "0"}`), with("index", `{"ttl": "0s"}`), with("index", `{"ttl": "-1s"}`), with("index", `{"ttl": ".5m"}`),
		with("index", `{"ttl": ""}`), with("index", `{"ttl": "5"}`), with("index", `{"ttl": "5 m"}`), with("index", `{"ttl": "5ns"}`), with("index", `{"ttl": "250ms"}`),
		with("limits", `{}`), with("limits", `[]`), limit("pageSize", 0), limit("pageSize", 1), limit("pageSize", 10_000), limit("pageSize", 10_001),
		limit("maxReadBytes", 0), limit("maxReadBytes", 1), limit("maxReadBytes", 1<<30), limit("maxReadBytes", 1<<30+1),
		limit("maxFrameBytes", 1023), limit("maxFrameBytes", 1024), limit("maxFrameBytes", 1<<30), limit("maxFrameBytes", 1<<30+1),
	}
	for _, docs := range []string{"docs", "a/b", "./docs", "..docs", "a..b", ".docs", "d", "", ".", "./", "/", "/docs", `\\docs`, "c:docs", "C:/docs", "..", "../docs", "a/../b", `a\\..`, "a/..", "a/.b", `a\\.b`, "a~", "b~/a", "~a", "node_modules", "a/node_modules/b", "node_modules2", "a.swp", "a.swp/b", "a.swpx"} {
		tests = append(tests, with("docs", `"`+docs+`"`))
	}
	for _, document := range tests {
		_, problems := config.Decode("", "", []byte(document))
		compare(t, s, document, problems.Err())
	}
	// The defaults are the program's.
	c, _ := config.Decode("", "", []byte(with("limits", `{}`)))
	var filled map[string]any
	must.Do(t, json.Unmarshal([]byte(with("limits", `{}`)), &filled))
	withDefaults := must.Get(s.Schema().Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true}))(t)
	must.Do(t, withDefaults.ApplyDefaults(&filled))
	data := must.Get(json.Marshal(filled))(t)
	d, _ := config.Decode("", "", data)
	d.DocsGiven = false // the defaults name the folder
	must.Equal(t, c, d, "the defaults of the schema differ from the program's")
}

// TestTemplates compares the templates that the schema and the program accept.
func TestTemplates(t *testing.T) {
	s := schema(t, "templates.schema.json")
	with := func(field, value string) string {
		return fmt.Sprintf(`[{"uriTemplate": "x://h/{f}", "name": "n", %q: %s}]`, field, value)
	}
	for _, document := range []string{
		`[]`, `{}`, `[[]]`, `[{}]`, `[{"name": "n"}]`, `[{"uriTemplate": "x://h/{f}"}]`,
		with("uriTemplate", `""`), with("name", `""`), with("title", `""`), with("title", `1`), with("description", `"d"`),
		with("mimeType", `"text/markdown"`), with("mimeType", `"application/vnd.api+json"`), with("mimeType", `"text"`), with("mimeType", `"text/"`),
		with("mimeType", `"/plain"`), with("mimeType", `"a/b/c"`), with("mimeType", `"-a/b"`),
		with("annotations", `{}`), with("annotations", `{"audience": ["user", "assistant"], "priority": 0.5}`), with("annotations", `{"audience": ["model"]}`),
		with("annotations", `{"priority": 0}`), with("annotations", `{"priority": 1}`), with("annotations", `{"priority": 1.1}`), with("annotations", `{"priority": -1}`),
		with("icons", `[]`), with("icons", `[{}]`), with("icons", `[{"src": ""}]`), with("icons", `[{"src": "https://a.example/i.png", "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark"}]`),
		with("icons", `[{"src": "s", "theme": "blue"}]`), with("icons", `[{"src": "s", "mimeType": "png"}]`), with("icons", `[{"src": "s", "sizes": "any"}]`),
		with("describe", `true`), with("describe", `"yes"`),
	} {
		_, problems := templates.Decode("", []byte(document))
		compare(t, s, document, problems.Err())
	}
	for _, document := range []string{with("titel", `"t"`), with("icons", `[{"src": "s", "size": "any"}]`)} {
		if validate(s, document) == nil {
			t.Errorf("%s: an unknown key is valid", document)
		}
	}
}

func compare(t *testing.T, s *jsonschema.Resolved, document string, program error) {
	t.Helper()
	if err := validate(s, document); (err == nil) != (program == nil) {
		t.Errorf("%s\nschema:  %v\nprogram: %v", document, err, program)
	}
}
