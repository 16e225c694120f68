package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/mcp-docs-server/mcp-docs-server/"

// A row is what docs/design.md says of a package.
type row struct {
	layer int  // packages import only those of lower layers; 0: it is beside the program, and nothing imports it
	mcp   bool // it may know MCP
}

var (
	tableRow     = regexp.MustCompile("(?m)^\\| ?(\\d*) \\| `([^`]+)` \\| ?(MCP|) \\|.*\\|$")
	arrowsBlock  = regexp.MustCompile("(?s)\n```text imports\n(.*?)```\n")
	withoutFiles = []string{"templates", "matcher", "loader", "internal/library/contents", "internal/library/tools", "internal/mcp/server", "internal/author/clients"}
)

// readDesign returns the table of packages and the arrows of the diagram, from package to package.
func readDesign(t *testing.T, root fs.FS) (rows map[string]row, arrows [][2]string) {
	t.Helper()
	text, err := fs.ReadFile(root, "docs/design.md")
	if err != nil {
		t.Fatal(err)
	}
	rows = make(map[string]row)
	for _, m := range tableRow.FindAllStringSubmatch(string(text), -1) {
		layer := 0
		if m[1] != "" {
			if layer, err = strconv.Atoi(m[1]); err != nil || layer < 1 {
				t.Errorf("docs/design.md: the layer of %s is %q; it must be a number from 1", m[2], m[1])
			}
		}
		if _, twice := rows[m[2]]; twice {
			t.Errorf("docs/design.md: %s is in the table twice", m[2])
		}
		rows[m[2]] = row{layer, m[3] != ""}
	}
	block := arrowsBlock.FindStringSubmatch(string(text))
	if block == nil {
		t.Fatal("docs/design.md has no block of imports")
	}
	for line := range strings.Lines(block[1]) {
		var from []string
		for _, part := range strings.Split(strings.TrimSpace(line), " → ") {
			to := strings.Split(part, ", ")
			for _, f := range from {
				for _, imported := range to {
					arrows = append(arrows, [2]string{f, imported})
				}
			}
			from = to
		}
	}
	if len(rows) == 0 || len(arrows) == 0 {
		t.Fatalf("docs/design.md has %d packages and %d arrows", len(rows), len(arrows))
	}
	return rows, arrows
}

// TestImportsGoOneWay holds the packages and the diagram of docs/design.md to the code.
func TestImportsGoOneWay(t *testing.T) {
	root := os.DirFS("../..")
	rows, arrows := readDesign(t, root)
	imports := make(map[string]map[string]bool) // of each package that there is
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
		if imports[pkg] == nil {
			imports[pkg] = make(map[string]bool)
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
			if ours {
				imports[pkg][below] = true
			}
			switch {
			case ours && rows[below].layer == 0:
				t.Errorf("%s imports %s, which has no layer in docs/design.md", name, below)
			case ours && rows[pkg].layer != 0 && rows[below].layer >= rows[pkg].layer:
				t.Errorf("%s of layer %d imports %s of layer %d, which is not below it", name, rows[pkg].layer, below, rows[below].layer)
			case strings.HasPrefix(imported, "github.com/modelcontextprotocol/") && !rows[pkg].mcp:
				t.Errorf("%s imports %s: docs/design.md names the packages that know MCP", name, imported)
			case imported == "os" && slices.Contains(withoutFiles, pkg):
				t.Errorf("%s imports os: it knows no disk", name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range imports {
		if _, listed := rows[pkg]; !listed {
			t.Errorf("%s is not in the table of docs/design.md: give it a row with a layer above all that it imports", pkg)
		}
	}
	for pkg := range rows {
		if imports[pkg] == nil {
			t.Errorf("docs/design.md: there is no package %s", pkg)
		}
	}
	for _, a := range arrows {
		if !imports[a[0]][a[1]] {
			t.Errorf("docs/design.md: %s does not import %s, as the diagram has it", a[0], a[1])
		}
	}
}
