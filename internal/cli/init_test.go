package cli

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// filesBelow returns the files of a folder with their texts.
func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := make(map[string]string)
	must.Do(t, fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			data, err := os.ReadFile(filepath.Join(dir, name))
			found[name] = string(data)
			return err
		}
		return err
	}))
	return found
}

// A new project can be listed, read, searched and served, and nothing in it is worth a warning.
func TestInit(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "above", "My project")
	code, out, errs := run(t, nil, "init", dir)
	if code != 0 || errs != "" || !strings.Contains(out, "written  "+filepath.Join(dir, "mcp-docs-server.json")+"\n") || strings.Count(out, "written  ") != 7 || strings.Count(out[strings.Index(out, "\nNext:\n"):], "mcp-docs-server ") != 3 {
		t.Fatalf("code %d, output %q, errors %q", code, out, errs)
	}
	before := filesBelow(t, dir)
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"list", dir}, "config://examples/app.json\n"},
		{[]string{"list", "--long", dir}, "template=\"config://"},
		{[]string{"read", "config://examples/app.json", dir}, before["resources/config/examples/app.json"]},
		{[]string{"search", "write", "documents", "--project", dir}, "docs/guides/documents.md:"},
		{[]string{"prompt", "explain", "topic=x", "--project", dir}, "user:\nconfig://examples/app.json (application/json)\n"},
		{[]string{"config", "claude-code", dir, "--package", "--command"}, "my-project"},
		{[]string{"publish", "--dry-run", dir}, "docs/guides/documents.md"},
	} {
		try(t, test.args...).ends(0).complainsOnly("").prints(test.want)
	}
	_, _, errs = runUntil(t, handshakeLines, []string{"(read in "}, "serve", dir)
	if !strings.Contains(errs, "serving 1 resource, 2 documents and 1 prompt from ") || strings.Count(errs, "\n") != 1 {
		t.Errorf("serve: %q", errs)
	}

	if code, out, errs := run(t, nil, "init", dir); code != 0 || errs != "" || strings.Contains(out, "written") || strings.Count(out, "kept     ") != 4 {
		t.Errorf("again: code %d, output %q, errors %q", code, out, errs)
	}
	if diff := cmp.Diff(before, filesBelow(t, dir)); diff != "" {
		t.Errorf("the second time changes files: %s", diff)
	}
}

// init keeps existing files and adds missing ones.
func TestInitAdds(t *testing.T) {
	const settings = `mcp-docs-server.json={"name": "Acme", "package": "@acme/docs", "version": "1.2.3", "docs": "manual"}`
	const schema = ".schemas/mcp-docs-server.schema.json"
	for _, test := range []struct {
		tree []string
		want []string // the added files, sorted
	}{
		{[]string{settings}, []string{"manual/guides/documents.md", "manual/index.md", "prompts/explain.md", "resources/config/examples/app.json", "resources/templates.json"}},
		{[]string{settings, "manual/a.md=# A", "prompts/", "resources/x/h/a=1"}, []string{"prompts/explain.md"}},
		{[]string{"docs/a.md=# A", "prompts/a.md=a", "resources/x/h/a=1"}, []string{schema, "mcp-docs-server.json"}},
		{[]string{"docs/a.md=# A", "prompts/a.md=a", "resources/x/h/a=1", schema + "={}"}, []string{"mcp-docs-server.json"}},
		{[]string{settings, "manual/a.md=# A", "prompts/a.md=a"}, []string{"resources/config/examples/app.json", "resources/templates.json"}},
	} {
		dir := given.Folder(t, test.tree...)
		before := filesBelow(t, dir)
		try(t, "init", dir).ends(0).complainsOnly("")
		var added []string
		for name, text := range filesBelow(t, dir) {
			if old, ok := before[name]; !ok {
				added = append(added, name)
			} else if old != text {
				t.Errorf("%q: %s has changed", test.tree, name)
			}
		}
		slices.Sort(added)
		if diff := cmp.Diff(test.want, added); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", test.tree, diff)
		}
		try(t, "list", dir).ends(0).complainsOnly("")
	}
}

func TestInitNames(t *testing.T) {
	for _, test := range []struct{ folder, manifest, name, pkg, version string }{
		{"My Docs", "", "My Docs", "my-docs", "0.1.0"},
		{"文", "", "文", "docs", "0.1.0"},
		{"x", `{"name": "@acme/app", "version": "2.1.0"}`, "x", "@acme/app", "2.1.0"},
		{"x", `{"name": "../evil", "version": "latest"}`, "x", "x", "0.1.0"},
		{"<&>", `{`, "<&>", "docs", "0.1.0"},
	} {
		if runtime.GOOS == "windows" && test.folder == "<&>" {
			continue // it has no such names
		}
		dir := filepath.Join(t.TempDir(), test.folder)
		must.Do(t, os.Mkdir(dir, 0o700))
		if test.manifest != "" {
			must.Write(t, filepath.Join(dir, "package.json"), test.manifest)
		}
		try(t, "init", dir).ends(0)
		var settings struct {
			Name, Package, Version string
			Describe               bool
		}
		must.Do(t, json.Unmarshal([]byte(textOf(t, filepath.Join(dir, "mcp-docs-server.json"))), &settings))
		if !settings.Describe || settings.Name != test.name || settings.Package != test.pkg || settings.Version != test.version {
			t.Errorf("%s: the settings are %+v", test.folder, settings)
		}
		try(t, "list", dir).ends(0).complainsOnly("")
	}
}

// The settings of a folder of notes name no package, so that nobody publishes notes by mistake, and offer docsResources.
func TestInitInNotes(t *testing.T) {
	t.Chdir(given.Folder(t, "garden.md=# Garden\n", "daily/monday.md=# Monday\n"))
	if s := line(t, "init").ends(0).complainsOnly(""); strings.Count(s.out, "written  ") != 2 {
		t.Error(s.out)
	}
	settings := textOf(t, "mcp-docs-server.json")
	if strings.Contains(settings, "package") || strings.Contains(settings, "version") || !strings.Contains(settings, `"docsResources": false`) {
		t.Errorf("the settings are %s", settings)
	}
	must.Write(t, "mcp-docs-server.json", `{"name": "notes", "docsResources": true}`)
	rows(t, row{"list", 0, "docs://notes/garden.md\ndocs://notes/daily/monday.md\n", ""})
}

func TestInitStaysInTheFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there")
	}
	outside := t.TempDir()
	dir := given.Folder(t, "prompts->"+outside)
	if try(t, "init", dir).ends(1).complains("prompts"); len(filesBelow(t, outside)) != 0 {
		t.Error("a file was written through a link")
	}
}
