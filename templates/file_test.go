package templates

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/jsonschema-go/jsonschema"

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
	if got := entries[0].Template.String(); got != "docs://{+path}.md" {
		t.Errorf("published as %q", got)
	}
}

func TestDecodeReportsEverything(t *testing.T) {
	entries, problems := Decode("t.json", []byte(`[
  {"uriTemplate": "docs://{x}"},
  {"name": "no template", "uri": "docs://{x}"},
  {"uriTemplate": "", "name": ""},
  "docs://{x}",
  null,
  {"uriTemplate": 1, "name": ["a"], "title": false, "description": {}, "describe": "yes"},
  {"uriTemplate": "docs://é b/{x}", "name": "space"},
  {"uriTemplate": "docs:\/\/a b", "name": "escaped"},
  {"uriTemplate": "docs://{x}", "name": "mime", "mimeType": "text/html; charset=utf-8"},
  {"uriTemplate": "docs://{x}", "name": "mime", "mimeType": "markdown"},
  {"uriTemplate": "docs://{x}", "name": "mime", "mimeType": "text/html "},
  {"uriTemplate": "docs://{x}", "name": "hints", "annotations": {"audience": ["user", "robot"], "priority": 1.5, "prio": 1}},
  {"uriTemplate": "docs://{x}", "name": "hints", "annotations": []},
  {"uriTemplate": "docs://{x}", "name": "icons", "icons": [{"mimeType": "png"}, {"src": "a", "theme": "blue", "sizes": [1]}, 3]},
  {"uriTemplate": "docs://{x}", "name": "twice", "name": "good", "mimetype": "text/plain", "colour": 1}
]`))
	want := strings.TrimSpace(`
t.json:2:3: entry 1: name is missing
t.json:3:3: entry 2 ("no template"): uriTemplate is missing
t.json:3:27: warning: entry 2 ("no template"): unknown field "uri"; did you mean "uriTemplate"?
t.json:4:19: entry 3: uriTemplate is empty
t.json:4:31: entry 3: name is empty
t.json:5:3: entry 4: is a string, must be an object
t.json:6:3: entry 5: is null, must be an object
t.json:7:19: entry 6: uriTemplate is a number, must be a string
t.json:7:30: entry 6: name is an array, must be a string
t.json:7:46: entry 6: title is a boolean, must be a string
t.json:7:68: entry 6: description is an object, must be a string
t.json:7:84: entry 6: describe is a string, must be true or false
t.json:8:28: entry 7 ("space"): uriTemplate "docs://é b/{x}": a space must be written %20
t.json:9:19: entry 8 ("escaped"): uriTemplate "docs://a b": a space must be written %20
t.json:10:61: warning: entry 9 ("mime"): mimeType is "text/html; charset=utf-8", taken without its parameters as "text/html"
t.json:11:61: entry 10 ("mime"): mimeType is "markdown", must be type/subtype such as "text/markdown"
t.json:12:61: warning: entry 11 ("mime"): mimeType is "text/html ", taken without the spaces around it
t.json:13:87: entry 12 ("hints"): annotations.audience is "robot", must be "user" or "assistant"
t.json:13:109: entry 12 ("hints"): annotations.priority is 1.5, must be a number from 0 to 1
t.json:13:114: warning: entry 12 ("hints"): unknown field "annotations.prio"; did you mean "annotations.priority"?
t.json:14:65: entry 13 ("hints"): annotations is an array, must be an object
t.json:15:60: entry 14 ("icons"): icons[0].src is missing
t.json:15:73: entry 14 ("icons"): icons[0].mimeType is "png", must be type/subtype such as "text/markdown"
t.json:15:103: entry 14 ("icons"): icons[1].theme is "blue", must be "light" or "dark"
t.json:15:121: entry 14 ("icons"): icons[1].sizes[0] is a number, must be a string
t.json:15:126: entry 14 ("icons"): icons[2] is a number, must be an object
t.json:16:50: warning: "name" is given twice in this object; the last one counts
t.json:16:66: warning: entry 15 ("good"): unknown field "mimetype"; did you mean "mimeType"?
t.json:16:92: warning: entry 15 ("good"): unknown field "colour"`)
	must.Equal(t, strings.Split(want, "\n"), strings.Split(problems.Error(), "\n"), "problems")
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
