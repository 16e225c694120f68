package loader_test

import (
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

const module = "github.com/mcp-docs-server/mcp-docs-server"

// No exported function, field, method, constant, variable or alias of a public package uses a type
// of an internal package.
func TestExportedTypes(t *testing.T) {
	public := []string{"templates", "matcher", "loader"}
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}"}
	for _, name := range public {
		args = append(args, module+"/"+name)
	}
	out := must.Get(exec.CommandContext(t.Context(), "go", args...).Output())(t)
	compiled := make(map[string]string) // compiled file of each package
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "=")
		compiled[path] = file
	}
	imports := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(compiled[path]) })
	for _, name := range public {
		pkg := must.Get(imports.Import(module + "/" + name))(t)
		e := exported{seen: make(map[types.Type]bool)}
		for _, id := range pkg.Scope().Names() {
			if token.IsExported(id) {
				e.object(name+"."+id, pkg.Scope().Lookup(id))
				e.count++
			}
		}
		for _, found := range e.internal {
			t.Error(found)
		}
		if e.count < 10 {
			t.Errorf("%s exports only %d names", name, e.count)
		}
	}
}

// exported walks the exported names of a package.
type exported struct {
	seen     map[types.Type]bool
	count    int
	internal []string // places that use a type of an internal package
}

func (e *exported) object(where string, o types.Object) {
	if t, ok := o.(*types.TypeName); ok && !t.IsAlias() {
		e.named(where, t.Type().(*types.Named))
		return
	}
	e.walk(where, o.Type())
}

// named walks the fields and methods of a type that this package defines.
func (e *exported) named(where string, t *types.Named) {
	if e.seen[t] {
		return
	}
	e.seen[t] = true
	e.walk(where, t.Underlying())
	for method := range types.NewMethodSet(types.NewPointer(t)).Methods() {
		if method.Obj().Exported() {
			e.walk(where+"."+method.Obj().Name(), method.Type())
		}
	}
}

func (e *exported) walk(where string, t types.Type) {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			e.walk(where, arg)
		}
		switch pkg := t.Obj().Pkg(); {
		case pkg == nil:
		case strings.Contains(pkg.Path()+"/", "/internal/"):
			e.internal = append(e.internal, fmt.Sprintf("%s has the type %s", where, t))
		case strings.HasPrefix(pkg.Path(), module) && !t.Obj().Exported():
			e.named(where, t) // callers can reach its exported fields and methods
		}
	case *types.Map:
		e.walk(where, t.Key())
		e.walk(where, t.Elem())
	case interface{ Elem() types.Type }: // a pointer, slice, array or channel
		e.walk(where, t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() || f.Embedded() {
				e.walk(where+"."+f.Name(), f.Type())
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			e.walk(where+"."+m.Name(), m.Type())
		}
	case *types.Signature:
		for v := range t.Params().Variables() {
			e.walk(where, v.Type())
		}
		for v := range t.Results().Variables() {
			e.walk(where, v.Type())
		}
	}
}
