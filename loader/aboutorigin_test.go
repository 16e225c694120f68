package loader

import (
	"testing"
	"testing/fstest"

	"github.com/mcp-docs-server/mcp-docs-server/matcher"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// Each title and description has the origin that About took it from.
func TestAboutOrigin(t *testing.T) {
	entries, list := templates.Decode("t", []byte(`[{"uriTemplate": "x://{+path}", "name": "X", "description": "D"}]`))
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	index, _ := matcher.New("t", entries)
	fsys := fstest.MapFS{}
	for name, data := range map[string]string{
		"front.md":            "---\ntitle: T\ndescription: D\n---\n# H\n",
		"heading.md":          "# H\n",
		"side.md":             "---\ntitle: T\ndescription: D\n---\n",
		"side.md.meta.json":   `{"title": "S"}`,
		"app.schema.json":     `{"type": "object", "title": "T", "description": "D"}`,
		"plain.txt":           "text\n",
		"empty-title.md":      "---\ntitle: ''\n---\n",
		"image.png":           "\x89PNG",
		"image.png.meta.json": `{"description": "an image"}`,
	} {
		fsys["resources/x/h/"+name] = &fstest.MapFile{Data: []byte(data)}
	}
	for _, describe := range []bool{true, false} {
		catalog, err := Scan(t.Context(), fsys, Options{Templates: index, Describe: describe})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string][2]AboutOrigin{
			"front.md": {FrontMatter, FrontMatter}, "heading.md": {FirstHeading, TemplateField}, "side.md": {Sidecar, FrontMatter},
			"app.schema.json": {SchemaField, SchemaField}, "plain.txt": {Nowhere, TemplateField}, "empty-title.md": {Nowhere, TemplateField},
			"image.png": {Nowhere, Sidecar},
		}
		for r := range catalog.All() {
			title, description := catalog.AboutOrigin(r)
			expected, ok := want[r.Name()]
			if !describe {
				expected = [2]AboutOrigin{Nowhere, TemplateField}
			} else if !ok {
				t.Errorf("%s is a resource", r.Name())
			}
			if got := [2]AboutOrigin{title, description}; got != expected {
				t.Errorf("describe %v: %s: %v, want %v", describe, r.Name(), got, expected)
			}
			if about := catalog.About(r); (about.Title == "") != (title == Nowhere) || (about.Description == "") != (description == Nowhere) {
				t.Errorf("%s: %+v comes from %v and %v", r.Name(), about, title, description)
			}
		}
	}
}
