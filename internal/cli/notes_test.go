package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// vault makes a folder of notes: three folders, none of which is named as documentation usually is.
func vault(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, folder := range []string{"areas", "daily", "vendor/x"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			text := fmt.Sprintf("# Note %d of %s\n", i, folder)
			if err := os.WriteFile(filepath.Join(dir, folder, fmt.Sprintf("note %d.md", i)), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
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
		if _, out, _ := run(t, nil, "list", "--hidden", dir); !strings.Contains(out, "vendor  not-published") {
			t.Errorf("list --hidden: %q", out)
		}
		if code, out, _ := run(t, nil, "check", dir); code != 0 || !strings.Contains(out, "left out: "+leftNotes) {
			t.Errorf("check: %d, %q", code, out)
		}
		if _, _, errs := runUntil(t, handshakeLines, []string{"left out: " + leftNotes}, "serve", dir); strings.Count(errs, "serving 6 documents") != 1 || strings.Contains(errs, "6 Markdown") || strings.Contains(errs, "does not exist") {
			t.Errorf("serve: %q", errs)
		}
		if code, out, errs := run(t, nil, "init", dir); code != 0 || strings.Contains(out, "index.md") || strings.Contains(out, "prompts") {
			t.Errorf("init: %d, %q, %q", code, out, errs)
		}
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
		if err := os.WriteFile(filepath.Join(dir, "mcp-docs-server.json"), []byte(settings+more+"}"), 0o600); err != nil {
			t.Fatal(err)
		}
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
	if err := os.WriteFile(filepath.Join(dir, "AGENTS.md"), []byte("# A\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const left = "0 Markdown files are served; 1 is not: 1 for coding agents"
	if code, out, errs := run(t, nil, "list", dir); code != 1 || out != "" || !strings.Contains(errs, left) {
		t.Errorf("list: %d, %q, %q", code, out, errs)
	}
	if code, out, _ := run(t, nil, "check", dir); code != 1 || !strings.Contains(out, "left out: 1 for coding agents") {
		t.Errorf("check: %d, %q", code, out)
	}
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
		put(t, filepath.Join(dir, name), "# A\n")
	}
	for name, target := range map[string]string{"out": t.TempDir(), "dead.md": "gone.md", "x.png": "gone.png"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	const left = "1 Markdown file is served; 3 are not: 1 link that leads outside, 1 link to nothing, 1 vendored or built folder (list --hidden shows them)"
	if _, out, errs := run(t, nil, "list", "docs", dir); out != "a.md\n" || !strings.Contains(errs, left) {
		t.Errorf("list docs: %q, %q", out, errs)
	}
	if _, out, _ := run(t, nil, "list", "--hidden", dir); !strings.Contains(out, "dead.md  link-refused: ") || !strings.Contains(out, "out  link-refused: ") || !strings.Contains(out, "node_modules  not-published: is vendored") {
		t.Errorf("list --hidden: %q", out)
	}
	if code, out, _ := run(t, nil, "check", "--strict", dir); code != 1 || !strings.Contains(out, "out: is not served: is a link that leads out of the project folder") || !strings.Contains(out, "2 warnings") {
		t.Errorf("check: %d, %q", code, out)
	}
	if _, _, errs := runUntil(t, handshakeLines, []string{"dead.md"}, "serve", dir); !strings.Contains(errs, "is a link to something that is not there") {
		t.Errorf("serve: %q", errs)
	}
}

// Markdown outside of a configured folder that has none is named.
func TestMarkdownElsewhere(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "notes", "n.md"), "# N\n")
	put(t, filepath.Join(dir, "docs", "x.csv"), "")
	put(t, filepath.Join(dir, "mcp-docs-server.json"), `{"name": "N", "package": "n", "version": "1.0.0", "docs": "docs"}`)
	if code, _, errs := run(t, nil, "list", dir); code != 1 || !strings.Contains(errs, "0 Markdown files are served; 1 is not: 1 elsewhere") || !strings.Contains(errs, "--docs FOLDER") {
		t.Errorf("list: %d, %q", code, errs)
	}
	if _, out, _ := run(t, nil, "list", "--hidden", dir); !strings.Contains(out, "is outside of docs/") {
		t.Errorf("list --hidden: %q", out)
	}
	if code, out, _ := run(t, nil, "check", dir); code != 1 || !strings.Contains(out, "1 elsewhere") {
		t.Errorf("check: %d, %q", code, out)
	}
}

// A document of another language is not said to be searched.
func TestExplainOtherLanguage(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"en/a.md", "fr/a.md"} {
		put(t, filepath.Join(dir, name), "# A\n")
	}
	if _, out, _ := run(t, nil, "explain", "fr/a.md", dir); !strings.Contains(out, "lists and search show another language or version, unless they are asked for fr") {
		t.Errorf("explain: %q", out)
	}
}
