package goapi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// Bounds of the source of a package.
const (
	// bytes of a file; generated clients of cloud services have more than 1 MiB
	maxFile  = 2 << 20
	maxFiles = 2000 // source files
	// bytes of all files, which take about ten times as much memory as syntax trees
	maxSource = 16 << 20
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

// A Source is a package to describe.
type Source struct {
	FS           fs.FS
	Dir          string // the folder of the package in FS
	ImportPath   string
	GOOS, GOARCH string // "": of this program
	Page         string // the name of the first page
}

// ErrNone reports that a folder has no Go package.
var ErrNone = errors.New("has no Go package")

// Render describes the package, in at least one page. The result depends on nothing but the files and s.
func Render(ctx context.Context, s Source) (pages []dependencies.Page, err error) {
	defer func() {
		// The parser and the printer of the standard library are not made for hostile syntax.
		if r := recover(); r != nil {
			pages, err = nil, fmt.Errorf("cannot be described: %v", r)
		}
	}()
	s.GOOS, s.GOARCH = cmp.Or(s.GOOS, runtime.GOOS), cmp.Or(s.GOARCH, runtime.GOARCH)
	files, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	parsed, build, err := s.choose(ctx, set, files)
	if err != nil {
		return nil, err
	}
	var left []string
	for _, f := range files {
		if f.data == nil && len(left) < 10 {
			left = append(left, "`"+strings.Trim(f.name, "`")+"`")
		}
	}
	if err := embeddings(parsed); err != nil {
		return nil, err
	}
	pkg, err := doc.NewFromFiles(set, parsed, s.ImportPath)
	if err != nil {
		return nil, err
	}
	r := &renderer{ctx: ctx, set: set, pkg: pkg, parser: pkg.Parser(), importPath: s.ImportPath, page: s.Page}
	if build != s.GOOS+"/"+s.GOARCH {
		r.note = "These are the declarations for " + build + "."
	}
	if len(left) > 0 {
		r.note = strings.TrimSpace(r.note + " Not described, because of their size: " + strings.Join(left, ", ") + ".")
	}
	return r.render()
}

// A file is a source file.
type file struct {
	name string
	data []byte // nil: it is too large
}

// read reads the source files of the folder, by name. Of tests, it reads those with examples.
func (s Source) read(ctx context.Context) (files []file, err error) {
	entries, err := fs.ReadDir(s.FS, s.Dir)
	if err != nil {
		return nil, err
	}
	var total int64
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || name[0] == '_' || name[0] == '.' || !e.Type().IsRegular() {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(files) == maxFiles {
			break
		}
		f := file{name: name}
		if info, err := e.Info(); err == nil && info.Size() <= maxFile && total+info.Size() <= maxSource {
			if f.data, err = rootfs.ReadFile(s.FS, path.Join(s.Dir, name), maxFile); err != nil {
				return nil, err
			}
			total += int64(len(f.data))
		}
		if strings.HasSuffix(name, "_test.go") && !bytes.Contains(f.data, []byte("func Example")) {
			continue
		}
		files = append(files, f)
	}
	return files, nil
}

// choose parses the files of the first build that has any, and returns the name of the build.
func (s Source) choose(ctx context.Context, set *token.FileSet, files []file) ([]*ast.File, string, error) {
	contents := make(map[string][]byte, len(files))
	for _, f := range files {
		contents[f.name] = f.data
	}
	all := "all systems"
	for _, system := range []string{s.GOOS + "/" + s.GOARCH, "linux/amd64", "windows/amd64", "darwin/amd64", "js/wasm", all} {
		goos, goarch, _ := strings.Cut(system, "/")
		b := build.Context{
			GOOS: goos, GOARCH: goarch, CgoEnabled: true, Compiler: "gc", UseAllFiles: system == all,
			ToolTags: build.Default.ToolTags, ReleaseTags: build.Default.ReleaseTags,
			JoinPath: path.Join,
			OpenFile: func(name string) (io.ReadCloser, error) {
				return io.NopCloser(bytes.NewReader(contents[name])), nil
			},
		}
		var matching []file
		sources := 0
		for _, f := range files {
			if ok, err := b.MatchFile("", f.name); ok && err == nil && f.data != nil {
				matching = append(matching, f)
				if !strings.HasSuffix(f.name, "_test.go") {
					sources++
				}
			}
		}
		if sources == 0 {
			continue
		}
		parsed, err := parse(ctx, set, matching, path.Base(s.ImportPath))
		return parsed, system, err
	}
	return nil, "", ErrNone
}

// parse parses files and returns the files of one package: the package with the most files, where a package with the name of the folder counts
// twice. Files with mistakes are used as far as they can be understood.
func parse(ctx context.Context, set *token.FileSet, files []file, folder string) ([]*ast.File, error) {
	var all []*ast.File
	counts := make(map[string]int)
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		parsed, _ := parser.ParseFile(set, f.name, f.data, parser.ParseComments|parser.SkipObjectResolution)
		if parsed == nil || parsed.Name == nil || !parsed.Package.IsValid() {
			continue
		}
		test := strings.HasSuffix(f.name, "_test.go")
		tame(parsed, test)
		all = append(all, parsed)
		if !test {
			counts[parsed.Name.Name]++
		}
	}
	counts[folder] *= 2
	var name string
	for n, count := range counts {
		if count > 0 && cmp.Or(cmp.Compare(count, counts[name]), strings.Compare(name, n)) > 0 {
			name = n
		}
	}
	if name == "" {
		return nil, ErrNone
	}
	return slices.DeleteFunc(all, func(f *ast.File) bool {
		test := strings.HasSuffix(set.File(f.Package).Name(), "_test.go")
		return f.Name.Name != name && (!test || f.Name.Name != name+"_test")
	}), nil
}

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
				if len(field.Names) == 0 {
					ast.Inspect(field.Type, func(n ast.Node) bool {
						if name, ok := n.(*ast.Ident); ok {
							embedded[t.Name.Name] = append(embedded[t.Name.Name], name.Name)
						}
						return true
					})
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
