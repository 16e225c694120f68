package loader_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
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
	// resources/docs/guide/.draft.md: has a hidden name: .draft.md
	// resources/docs/private: an exclude pattern matches: docs/private
}

// No exported function, method, field or type of a public package has a type of an internal package.
func TestExportedTypes(t *testing.T) {
	for _, dir := range []string{"../templates", "../matcher", "../loader", "../problems"} {
		files := token.NewFileSet()
		seen := 0
		for _, name := range must.Get(filepath.Glob(dir + "/*.go"))(t) {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f := must.Get(parser.ParseFile(files, name, nil, parser.SkipObjectResolution))(t)
			internal := make(map[string]bool)
			for _, i := range f.Imports {
				if p := must.Get(strconv.Unquote(i.Path.Value))(t); strings.Contains(p, "/internal/") {
					internal[path.Base(p)] = true
				}
			}
			for _, node := range shown(f) {
				seen++
				ast.Inspect(node, func(n ast.Node) bool {
					if s, ok := n.(*ast.SelectorExpr); ok {
						if x, ok := s.X.(*ast.Ident); ok && internal[x.Name] {
							t.Errorf("%s shows %s.%s", files.Position(s.Pos()), x.Name, s.Sel)
						}
					}
					return true
				})
			}
		}
		if seen < 10 {
			t.Errorf("%s has %d exported names", dir, seen)
		}
	}
}

// shown returns the types in the exported declarations of a file: signatures, fields of structs, definitions, and given types of values.
func shown(f *ast.File) (types []ast.Node) {
	add := func(exported bool, n ast.Node) bool {
		if exported {
			types = append(types, n)
		}
		return false
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			return add(n.Name.IsExported(), n.Type)
		case *ast.TypeSpec:
			if _, ok := n.Type.(*ast.StructType); ok {
				return n.Name.IsExported()
			}
			return add(n.Name.IsExported(), n.Type)
		case *ast.ValueSpec:
			return add(n.Type != nil && n.Names[0].IsExported(), n.Type)
		case *ast.Field:
			return add(n.Names == nil || n.Names[0].IsExported(), n.Type)
		}
		return true
	})
	return types
}
