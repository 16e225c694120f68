package loader_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

func Example() {
	project := fstest.MapFS{
		"resources/templates.json": {Data: []byte(`[
			{"uriTemplate": "config://schemas/{filename}", "name": "Schemas", "mimeType": "application/schema+json"}
		]`)},
		"resources/config/schemas/app.schema.json": {Data: []byte(`{"type": "object"}`)},
		"resources/docs/guide/été.md":              {Data: []byte("# Summer\n")},
		"resources/docs/guide/.draft.md":           {Data: []byte("hidden\n")},
	}

	data, err := project.ReadFile(loader.TemplatesFile)
	if err != nil {
		fmt.Println(err)
		return
	}
	entries, problems := templates.Decode(loader.TemplatesFile, data)
	if err := problems.Err(); err != nil {
		fmt.Println(err)
		return
	}
	index, _ := matcher.New(loader.TemplatesFile, entries)
	catalog, err := loader.Scan(context.Background(), project, loader.Options{Templates: index})
	if err != nil {
		fmt.Println(err)
		return
	}
	for r := range catalog.All() {
		name := "no template"
		if entry, ok := r.Template(); ok {
			name = entries[entry].Name
		}
		fmt.Printf("%s, %s, %s\n", r.URI(), catalog.MIME(r), name)
	}
	// Output:
	// config://schemas/app.schema.json, application/schema+json, Schemas
	// docs://guide/%C3%A9t%C3%A9.md, text/markdown, no template
}

func ExampleRescan() {
	project := fstest.MapFS{"resources/docs/guide/a.md": {Data: []byte("a\n")}}
	before, err := loader.Scan(context.Background(), project, loader.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	project["resources/docs/guide/b.md"] = &fstest.MapFile{Data: []byte("b\n")}
	after, err := loader.Rescan(context.Background(), before, loader.Changes{Dirs: []string{"resources/docs/guide"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(before.Len(), after.Len())
	// Output: 1 2
}

func ExampleExplain() {
	project := fstest.MapFS{
		"resources/docs/guide/setup.md":     {Data: []byte("# Setup\n")},
		"resources/docs/guide/.draft.md":    {Data: []byte("# Draft\n")},
		"resources/docs/private/secrets.md": {Data: []byte("# Secrets\n")},
	}
	options := loader.Options{Exclude: []string{"docs/private"}}
	for _, path := range []string{
		"resources/docs/guide/setup.md",
		"resources/docs/guide/.draft.md",
		"resources/docs/private/secrets.md",
	} {
		e, err := loader.Explain(context.Background(), project, options, path)
		switch {
		case err != nil:
			fmt.Println(err)
		case e.Cause == loader.Served:
			fmt.Println(e.Resource.URI())
		default:
			fmt.Println(e)
		}
	}
	// Output:
	// docs://guide/setup.md
	// resources/docs/guide/.draft.md: a name that starts with "." is hidden: .draft.md
	// resources/docs/private: an exclude pattern matches: docs/private
}
