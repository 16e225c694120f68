package loader_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

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
