package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

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
	line(t, "list --hidden").ends(0).prints(".draft.md  dot-name: ", ".hidden  dot-name: ", "README.md  outside-schemes: ", "notes.txt  not-markdown: ")
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
func TestOthers(t *testing.T) {
	t.Chdir(given.Folder(t, strings.Replace(goodConfig, "{", `{"index": {"expose": ["summary"]},`, 1),
		"resources/a/file=1", "resources/x/file=2", "skills/git/SKILL.md=---\nname: git\ndescription: Uses Git\n---\n", "skills/bad/SKILL.md=nothing"))
	const wrong = "…has no front matter…"
	rows(t,
		row{"list", 0, "a://file\ncapability-index://summary\nskill://bad/SKILL.md\nskill://git/SKILL.md\nx://file\n", "…"},
		row{"list cap*://**", 0, "capability-index://summary\n", "…"},
		row{"list --long cap*://**", 0, "…capability-index://summary  text/markdown  title=…", "…"},
		row{"list --json cap*://**", 0, "…\"uri\": \"capability-index://summary\"…", "…"},
		row{"read capability-index://summary", 0, "…index of capabilities…", ""},
		row{"read capability-index://full", 1, "", "…"},
		row{"explain capability-index://summary", 0, "capability-index://summary is served. The server makes it without a file.\n", ""},
		row{"explain --json capability-index://summary", 0, "…\"made\": true…", ""},
		row{"explain capability-index://full", 1, "", "…"},
		row{"explain skill://git/SKILL.md", 0, "…skill         git, with 1 file\n…", ""},
		row{"explain skills/bad/SKILL.md", 0, "…skill         none to clients: has no front matter…", ""},
		row{"list skills", 0, "git\n", wrong},
		row{"list skills --long", 0, "git  uri=\"skill://git/SKILL.md\"  description=\"Uses Git\"\n", wrong},
		row{"list skills --json", 0, "…\"files\": 1…", wrong})
}
