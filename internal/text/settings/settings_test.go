package settings

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
)

func TestValues(t *testing.T) {
	for name, text := range map[string]string{
		"a.yml":  "a: {b: [x, 2], c: true}\nn: 1.5\nd: e\ntag: !!python/name:x.y\n",
		"a.toml": "n = 1.5\nd = 'e'\n[a]\nb = ['x', 2]\nc = true\n",
		"a.json": `{"a": {"b": ["x", 2], "c": true}, /* n */ "n": 1.5, "d": "e",}`,
	} {
		v, err := Parse(name, text)
		if err != nil {
			t.Error(name, err)
		}
		if n, ok := v.Number("n"); !cmp.Equal(v.List("a b"), []string{"x", "2"}) || !v.Is("a c") || v.Str("x|a c") != "true" || v.Str("d") != "e" || n != 1 || !ok {
			t.Errorf("%s: %v", name, v)
		}
	}
	if v, _ := Parse("a.yml", "a: 'x'\n  bad: [\n"); v.Str("a") != "x" {
		t.Errorf("a text that is not well-formed: %v", v)
	}
}

// Parsers do not recurse without a bound, and the error of those that stop says so.
func TestNested(t *testing.T) {
	for name, text := range map[string]string{
		"a.json": strings.Repeat("[", 1<<20), "b.json": `{"a":` + strings.Repeat(`{"a":`, 1<<17), "c.jsonc": strings.Repeat("/**/[", 1<<18),
		"a.toml": "a = " + strings.Repeat("[", 1<<20), "b.toml": "a = " + strings.Repeat("{a = ", 1<<18),
	} {
		if v, err := Parse(name, text); len(v) > 0 || err == nil {
			t.Errorf("%s: %v, %d values", name, err, len(v))
		}
	}
	for _, text := range []string{strings.Repeat("a.", 1<<19) + "a = 1", "[" + strings.Repeat("a.", 1<<19) + "a]"} {
		if v, err := Parse("a.toml", text); err != nil || v.Str("a a a") != "" || len(Texts(map[string]any(v), false)) > 0 {
			t.Error(err)
		}
	}
}

func TestTexts(t *testing.T) {
	nav, err := Parse("a.json", `{"nav": [{"text": "A", "link": "/a"}, {"label": "B", "items": ["b", {"link": "/c", "label": "C"}, {"label": "D", "children": [{"link": "/d"}]}]}], "x": {"group": "E", "pages": ["e"], "root": "f"}}`)
	must.Do(t, err)
	want := []Text{{"/a", "A", nil}, {"b", "", []string{"B"}}, {"/c", "C", []string{"B"}}, {"/d", "", []string{"B", "D"}}, {"f", "", []string{"E"}}, {"e", "", []string{"E"}}}
	must.Equal(t, want, Texts(map[string]any(nav), false))
	nav, _ = Parse("a.yml", "nav:\n- a.md\n- B: b.md\n- C: [c.md, D: d.md]\n")
	want = []Text{{"a.md", "", nil}, {"b.md", "B", nil}, {"c.md", "", []string{"C"}}, {"d.md", "D", []string{"C"}}}
	must.Equal(t, want, Texts(nav.Get("nav"), true))
}

// FuzzParse reads any text in each format.
func FuzzParse(f *testing.F) {
	f.Add("a: &x [1, *x]\nb:\n  - c: !t d\n")
	f.Add("[a]\nb = 1\n[[c]]\nd = 2020-01-01\n")
	f.Add(`{"a": [1, {"b": null}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"a.yml", "a.toml", "a.json"} {
			v, _ := Parse(name, text)
			for key := range v {
				v.Str(key)
				v.List(key)
				v.Str(key + " " + key)
			}
		}
	})
}

func TestTitles(t *testing.T) {
	for yaml, want := range map[string][2]string{
		"title: A\ndescription: b\n":                     {"A", "b"},
		"title: \"A: b\" # c\n":                          {"A: b", ""},
		"title: >\n  A\n  b\n":                           {"A b\n", ""},
		"x: &t A\ntitle: *t\n":                           {"A", ""},
		"incomplete: A part.\ndescription: b\n":          {"", "Incomplete: A part. b"},
		"title: [A]\ndescription: null\n":                {},
		"other:\n  title: A\n":                           {},
		"title: A: b\n":                                  {},
		"- title: A\n":                                   {},
		"title: A\nb: " + strings.Repeat("[", 30) + "\n": {},
		"title: &a [*a]\ndescription: b\n":               {"", "b"},
	} {
		if title, description := Titles(frontmatter.Block{YAML: yaml}); title != want[0] || description != want[1] {
			t.Errorf("%q: %q, %q, want %q", yaml, title, description, want)
		}
	}
}
