package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/mcp-docs-server/mcp-docs-server/"

// layers are the packages that others may import, the lowest first: imports only go down.
var layers = [][]string{
	{"internal/mtime", "internal/fserr", "internal/frontmatter", "internal/current", "templates/problems", "internal/metrics", "internal/serverlog"},
	{"internal/uri", "internal/nearest", "internal/rootfs", "internal/jsonwire", "internal/media", "internal/publish/bundle"},
	{"internal/jsondoc", "internal/clients", "internal/excerpt", "internal/publish/executable", "internal/publish/registry", "internal/publish/guard", "internal/publish/licences", "internal/glob", "internal/gate", "internal/follow"},
	{"internal/hints"},
	{"templates", "internal/config", "internal/auth", "internal/certificate", "internal/publish/mcpb", "internal/publish/oci", "internal/publish/npm"},
	{"matcher", "internal/about"},
	{"loader"},
	{"internal/docs", "internal/prompts", "internal/notify", "internal/watch"},
	{"internal/publish/pack", "internal/protocol"},
	{"internal/contents"},
	{"internal/tools"},
	{"internal/server", "internal/stdio", "internal/streamable"},
	{"internal/project", "internal/web"},
	{"internal/cli"},
	{"cmd/mcp-docs-server"},
}

// outside are packages beside the program: generators and examples, which nothing imports.
var outside = []string{"internal/dev/bench", "internal/publish/licences/gen", "internal/media/gen", "internal/dev/release", "internal/dev/schemagen", "examples"}

// speakers are the packages that know MCP.
var speakers = []string{"internal/protocol", "internal/server", "internal/stdio", "internal/streamable", "internal/dev/bench"}

func layer(pkg string) int {
	return slices.IndexFunc(layers, func(l []string) bool { return slices.Contains(l, pkg) })
}

func TestImportsGoOneWay(t *testing.T) {
	root := os.DirFS("../..")
	seen := map[string]bool{}
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && name != ".") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		pkg := path.Dir(name)
		seen[pkg] = true
		if !slices.Contains(outside, pkg) && layer(pkg) < 0 {
			t.Errorf("%s is in no layer", pkg)
		}
		src, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			below, ours := strings.CutPrefix(imported, module)
			switch {
			case ours && slices.Contains(outside, below):
				t.Errorf("%s imports %s, which is outside the program", name, below)
			case ours && !slices.Contains(outside, pkg) && layer(below) >= layer(pkg):
				t.Errorf("%s imports %s, which is not below it", name, below)
			case strings.HasPrefix(imported, "github.com/modelcontextprotocol/") && !slices.Contains(speakers, pkg):
				t.Errorf("%s imports %s: only %s know MCP", name, imported, strings.Join(speakers, ", "))
			case imported == "os" && (pkg == "templates" || pkg == "matcher" || pkg == "loader" || pkg == "internal/contents" || pkg == "internal/tools" || pkg == "internal/server" || pkg == "internal/clients"):
				t.Errorf("%s imports os: it knows no disk", name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range layers {
		for _, pkg := range l {
			if !seen[pkg] {
				t.Errorf("there is no package %s", pkg)
			}
		}
	}
}
