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

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

const module = "github.com/mcp-docs-server/mcp-docs-server/"

var (
	wingRow = regexp.MustCompile("(?m)^\\| ?(\\d*) \\| `([^`]+)` \\| .* \\|$")

	// These packages may import the MCP SDK.
	mcpPackages = []string{"internal/dev", "internal/mcp", "internal/protocol"}

	// These packages read an fs.FS or nothing, and never the disk.
	diskless = []string{"loader", "matcher", "templates", "internal/author/clients", "internal/library/contents", "internal/library/tools", "internal/mcp/server"}
)

// readWings returns the layer of each wing in docs/design.md; layer 0 is for programs that nothing imports.
func readWings(t *testing.T, root fs.FS) map[string]int {
	t.Helper()
	text, err := fs.ReadFile(root, "docs/design.md")
	must.Do(t, err)
	wings := make(map[string]int)
	for _, m := range wingRow.FindAllStringSubmatch(string(text), -1) {
		layer := 0
		if m[1] != "" {
			if layer, err = strconv.Atoi(m[1]); err != nil || layer < 1 {
				t.Errorf("docs/design.md: the layer of %s is %q; it must be a number from 1", m[2], m[1])
			}
		}
		if _, twice := wings[m[2]]; twice {
			t.Errorf("docs/design.md: %s has two rows", m[2])
		}
		wings[m[2]] = layer
	}
	if len(wings) == 0 {
		t.Fatal("docs/design.md has no table of wings")
	}
	return wings
}

// inside reports whether pkg is dir or lies below it.
func inside(pkg, dir string) bool { return pkg == dir || strings.HasPrefix(pkg, dir+"/") }

// wingOf returns the wing with the longest name that pkg lies in, or "".
func wingOf(wings map[string]int, pkg string) string {
	longest := ""
	for name := range wings {
		if inside(pkg, name) && len(name) > len(longest) {
			longest = name
		}
	}
	return longest
}

// TestImportsGoOneWay compares the table of wings in docs/design.md with the imports of the code,
// without the imports of tests.
func TestImportsGoOneWay(t *testing.T) {
	root := os.DirFS("../..")
	wings := readWings(t, root)
	documented := make(map[string]bool) // directories with a package comment
	used := make(map[string]bool)       // wings with at least one package
	must.Do(t, fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && name != ".") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		src, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		pkg := path.Dir(name)
		wing := wingOf(wings, pkg)
		if wing == "" {
			t.Errorf("%s lies in no wing: give the wing a row in docs/design.md, with a number above all that it imports", name)
		}
		used[wing] = true
		documented[pkg] = documented[pkg] || file.Doc != nil
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			local, ours := strings.CutPrefix(imported, module)
			target := wingOf(wings, local)
			switch {
			case ours && target != wing && wings[target] == 0:
				t.Errorf("%s imports %s, which is for developers only", name, local)
			case ours && target != wing && wings[wing] != 0 && wings[target] >= wings[wing]:
				t.Errorf("%s: %s of layer %d imports %s of layer %d, which is not below it", name, wing, wings[wing], target, wings[target])
			case strings.HasPrefix(imported, "github.com/modelcontextprotocol/") && !slices.ContainsFunc(mcpPackages, func(dir string) bool { return inside(pkg, dir) }):
				t.Errorf("%s imports %s: docs/design.md names the packages that may", name, imported)
			case imported == "os" && slices.Contains(diskless, pkg):
				t.Errorf("%s imports os, but the package must not read the disk", name)
			}
		}
		return nil
	}))
	for name := range wings {
		if !used[name] {
			t.Errorf("docs/design.md lists no wing %s", name)
		}
		if !documented[name] && name != "cmd/mcp-docs-server" {
			t.Errorf("%s has no package comment: say in %s/doc.go what belongs there", name, name)
		}
	}
	entries := must.Get(fs.ReadDir(root, "internal"))(t)
	if len(entries) > 13 {
		t.Errorf("internal has %d entries: at most 13 wings can be held in mind", len(entries))
	}
	for _, entry := range entries {
		if _, listed := wings["internal/"+entry.Name()]; !listed {
			t.Errorf("internal/%s has no row in docs/design.md", entry.Name())
		}
	}
}

// TestRooms compares the tables of docs/design.md that say where something is added with the tree: each file and folder exists, and
// the Go files of a room have each of its names as a string.
func TestRooms(t *testing.T) {
	root := os.DirFS("../..")
	text := must.Get(fs.ReadFile(root, "docs/design.md"))(t)
	for _, m := range regexp.MustCompile("`((?:cmd|docs|examples|internal|loader|matcher|test)/[\\w./-]*)`").FindAllStringSubmatch(string(text), -1) {
		if _, err := fs.Stat(root, strings.TrimSuffix(m[1], "/")); err != nil {
			t.Errorf("docs/design.md: %v", err)
		}
	}
	name := regexp.MustCompile("`(?:--)?([^`]+)`")
	rows := regexp.MustCompile("(?m)^\\| (command|flag|tool|file|client|rule)[^|]* \\| (.+) \\| `(.+)` \\|$").FindAllStringSubmatch(string(text), -1)
	for _, m := range rows {
		code := sourceOf(t, root, m[3])
		for _, n := range name.FindAllStringSubmatch(m[2], -1) {
			if !regexp.MustCompile("[\"`](?:[^\"`\n]*/)?" + regexp.QuoteMeta(n[1]) + "[\"` |]").MatchString(code) {
				t.Errorf("docs/design.md: %s has no %s %q", m[3], m[1], n[1])
			}
		}
	}
	if len(rows) < 20 {
		t.Errorf("docs/design.md has %d rows", len(rows))
	}
}

// sourceOf returns the Go files in a folder and its sub-folders, without tests.
func sourceOf(t *testing.T, root fs.FS, folder string) string {
	t.Helper()
	var code strings.Builder
	err := fs.WalkDir(root, folder, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		data, err := fs.ReadFile(root, name)
		code.Write(data)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return code.String()
}
