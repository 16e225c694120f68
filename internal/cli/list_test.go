package cli

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/check"
	"github.com/mcp-docs-server/mcp-docs-server/internal/author/explain"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestList(t *testing.T) {
	t.Chdir(given.Folder(t, goodConfig, "resources/docs/v1/a.md=# A", "resources/docs/v2/b.txt=b", "resources/docs/.hidden=x", "resources/README.md=r",
		"docs/index.md=# I", "docs/guides/a.md=# A", "docs/data.csv=1", "docs/.draft.md=x", "prompts/p.md=Hello.", "prompts/notes.txt=n", "manual/b.md=# B"))
	for args, want := range map[string]string{
		"":                      "docs://v1/a.md\ndocs://v2/b.txt\n",
		"docs://v1/**":          "docs://v1/a.md\n",
		"**/*.txt":              "docs://v2/b.txt\n",
		"a.md .":                "docs://v1/a.md\ndocs/guides/a.md\n",
		"p*":                    "p\n",
		"*.{txt,md}":            "docs://v1/a.md\ndocs://v2/b.txt\ndocs/index.md\ndocs/guides/a.md\nmanual/b.md\n",
		"nothing://*":           "",
		"docs":                  "docs/index.md\ndocs/guides/a.md\nmanual/b.md\n",
		"docs docs/guides/*":    "docs/guides/a.md\n",
		"docs *.txt":            "",
		"docs . -d manual":      "b.md\n", // --docs names the folder of the documents, as for other commands
		"prompts":               "p\n",
		"tools":                 "searchAcme\nlist_resources\nread_resource\n",
		"skills --project none": "",
	} {
		must.Do(t, os.MkdirAll("none", 0o700))
		line(t, "list "+args).ends(0).printsOnly(want)
		var values []map[string]any
		if out := line(t, "list --json "+args).ends(0).out; json.Unmarshal([]byte(out), &values) != nil || len(values) != strings.Count(want, "\n") {
			t.Errorf("%s as JSON: %q", args, out)
		}
	}
	line(t, "list --hidden").ends(0).prints(".draft.md  hidden-name: ", ".hidden  hidden-name: ", "README.md  outside-schemes: ", "notes.txt  not-markdown: ")
}

// Bytes are written as they are, and long texts are cut.
func TestListAndRead(t *testing.T) {
	t.Chdir(given.Folder(t, `mcp-docs-server.json={"name": "Acme", "describe": true}`, "resources/x/h/a.md=# The \"A\"", "resources/x/h/a b.bin=\x00\xff", "resources/x/n=1", "wifi.md=# Wi-Fi\r\n",
		`resources/templates.json=[{"uriTemplate": "x://{h}/{n}.md", "name": "All", "description": "`+strings.Repeat("long ", 50)+`"}]`))
	rows(t,
		row{"list", 0, "x://n\nx://h/a%20b.bin\nx://h/a.md\n", ""},
		row{"list --long", 0, "…x://h/a%20b.bin  application/octet-stream\n…  x://h/a.md  text/markdown  template=\"x://{h}/{n}.md\"  title=\"The \\\"A\\\"\"  description=\"long long…", ""},
		row{"read 'x://h/a b.bin'", 0, "\x00\xff", ""},
		row{"read wifi.md", 0, "# Wi-Fi\r\n", ""},
		row{"read wify.md", 1, "", "…there is no document wify.md; did you mean wifi.md?\n"})
	if s := line(t, "list --long"); len(s.out) > 400 {
		t.Errorf("%d bytes: %s", len(s.out), s.out)
	}
}

// A broken prompt is an error that says so.
func TestBrokenPrompt(t *testing.T) {
	t.Chdir(given.Folder(t, goodConfig, "prompts/explain.md=---\narguments: {topic: }\n---\nExplain {{topic}}.", "prompts/bad.md=---\nargs: 1\n---\nBad", "resources/x/README.md=r", "resources/x/h/a=a"))
	broken := "…bad.md:2: error: the arguments must be a mapping from name to argument, or a list of arguments with a name; this file is not served\n"
	rows(t, row{"list prompts", 0, "explain\n", broken}, row{"prompt bad", 1, "", broken + "…"}, row{"prompt explain", 1, "", "…argument \"topic\" is required…"},
		row{"prompt explain topic=x", 0, "…", ""}, row{"read x://h/a", 0, "a", ""})
}

// A name with a line end cannot look like a line of the server on standard error.
func TestNamesForgeNoLines(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("names there have no line ends")
	}
	const forged = "a\nmcp-docs-server: forged"
	dir := given.Folder(t, goodConfig, "resources/x/h/a.md=# A", "skills/"+forged+"/SKILL.md=# No front matter")
	for _, folder := range []string{"resources", "docs"} {
		must.Do(t, os.MkdirAll(filepath.Join(dir, folder), 0o700))
		must.Do(t, os.Symlink("nowhere", filepath.Join(dir, folder, forged+".md")))
	}
	_, _, errs := runUntil(t, handshakeLines, []string{"SKILL.md", "docs", "link"}, "serve", dir)
	named := 0
	for line := range strings.Lines(errs) {
		if strings.HasPrefix(line, "mcp-docs-server: forged") || !strings.HasPrefix(line, command.LinePrefix) {
			t.Errorf("%q in\n%s", line, errs)
		}
		if strings.Contains(line, `a\nmcp-docs-server: forged`) {
			named++
		}
	}
	if named < 2 {
		t.Errorf("%d lines have the name:\n%s", named, errs)
	}
}

// Resources that are not files are listed, read and explained like files.
func TestOthers(t *testing.T) { rows(t, transcript(t, "others.txt")...) }

func TestExplain(t *testing.T) {
	dir := given.Folder(t, goodConfig, "resources/docs/v2/a.md=# A\n", "resources/docs/v2/.b.md=b", "docs/index.md=# Index", "prompts/p.md=Hello.", "en/a.md=# A", "fr/a.md=# A")
	t.Chdir(filepath.Join(dir, "docs"))
	for _, r := range append(transcript(t, "explain.txt", "$DIR", dir), row{"\x1b[31m", 1, "", "…there is no file or resource \"\\x1b[31m\"\n"}) {
		question := r.line
		r.line = "explain " + question + " .."
		rows(t, r)
		s := try(t, "explain", question, "..", "--json").ends(r.code).complainsOnly("")
		var a explain.Answer
		if err := json.Unmarshal([]byte(s.out), &a); err != nil || a.Served != (r.code == 0) {
			t.Errorf("%q as JSON: %v\n%s", question, err, s.out)
		}
	}
}

func TestCheck(t *testing.T) {
	rows(t, transcript(t, "check.txt", "bad/docs/index.md:", filepath.FromSlash("bad/docs/index.md:"), "bad/resources/x/h/empty:", filepath.FromSlash("bad/resources/x/h/empty:"),
		"torn/resources/templates.json:", filepath.FromSlash("torn/resources/templates.json:"))...)
	line(t, "check alias").hides("@made")
	var r check.Report
	s := line(t, "check --json bad").ends(1).complainsOnly("")
	if err := json.Unmarshal([]byte(s.out), &r); err != nil || r.Errors != 1 || r.Notes != 1 || r.Findings[0].Rule != check.BrokenLink || r.Findings[0].Line != 3 {
		t.Errorf("%v\n%s", err, s.out)
	}
}

func TestCheckShowsTenFindings(t *testing.T) {
	files := []string{goodConfig}
	for _, name := range strings.Split("abcdefghijkl", "") {
		files = append(files, "resources/x/h/"+name+"=")
	}
	dir := given.Folder(t, files...)
	if s := try(t, "check", dir).prints("and 2 more; --all prints them"); strings.Count(s.out, "is empty") != 10 {
		t.Error(s.out)
	}
	if s := try(t, "check", dir, "--all").hides("more"); strings.Count(s.out, "is empty") != 12 {
		t.Error(s.out)
	}
}

// Commands serve the documents of dependencies if the option or the configuration asks for them; publish never does.
func TestDependencies(t *testing.T) {
	cache := t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "LocalAppData", "HOME"} { // of Linux, Windows and macOS
		t.Setenv(name, cache)
	}
	files := []string{
		"package.json=" + `{"name": "acme", "dependencies": {"walrus": "^1", "bare": "*", "lost": "*"}}`, "docs/index.md=# Acme\n\nOur zoo.\n",
		"node_modules/walrus/package.json=" + `{"version": "1.2.0"}`, "node_modules/walrus/README.md=# Walrus\n\nHow to feed a walrus.\n",
		"node_modules/bare/package.json=" + `{"version": "1.0.0"}`,
	}
	without := given.Folder(t, append(files, goodConfig)...)
	configured := given.Folder(t, append(files, strings.Replace(goodConfig, "}", `, "deps": true}`, 1))...)
	alone := given.Folder(t, "package.json="+`{"name": "seal", "dependencies": {"seal": "1"}}`, "Cargo.toml=[package]\n",
		"node_modules/seal/package.json="+`{"version": "1.0.0"}`, "node_modules/seal/README.md=# Seal\n\nFeed seals.\n")
	folders := map[string]string{"without": without, "configured": configured, "alone": alone}
	for _, c := range given.Cases(t, "dependencies.txt") {
		project, command, _ := strings.Cut(c.Name, ": ")
		t.Chdir(folders[project])
		code := 0
		if _, fails := c.Files["exit 1"]; fails {
			code = 1
		}
		s := line(t, command).ends(code)
		for part := range strings.SplitSeq(c.Text, "\n") {
			part, unwanted := strings.CutPrefix(strings.ReplaceAll(part, "⏎", "\n"), "not: ")
			s.must(strings.Contains(s.out+s.errs, part) != unwanted, "prints", part)
		}
	}
}

// Over HTTP, a configuration does not open the documents of dependencies to others.
func TestDependenciesOverHTTP(t *testing.T) {
	t.Chdir(given.Folder(t, strings.Replace(goodConfig, "}", `, "deps": true}`, 1), "docs/index.md=# Acme\n"))
	const want = "deps has no effect over HTTP"
	line(t, "serve --http=127.0.0.1:0 --tls-cert=missing.pem --tls-key=missing.pem").complains(want)
}

// TestJSON checks the shapes that the pages of the commands document: standard output is one value
// with these keys, or an array of objects with these keys.
func TestJSON(t *testing.T) {
	home := homeFolder(t)
	dir := given.Folder(t, append(publishable, "resources/y/h/b.bin=\x00\x01")...)
	must.Write(t, filepath.Join(dir, "package.json"), `{"mcpName": "io.github.acme/docs", "description": "All about Acme"}`)
	site := webSite(t, map[string]string{"/": "<!doctype html><title>A</title><p>text"}) + "/"
	t.Chdir(dir)
	replace := strings.NewReplacer("$LOOPBACK", onLoopback, "$SITE", site, "$HOME", home).Replace
	for _, c := range given.Cases(t, "json.txt") {
		s := line(t, replace(c.Name)+" --json").ends(0)
		var value any
		if err := json.Unmarshal([]byte(s.out), &value); err != nil || keysOf(value) != c.Text {
			t.Errorf("%s: %v, keys %q, want %q, in\n%s", c.Name, err, keysOf(value), c.Text, s.out)
		}
	}
}

// keysOf returns the sorted keys of an object, or of the first one in an array.
func keysOf(value any) string {
	switch v := value.(type) {
	case map[string]any:
		return strings.Join(slices.Sorted(maps.Keys(v)), " ")
	case []any:
		if len(v) > 0 {
			return keysOf(v[0])
		}
	}
	return "[]"
}

// What commands print about files with hostile names cannot move the cursor, reorder a line or begin another one, and JSON is valid.
func TestHostileNames(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems have no such names")
	}
	const name = "resources/x/h/a\x1b[2J\xff\n::error::x.md"
	t.Chdir(given.Folder(t, goodConfig, "docs/a\u009b2J\u202e.md=[b](none\u202e.md)", "resources/x/h/b\u009b\u2066.md=# A\u202e"))
	must.Write(t, name, "")
	for _, args := range [][]string{{"list", "docs", "--json"}, {"list", "--json"}, {"check", "--json"}, {"check"}, {"check", "--format=github"}, {"explain", name}, {"explain", name, "--json"}} {
		_, out, errs := run(t, nil, args...)
		if strings.ContainsAny(out+errs, "\x1b\r\u009b\u202e\u2066\ufffd") || strings.Contains(out+errs, "\xff") || strings.Contains(out, "\n::error::x") || args[len(args)-1] == "--json" && !json.Valid([]byte(out)) {
			t.Errorf("%q: %q, errors %q", args, out, errs)
		}
	}
}

// In a project without resources, list says what the project has instead. Standard output contains
// only resources.
func TestListWithoutResources(t *testing.T) {
	t.Chdir(given.Folder(t, "none/", "elsewhere/subs/a.srt=x", "loose/resources/a.txt=x", "two/docs/a.md=# A", "two/docs/b.md=# B", "both/docs/a.md=# A", "both/prompts/p.md=Do.", "prompt/prompts/p.md=Do.", "some/resources/x/h/a=1", "some/docs/a.md=# A"))
	rows(t, transcript(t, "list-nothing.txt")...)
}
