package loader

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

func TestReadAbout(t *testing.T) {
	const md, js = "text/markdown", "application/json"
	for _, test := range []struct {
		mime, text         string
		title, description string
	}{
		{md, "", "", ""},
		{md, "text only", "", ""},
		{md, "intro\n\n## First *one*\n# Second\n", "First one", ""},
		{md, "\ufeff---\ntitle: 'It''s  a\n  title'\ndescription: >\n  Two\n  lines.\n---\n# Heading\n", "It's a title", "Two lines."},
		{md, "---\r\ndescription: only this\r\n---\r\n# Heading\r\n", "Heading", "only this"},
		{"text/mdx", "---\ntitle: 2024\ndescription: null\n---\n", "2024", ""},
		{md, "---\ntitle: [a, b]\ndescription: {a: b}\n---\n# H", "H", ""},
		{md, "---\ntitle: a: b\n---\n# H", "H", ""},                         // not YAML
		{md, "---\ntitle: &a x\ndescription: *a\n---\n# H", "x", "x"},       // as in prompts
		{md, "---\n" + strings.Repeat("[", 10_000) + "\n---\n# H", "H", ""}, // too deep
		{md, "---\ntitle: \x1b[31mb\n---\n# \u202eH\x07\n", "H", ""},        // control characters are not YAML
		{md, "---\ntitle: " + strings.Repeat("x", 1000) + "\n---\n", strings.Repeat("x", 297) + "…", ""},
		{md, "# " + strings.Repeat("x", 1000), strings.Repeat("x", 300), ""},
		{js, `{"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "T", "description": "D"}`, "T", "D"},
		{js, "\ufeff" + ` {"type": "object", "title": "T"}`, "T", ""},
		{js, `{"properties": {"title": {"title": "inner"}}, "description": "D"}`, "", "D"},
		{js, `{"title": "Mr", "description": "a person"}`, "", ""}, // not a JSON Schema
		{js, `{"$schema": "./person.schema.json", "title": "Mr"}`, "", ""},
		{"application/schema+json", `{"title": "T"}`, "T", ""},
		{js, `{"type": "object", "title": 1, "description": ["D"]}`, "", ""},
		{js, `{"type": "object", "title": "T"`, "", ""},
		{js, `["title"]`, "", ""},
		{"text/plain", "# H", "", ""},
	} {
		got := ReadMetadata(test.mime, test.text)
		if want := (Metadata{Title: test.title, Description: test.description}); !cmp.Equal(want, got) {
			t.Errorf("%s %.100q: %+v, want %+v", test.mime, test.text, got, want)
		}
	}
}

func TestSidecar(t *testing.T) {
	for _, test := range []struct {
		json     string
		want     Metadata
		problems []string
	}{
		{`{}`, Metadata{}, nil},
		{`{"title": " A  title ", "description": "D", "audience": ["user"], "priority": 0.5, "icons": [{"src": "https://x.dev/i.png"}]}`,
			Metadata{Title: "A title", Description: "D", Audience: []string{"user"}, Priority: new(0.5), Icons: []templates.Icon{{Src: "https://x.dev/i.png"}}}, nil},
		{`{"title": "T", "desc": "D"}`, Metadata{Title: "T"}, []string{`f:1:16: warning: unknown field "desc"; did you mean "description"?`}},
		{`{"title": "T", "priority": 2}`, Metadata{}, []string{"f:1:28: priority is 2, must be a number from 0 to 1"}},
		{`{"audience": ["bot"]}`, Metadata{}, []string{`f:1:15: audience is "bot", must be "user" or "assistant"`}},
		{`[]`, Metadata{}, []string{"f:1:1: the document is an array, must be an object"}},
		{`{`, Metadata{}, []string{"f:1:2: "}},
	} {
		sidecar, problems := templates.DecodeSidecar("f", []byte(test.json))
		got := Metadata(sidecar).bounded()
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.json, diff)
		}
		if len(problems) != len(test.problems) {
			t.Errorf("%s: %v", test.json, problems)
			continue
		}
		for i, p := range problems {
			if !strings.HasPrefix(p.String(), test.problems[i]) {
				t.Errorf("%s: %q, want %q", test.json, p, test.problems[i])
			}
		}
	}
}

func FuzzReadAbout(f *testing.F) {
	f.Add("text/markdown", "---\ntitle: x\n---\n# y")
	f.Add("application/json", `{"type": "object", "title": "x"}`)
	f.Fuzz(func(t *testing.T, mime, text string) {
		a := ReadMetadata(mime, text)
		if len(a.Title) > maxTitle || len(a.Description) > maxDescription || strings.ContainsAny(a.Title, "\n\r\x00") {
			t.Errorf("%q says %+v", text, a)
		}
	})
}
