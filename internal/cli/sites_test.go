package cli

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A repository with a generator is described in one line, and "init" keeps what was found.
func TestSites(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"docs/en/mkdocs.yml": "exclude_docs: parts/", "docs/en/docs/a.md": "# A\n", "docs/de/docs/a.md": "# A\n", "docs/en/docs/parts/a.md": "x", "README.md": "x", "docs/en/docs/sub/made/x.md": "x", ".gitignore": "made/\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	look := func(moment string) {
		t.Helper()
		for _, test := range []struct {
			args []string
			code int
			want string
			errs string
		}{
			{[]string{"list", "docs", "--all", dir}, 0, "a.md\ndocs/de/docs/a.md\n", "mcp-docs-server: 2 Markdown files are served; 2 are not: 2 unpublished (list --hidden shows them)\n"},
			{[]string{"list", "--hidden", dir}, 0, filepath.Join(dir, "docs/en/docs/parts/a.md") + "  not-published: is not published by MkDocs\n" + filepath.Join(dir, "docs/en/docs/sub/made") + "  ignored: is named by .gitignore\n", ""},
			{[]string{"explain", "docs/en/docs/sub/made/x.md", dir}, 1, "ignored: is named by .gitignore", ""},
			{[]string{"explain", "README.md", dir}, 1, "is not published by MkDocs: docs/en/mkdocs.yml publishes docs/en/docs/\n", ""},
			{[]string{"check", dir}, 0, "\nfound MkDocs in docs/en/docs/: 1 document, en of 2 languages\n", ""},
		} {
			if code, out, errs := run(t, nil, test.args...); code != test.code || errs != test.errs || !strings.Contains("\n"+out, test.want) {
				t.Errorf("%s: %q: code %d, output %q, errors %q", moment, test.args, code, out, errs)
			}
		}
	}
	look("detected")
	if code, out, errs := run(t, nil, "init", dir); code != 0 || errs != "" || !strings.Contains(out, "kept     "+dir) {
		t.Errorf("code %d, output %q, errors %q", code, out, errs)
	}
	settings, err := os.ReadFile(filepath.Join(dir, "mcp-docs-server.json"))
	if err != nil || !strings.Contains(string(settings), `"root": "."`) {
		t.Errorf("%s, %v", settings, err)
	}
	look("named")
}

// What configuration says in vain is an error of "check" with its line. An include by an alias of a bundler is none.
func TestSettingsOfSites(t *testing.T) {
	project := makeProject(t, "mkdocs.yml=nav:\n- a.md\n- gone.md\n", "docs/a.md=# A\n")
	if code, out, _ := run(t, nil, "check", project); code != 1 || !strings.Contains(out, "mkdocs.yml:3: the navigation names docs/gone.md, which is not there\n") {
		t.Errorf("code %d, output %q", code, out)
	}
	project = makeProject(t, "docusaurus.config.js=module.exports = {}\n", "docs/a.md=import A from '@made/a.md'\nimport B from './gone.md'\n\n# A\n\n<A />\n\n<B />\n")
	if code, out, _ := run(t, nil, "check", project); code != 1 || strings.Contains(out, "@made") || !strings.Contains(out, `the included file "./gone.md" is not found`) {
		t.Errorf("code %d, output %q", code, out)
	}
}

// The web UI and llms.txt have the documents of the default language, with the titles and in the order of the navigation.
// In llms.txt, an outermost group of the navigation is a section.
func TestSitesOnTheWeb(t *testing.T) {
	project := makeProject(t, "manual/en/mkdocs.yml=nav: [{Second: b.md}, {First: sub/a.md}, {The part: [part/index.md, part/c.md, {Deeper: [e.md]}]}, {More: [more/d.md]}]\n", "manual/en/docs/b.md=# Bee { #bee }\n\n[on](sub/a.md#there)\n\n!!! note \"Mind\"\n",
		"manual/en/docs/sub/a.md=# A\n", "manual/en/docs/part/index.md=# The part\n", "manual/en/docs/part/c.md=# C\n", "manual/en/docs/e.md=# E\n",
		"manual/en/docs/more/d.md=# D\n", "manual/de/docs/b.md=# Deutsch\n", "manual/de/mkdocs.yml=INHERIT: ../en/mkdocs.yml\n")
	base, _ := startHTTP(t, "--http=127.0.0.1:0", "--no-auth", project)
	get := func(path string) string {
		t.Helper()
		res, err := http.Get(base + path)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	want := "## Documents\n\n- [Second](" + base + "/docs/b.md)\n- [First](" + base + "/docs/sub/a.md)\n" +
		"\n## The part\n\n- [The part](" + base + "/docs/part/index.md)\n- [C](" + base + "/docs/part/c.md)\n- [E](" + base + "/docs/e.md)\n" +
		"\n## More\n\n- [D](" + base + "/docs/more/d.md)\n"
	if text := get("/llms.txt"); !strings.HasSuffix(text, want) {
		t.Errorf("llms.txt: %s", text)
	}
	if text := get("/llms-full.txt"); strings.Contains(text, "Deutsch") || strings.Index(text, "# Bee") > strings.Index(text, "# A") {
		t.Errorf("llms-full.txt: %s", text)
	}
	text := get("/docs/b")
	for _, want := range []string{">Second</", `href="/docs/sub/a#there"`, "Mind"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %s: %s", want, text)
		}
	}
	for _, no := range []string{"{#bee", "!!!", "Deutsch"} {
		if strings.Contains(text, no) {
			t.Errorf("the page has %s: %s", no, text)
		}
	}
}
