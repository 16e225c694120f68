package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

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

const leftNotes = "1 vendored or built folder (list --hidden shows them)\n"

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
	const agents = "…0 Markdown files are served; 1 is not: 1 for coding agents…"
	rows(t,
		row{"list agents", 1, "", agents}, row{"check agents", 1, "…left out: 1 for coding agents…", ""},
		row{"list elsewhere", 1, "", "…0 Markdown files are served; 1 is not: 1 elsewhere…--docs FOLDER…"},
		row{"list --hidden elsewhere", 0, "…is outside of docs/\n", "…"},
		row{"check elsewhere", 1, "…1 elsewhere…", ""},
		row{"list docs links", 0, "a.md\n", "…1 Markdown file is served; 3 are not: 1 link that leads outside, 1 link to nothing, 1 vendored or built folder (list --hidden shows them)…"},
		row{"list --hidden links", 0, "…dead.md  link-refused: …node_modules  not-published: is vendored…out  link-refused: …", "…"},
		row{"check --strict links", 1, "…out: is not served: is a link that leads out of the project folder…2 warnings…", ""})
	for dir, want := range map[string]string{"agents": "--docs FOLDER", "none": "below resources/", "links": "is a link to something that is not there"} {
		runUntil(t, handshakeLines, []string{want}, "serve", dir)
	}
	if _, _, errs := runUntil(t, handshakeLines, []string{"below resources/"}, "serve", "--docs=.", "none"); strings.Contains(errs, "--docs") {
		t.Errorf("serve --docs=.: %q", errs)
	}
}
