package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	for range 2 { // without a configuration, and with the one that init writes
		if _, out, errs := run(t, nil, "list", "docs", "--docs=", dir); strings.Count(out, "\n") != 6 || !strings.HasSuffix(errs, "6 Markdown files are served; 1 is not: "+leftNotes) {
			t.Errorf("list docs: %q, %q", out, errs)
		}
		if code, out, errs := run(t, nil, "list", dir); code != 0 || out != "" || !strings.HasSuffix(errs, "clients get 6 documents\nmcp-docs-server: left out: "+leftNotes) {
			t.Errorf("list: %d, %q, %q", code, out, errs)
		}
		try(t, "list", "--hidden", dir).prints("vendor  not-published")
		try(t, "check", dir).ends(0).prints("left out: " + leftNotes)
		if _, _, errs := runUntil(t, handshakeLines, []string{"left out: " + leftNotes}, "serve", dir); strings.Count(errs, "serving 6 documents") != 1 || strings.Contains(errs, "6 Markdown") || strings.Contains(errs, "does not exist") {
			t.Errorf("serve: %q", errs)
		}
		try(t, "init", dir).ends(0).hides("index.md", "prompts")
	}
}

// Nobody publishes notes by a guess.
func TestNotesForOthers(t *testing.T) {
	dir := vault(t)
	code, _, errs := run(t, nil, "publish", "--dry-run", dir) // all that is missing, at once
	if code != 1 || !strings.Contains(errs, `needs keys that are missing; write {"package": `) || !strings.Contains(errs, `to publish all, write "docs": "."`) || strings.Count(errs, "\n") != 2 {
		t.Errorf("publish: %d, %q", code, errs)
	}
	settings := `{"name": "Notes", "package": "@me/notes", "version": "1.0.0"`
	publish := func(more string) (code int, errs string) {
		must.Write(t, filepath.Join(dir, "mcp-docs-server.json"), settings+more+"}")
		code, _, errs = run(t, nil, "publish", "--dry-run", dir)
		return code, errs
	}
	if code, errs := publish(""); code != 1 || !strings.Contains(errs, `(6, in no folder for documentation): to publish all, write "docs": "."`) {
		t.Errorf("publish: %d, %q", code, errs)
	}
	for _, more := range []string{`, "docs": "."`, `, "docs": "daily"`} {
		if code, errs := publish(more); code != 0 {
			t.Errorf("publish with %s: %d, %q", more, code, errs)
		}
	}
}

// Markdown of which nothing is served is a failure that says why.
func TestNothingOfTheMarkdownIsServed(t *testing.T) {
	dir := t.TempDir()
	must.Write(t, filepath.Join(dir, "AGENTS.md"), "# A\n")
	const left = "0 Markdown files are served; 1 is not: 1 for coding agents"
	try(t, "list", dir).ends(1).printsOnly("").complains(left)
	try(t, "check", dir).ends(1).prints("left out: 1 for coding agents")
	if _, _, errs := runUntil(t, handshakeLines, []string{"below resources/"}, "serve", "--docs=.", t.TempDir()); strings.Contains(errs, "--docs") {
		t.Errorf("serve --docs=.: %q", errs)
	}
	if _, _, errs := runUntil(t, handshakeLines, []string{"name it"}, "serve", dir); !strings.Contains(errs, left) || !strings.Contains(errs, "--docs FOLDER") {
		t.Errorf("serve: %q", errs)
	}
}

// Links that are not followed and packages are counted, named and, for links, reported.
func TestLinksOutOfNotes(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.md", "node_modules/x/b.md"} {
		must.Write(t, filepath.Join(dir, name), "# A\n")
	}
	for name, target := range map[string]string{"out": t.TempDir(), "dead.md": "gone.md", "x.png": "gone.png"} {
		must.Do(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	const left = "1 Markdown file is served; 3 are not: 1 link that leads outside, 1 link to nothing, 1 vendored or built folder (list --hidden shows them)"
	try(t, "list", "docs", dir).printsOnly("a.md\n").complains(left)
	try(t, "list", "--hidden", dir).prints("dead.md  link-refused: ", "out  link-refused: ", "node_modules  not-published: is vendored")
	try(t, "check", "--strict", dir).ends(1).prints("out: is not served: is a link that leads out of the project folder", "2 warnings")
	if _, _, errs := runUntil(t, handshakeLines, []string{"dead.md"}, "serve", dir); !strings.Contains(errs, "is a link to something that is not there") {
		t.Errorf("serve: %q", errs)
	}
}

// Markdown outside of a configured folder that has none is named.
func TestMarkdownElsewhere(t *testing.T) {
	dir := t.TempDir()
	must.Write(t, filepath.Join(dir, "notes", "n.md"), "# N\n")
	must.Write(t, filepath.Join(dir, "docs", "x.csv"), "")
	must.Write(t, filepath.Join(dir, "mcp-docs-server.json"), `{"name": "N", "package": "n", "version": "1.0.0", "docs": "docs"}`)
	try(t, "list", dir).ends(1).complains("0 Markdown files are served; 1 is not: 1 elsewhere", "--docs FOLDER")
	try(t, "list", "--hidden", dir).prints("is outside of docs/")
	try(t, "check", dir).ends(1).prints("1 elsewhere")
}

// A document of another language is not said to be searched.
func TestExplainOtherLanguage(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"en/a.md", "fr/a.md"} {
		must.Write(t, filepath.Join(dir, name), "# A\n")
	}
	try(t, "explain", "fr/a.md", dir).prints("lists and search show another language or version, unless they are asked for fr")
}
