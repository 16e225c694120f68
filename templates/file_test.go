package templates

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestDecode(t *testing.T) {
	entries, problems := Decode("t.json", []byte(`[
  {
    "$schema": "x",
    "uriTemplate": "docs://{...path}.md",
    "name": "guides",
    "title": "Guides",
    "description": "All guides.",
    "mimeType": "text/markdown",
    "annotations": {"audience": ["user", "assistant"], "priority": 0},
    "icons": [{"src": "data:,", "mimeType": "image/svg+xml", "sizes": ["any"], "theme": "dark"}, {"src": "https://example.com/i.png"}],
    "describe": true
  },
  {"uriTemplate": "docs://{x}", "name": "plain", "title": null, "mimeType": null, "annotations": null, "icons": null, "describe": null}
]`))
	if len(problems) > 0 {
		t.Errorf("problems:\n%v", problems)
	}
	zero := 0.0
	want := []Entry{
		{
			Definition: Definition{
				URITemplate: "docs://{...path}.md",
				Name:        "guides",
				Title:       "Guides",
				Description: "All guides.",
				MIMEType:    "text/markdown",
				Annotations: &Annotations{Audience: []string{"user", "assistant"}, Priority: &zero},
				Icons: []Icon{
					{Src: "data:,", MIMEType: "image/svg+xml", Sizes: []string{"any"}, Theme: "dark"},
					{Src: "https://example.com/i.png"},
				},
				Describe: new(true),
			},
			Index: 1, Line: 2, Column: 3,
		},
		{Definition: Definition{URITemplate: "docs://{x}", Name: "plain"}, Index: 2, Line: 13, Column: 3},
	}
	if diff := cmp.Diff(want, entries, cmpopts.IgnoreFields(Entry{}, "Template")); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	must.Equal(t, "docs://{+path}.md", entries[0].Template.String(), "published as")
}

func TestDecodeReportsEverything(t *testing.T) {
	c := given.Cases(t, "problems.txt")[0]
	entries, problems := Decode("t.json", []byte(c.Files["t.json"]))
	must.Equal(t, c.Text, problems.Error(), "problems")
	// Entries that only have warnings are returned.
	if len(entries) != 3 || entries[0].MIMEType != "text/html" || entries[1].MIMEType != "text/html" || entries[2].Name != "good" || entries[2].Index != 15 {
		t.Errorf("entries: %+v", entries)
	}
}

func TestDecodeDocument(t *testing.T) {
	tests := []struct{ in, want string }{
		{"[]", ""},
		{`{"templates": []}`, "t.json:1:1: the document is an object, must be an array of templates"},
		{"[{]", "t.json:1:3: is not valid JSON: unexpected ']' where a key must begin"},
	}
	for _, tt := range tests {
		entries, problems := Decode("t.json", []byte(tt.in))
		if len(entries) > 0 || problems.Error() != tt.want {
			t.Errorf("Decode(%q) = %v, %v, want %s", tt.in, entries, problems, tt.want)
		}
	}
}

func TestDefinitionSchema(t *testing.T) {
	schema := must.Get(jsonschema.For[[]Definition](nil))(t)
	must.Equal(t, []string{"uriTemplate", "name"}, schema.Items.Required, "required fields")
	for name, property := range schema.Items.Properties {
		if property.Description == "" {
			t.Errorf("field %s has no description", name)
		}
	}
}
