package npm

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
)

// tree writes files into a new folder. A text that begins with "-> " is a link.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	must.Do(t, os.CopyFS(root, given.Texts(files)))
	return root
}

// find finds the packages of a project, one line each, and the warnings.
func find(t *testing.T, dir string, o dependencies.Options) (lines []string) {
	t.Helper()
	found := open(t, dir, o)
	for _, p := range found.Packages {
		line := p.String()
		if !p.Direct {
			line += " indirect"
		}
		if p.Missing != "" {
			line = p.Absence()
		} else {
			for _, d := range p.Documents {
				line += " " + d.Path
			}
		}
		if p.Locked != "" {
			line += " (" + p.Difference() + ")"
		}
		lines = append(lines, line)
	}
	for _, n := range found.Notices {
		lines = append(lines, fmt.Sprint(n.Path, ": ", n.Reason))
	}
	return lines
}

func open(t *testing.T, dir string, o dependencies.Options) *dependencies.Found {
	t.Helper()
	files := must.Get(rootfs.Open(dir))(t)
	t.Cleanup(func() { files.Close() })
	o.Files, o.Dir = files, dir
	found := must.Get(Find(context.Background(), o))(t)
	t.Cleanup(found.Close)
	return found
}

// installed are files of packages in node_modules.
func installed(files map[string]string, packages ...string) map[string]string {
	for _, p := range packages {
		place, version, _ := strings.Cut(p, " ")
		files[place+"/package.json"] = `{"version":"` + version + `"}`
		files[place+"/README.md"] = "# " + p + "\n"
	}
	return files
}

func TestFind(t *testing.T) {
	options := map[string]dependencies.Options{"everything": {All: true}, "above, only for an operator": {Outside: true}}
	for _, c := range given.Cases(t, "find.txt") {
		t.Run(c.Name, func(t *testing.T) {
			place := strings.TrimSpace(c.Files["DIR"])
			packages := strings.FieldsFunc(c.Files["INSTALLED"], func(r rune) bool { return r == '\n' })
			delete(c.Files, "DIR")
			delete(c.Files, "INSTALLED")
			got := find(t, filepath.Join(tree(t, installed(c.Files, packages...)), place), options[c.Name])
			must.Equal(t, c.Text, strings.Join(got, "\n"), "packages")
		})
	}
}

func TestStamp(t *testing.T) {
	dir := tree(t, installed(map[string]string{"package.json": `{"dependencies":{"a":"*"}}`, "package-lock.json": `{"packages":{}}`}, "node_modules/a 1.0.0"))
	found := open(t, dir, dependencies.Options{})
	before := found.Stamp()
	if before != found.Stamp() {
		t.Error("the stamp changes by itself")
	}
	for _, name := range []string{"package-lock.json", "node_modules/.package-lock.json", "package.json"} {
		must.Write(t, filepath.Join(dir, name), "changed")
		if found.Stamp() == before {
			t.Errorf("the stamp does not change with %s", name)
		}
		before = found.Stamp()
	}
}

func FuzzLocks(f *testing.F) {
	f.Add("a:\n  - b\n  c: 'd'\n\"x@1, y\":\n  version \"1\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, file := range lockFiles {
			l := &lock{file: file, versions: make(map[string]string)}
			file.parse(l, []byte(text)) // must not panic
		}
	})
}

// The API of a package comes from its own declarations, from its @types package, and from declarations that these export through the links of
// pnpm. Projects with the same files share it in the cache.
func TestTypes(t *testing.T) {
	files := map[string]string{
		"package.json":   `{"dependencies":{"a":"1","plain":"1"}}`,
		"node_modules/a": "-> .pnpm/a@1/node_modules/a",
		"node_modules/.pnpm/a@1/node_modules/a/package.json": `{"name":"a","version":"1.0.0","types":"a.d.ts"}`,
		"node_modules/.pnpm/a@1/node_modules/a/a.d.ts":       "export * from 'b'\nexport * from './link'\nexport * from '../../../../../secret'\nexport const own: 1",
		"node_modules/.pnpm/a@1/node_modules/a/link.d.ts":    "-> ../../../../../secret.d.ts",
		"node_modules/.pnpm/a@1/node_modules/b":              "-> ../../b@2/node_modules/b",
		"node_modules/.pnpm/b@2/node_modules/b/package.json": `{"name":"b","version":"2.0.0"}`,
		"node_modules/.pnpm/b@2/node_modules/b/index.d.ts":   "export const inner: 1",
		"secret.d.ts":                            "export const secret: 1",
		"node_modules/plain/package.json":        `{"version":"1.0.0","main":"x.js"}`,
		"node_modules/plain/api/index.md":        "# Own\n",
		"node_modules/@types/plain/package.json": `{"name":"@types/plain","version":"1.0.0"}`,
		"node_modules/@types/plain/index.d.ts":   "export const plain: 1",
	}
	cache := must.Get(dependencies.OpenCache(t.TempDir()))(t)
	defer cache.Close()
	describe := func(o dependencies.Options, cached bool) (texts string) {
		set := must.Get(dependencies.New(open(t, tree(t, files), o).Packages).Describe(t.Context(), cached))(t)
		for _, p := range set.Packages() {
			for _, d := range p.Documents {
				text, err := d.Read()
				if err != nil {
					t.Error(err)
				}
				texts += p.Name + "/" + d.Path + "\n" + string(text)
			}
		}
		return texts
	}
	want := describe(dependencies.Options{}, false)
	for _, part := range []string{"a/api/index.md\n# API of a\n", "## own\n", "## inner\n", "plain/api/index.md\n", "## plain\n", "come from `@types/plain`"} {
		if !strings.Contains(want, part) {
			t.Errorf("no %q in\n%s", part, want)
		}
	}
	if strings.Contains(want, "secret") {
		t.Errorf("a link leads out of the package:\n%s", want)
	}
	if got := describe(dependencies.Options{Cache: cache}, true); strings.Contains(got, "own") {
		t.Errorf("an empty cache has\n%s", got)
	}
	describe(dependencies.Options{Cache: cache}, false)
	must.Equal(t, want, describe(dependencies.Options{Cache: cache}, true), "another project gets")
	files["node_modules/.pnpm/b@2/node_modules/b/index.d.ts"] = "export const other: 1"
	if got := describe(dependencies.Options{Cache: cache}, true); strings.Contains(got, "inner") {
		t.Error("a project gets what was made of the files of another")
	}
}
