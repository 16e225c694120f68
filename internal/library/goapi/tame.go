package goapi

import (
	"errors"
	"go/ast"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// Bounds of declarations.
const (
	maxDepth    = 200     // levels of a syntax tree
	maxValue    = 300     // bytes of source of a value; longer ones are "…"
	maxSum      = 1000    // bytes of source of an expression with an operator
	maxEmbeds   = 100_000 // ways on which types of a package embed others
	elsewhere   = "…"     // stands for what is left out
	maxExample  = 8 << 10 // bytes of source of an example
	maxExamples = 500     // of a file; go/doc compares each with all declarations
)

// notExample matches names of functions in files of tests whose bodies are not shown.
var notExample = lazyregexp.New(`^(Test|Benchmark|Fuzz)`)

// tame removes declarations and bodies from a file that the text does not need, and code for which the standard library
// needs much time. The bodies of functions of tests stay, because they may be examples.
func tame(f *ast.File, test bool) {
	examples := 0
	f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool {
		switch d := d.(type) {
		case *ast.BadDecl:
			return true
		case *ast.FuncDecl:
			if !test || notExample().MatchString(d.Name.Name) {
				d.Body = nil
			} else if strings.HasPrefix(d.Name.Name, "Example") {
				if examples++; examples > maxExamples {
					return true
				}
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					shorten(v.Values)
				}
			}
		}
		return !simple(d)
	})
}

// shorten replaces long values.
func shorten(values []ast.Expr) {
	for i, v := range values {
		if v.End()-v.Pos() > maxValue {
			values[i] = &ast.Ident{NamePos: v.Pos(), Name: elsewhere}
		}
	}
}

// simple reports whether a declaration can be printed in linear time and on a small stack.
func simple(d ast.Decl) bool {
	depth, ok := 0, true
	ast.Inspect(d, func(n ast.Node) bool {
		if n == nil {
			depth--
			return false
		}
		depth++
		if sum, is := n.(*ast.BinaryExpr); depth > maxDepth || is && sum.End()-sum.Pos() > maxSum {
			ok = false
		}
		if !ok { // Inspect does not call again for n
			depth--
		}
		return ok
	})
	return ok
}

// embeddings returns an error if go/doc would follow too many ways from types to the types that they embed.
func embeddings(files []*ast.File) error {
	embedded := make(map[string][]string)
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			t, ok := n.(*ast.TypeSpec)
			if !ok {
				_, isFunc := n.(*ast.FuncDecl)
				return !isFunc
			}
			var fields *ast.FieldList
			switch t := t.Type.(type) {
			case *ast.StructType:
				fields = t.Fields
			case *ast.InterfaceType:
				fields = t.Methods
			}
			if fields == nil {
				return false
			}
			for _, field := range fields.List {
				if name := baseType(field.Type); len(field.Names) == 0 && name != "" {
					embedded[t.Name.Name] = append(embedded[t.Name.Name], name)
				}
			}
			return false
		})
	}
	steps := 0
	visited := make(map[string]bool)
	var follow func(name string)
	follow = func(name string) {
		visited[name] = true
		for _, e := range embedded[name] {
			if steps++; steps > maxEmbeds {
				break
			}
			if !visited[e] {
				follow(e)
			}
		}
		delete(visited, name)
	}
	for name := range embedded {
		follow(name)
	}
	if steps > maxEmbeds {
		return errors.New("cannot be described: its types embed each other in too many ways")
	}
	return nil
}

// baseType returns the name of the type of an embedded field in the same package, or "".
func baseType(x ast.Expr) string {
	for {
		switch t := x.(type) {
		case *ast.Ident:
			return t.Name
		case *ast.ParenExpr:
			x = t.X
		case *ast.StarExpr:
			x = t.X
		case *ast.IndexExpr:
			x = t.X
		case *ast.IndexListExpr:
			x = t.X
		default:
			return ""
		}
	}
}
