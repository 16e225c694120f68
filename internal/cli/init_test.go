package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

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
	must.Equal(t, before, filesBelow(t, dir), "the second time changes files")
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
		must.Equal(t, test.want, added, test.tree)
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

// vault makes a folder of notes: three folders, none of which is named as documentation usually is.
func vault(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, folder := range []string{"areas", "daily", "vendor/x"} {
		must.Do(t, os.MkdirAll(filepath.Join(dir, folder), 0o755))
		for i := range 3 {
			text := fmt.Sprintf("# Note %d of %s\n", i, folder)
			must.Write(t, filepath.Join(dir, folder, fmt.Sprintf("note %d.md", i)), text)
		}
	}
	return dir
}

const leftNotes = "1 vendored or built (list --hidden shows them)\n"

// A first folder of notes is served to its author, each command says what is left out, and init keeps what is served.
func TestNotes(t *testing.T) {
	dir := vault(t)
	t.Chdir(dir)
	for range 2 { // without a configuration, and with the one that init writes
		rows(t,
			row{"list docs . --docs=", 0, "…", "…6 Markdown files are served; 1 is not: " + leftNotes},
			row{"list", 0, "", "…clients get 6 documents\nmcp-docs-server: left out: " + leftNotes},
			row{"list --hidden", 0, "…vendor  not-published…", ""},
			row{"check", 0, "…left out: " + leftNotes + "…", ""})
		if n := strings.Count(line(t, "list docs").out, "\n"); n != 6 {
			t.Errorf("%d documents", n)
		}
		if _, _, errs := runUntil(t, handshakeLines, []string{"left out: " + leftNotes}, "serve", dir); strings.Count(errs, "serving 6 documents") != 1 || strings.Contains(errs, "6 Markdown") || strings.Contains(errs, "does not exist") {
			t.Errorf("serve: %q", errs)
		}
		line(t, "init").ends(0).hides("index.md", "prompts")
	}
}

// Nobody publishes notes by a guess.
func TestNotesForOthers(t *testing.T) {
	t.Chdir(vault(t))
	const all = `to publish all, write "docs": "."`
	if s := line(t, "publish -n").ends(1).complains(`needs keys that are missing; write {"package": `, all); strings.Count(s.errs, "\n") != 2 { // all that is missing, at once
		t.Error(s.errs)
	}
	for docs, code := range map[string]int{"": 1, `, "docs": "."`: 0, `, "docs": "daily"`: 0} {
		must.Write(t, "mcp-docs-server.json", `{"name": "Notes", "package": "@me/notes", "version": "1.0.0"`+docs+"}")
		if s := line(t, "publish -n").ends(code); code > 0 {
			s.complains("(6, in no folder for documentation): " + all)
		}
	}
}

// What is not served of the Markdown is counted and named. If that is all, listing and checking fail.
func TestMarkdownThatIsNotServed(t *testing.T) {
	t.Chdir(given.Folder(t, "agents/AGENTS.md=# A\n", "none/", "elsewhere/notes/n.md=# N\n", "elsewhere/docs/x.csv=", `elsewhere/mcp-docs-server.json={"docs": "docs"}`,
		"links/a.md=# A\n", "links/node_modules/x/b.md=# A\n", "links/out->../agents", "links/dead.md->gone.md", "links/x.png->gone.png"))
	rows(t, transcript(t, "list-left-out.txt")...)
	for dir, want := range map[string]string{"agents": "--docs FOLDER", "none": "below resources/", "links": "is a link to something that is not there"} {
		runUntil(t, handshakeLines, []string{want}, "serve", dir)
	}
	if _, _, errs := runUntil(t, handshakeLines, []string{"below resources/"}, "serve", "--docs=.", "none"); strings.Contains(errs, "--docs") {
		t.Errorf("serve --docs=.: %q", errs)
	}
}
