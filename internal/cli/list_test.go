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
	dir := given.Folder(t, goodConfig, "resources/docs/v1/a.md=# A", "resources/docs/v2/b.txt=b", "resources/docs/.hidden=x", "resources/README.md=r",
		"docs/index.md=# I", "docs/guides/a.md=# A", "docs/data.csv=1", "docs/.draft.md=x", "prompts/p.md=Hello.", "prompts/notes.txt=n")
	for _, test := range []struct {
		args string
		want string
	}{
		{"", "docs://v1/a.md\ndocs://v2/b.txt\n"},
		{"docs://v1/**", "docs://v1/a.md\n"},
		{"**/*.txt", "docs://v2/b.txt\n"},
		{"a.md", "docs://v1/a.md\ndocs/guides/a.md\n"},
		{"p*", "p\n"},
		{"*.{txt,md}", "docs://v1/a.md\ndocs://v2/b.txt\ndocs/index.md\ndocs/guides/a.md\n"},
		{"nothing://*", ""},
		{"docs", "docs/index.md\ndocs/guides/a.md\n"},
		{"docs docs/guides/*", "docs/guides/a.md\n"},
		{"docs *.txt", ""},
		{"prompts", "p\n"},
		{"tools", "searchAcme\nlist_resources\nread_resource\n"},
	} {
		args := append([]string{"list"}, strings.Fields(test.args)...)
		if len(args) > 1 && !strings.HasPrefix(args[1], "-") {
			args = append(args, dir)
		} else {
			args = append(args, "--project", dir)
		}
		code, out, errs := run(t, nil, args...)
		if code != 0 || out != test.want {
			t.Errorf("%s: %d %q %q, want %q", test.args, code, out, errs, test.want)
		}
		code, out, _ = run(t, nil, append(args, "--json")...)
		var values []map[string]any
		if err := json.Unmarshal([]byte(out), &values); code != 0 || err != nil || len(values) != strings.Count(test.want, "\n") {
			t.Errorf("%s as JSON: %d %v %q", test.args, code, err, out)
		}
	}
	code, out, _ := run(t, nil, "list", "--hidden", dir)
	for _, want := range []string{".draft.md  dot-name: ", ".hidden  dot-name: ", "README.md  outside-schemes: ", "notes.txt  not-markdown: "} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("%q is not in %q", want, out)
		}
	}
	for _, args := range []string{"documents", "prompt", "--long --json", "docs://[ .", "a b c"} {
		try(t, append([]string{"list"}, strings.Fields(args)...)...).ends(2)
	}
}

// For list, --docs names the folder of the documents, as for other commands.
func TestListTakesTheFolderOfTheDocuments(t *testing.T) {
	dir := given.Folder(t, goodConfig, "manual/a.md=# A\n")
	for _, flag := range []string{"-d", "--docs"} {
		if code, out, errs := run(t, nil, "list", "docs", dir, flag, "manual"); code != 0 || out != "a.md\n" && out != "manual/a.md\n" {
			t.Errorf("%s: %d %q %q", flag, code, out, errs)
		}
	}
}

// A broken prompt is an error that says so, and names are suggested.
func TestSuggestions(t *testing.T) {
	dir := given.Folder(t, goodConfig, "docs/a.md=# A", "prompts/explain.md=---\narguments: {topic: }\n---\nExplain {{topic}}.", "prompts/bad.md=---\nargs: 1\n---\nBad", "resources/x/h/b.md=B", "resources/x/README.md=r")
	broken := "bad.md:2: error: the arguments must be a mapping from name to argument, or a list of arguments with a name; this file is not served\n"
	for args, want := range map[string]string{
		"list documents":                   `"documents" is neither a folder nor a kind of things; did you mean "list docs"?`,
		"list prompts":                     broken,
		"ls":                               `did you mean "list"?`,
		"grep x":                           `did you mean "search"?`,
		"cloudflare deploy --account-id x": "unknown flag: --account-id; wrangler reads CLOUDFLARE_ACCOUNT_ID",
		"-V":                               "did you mean -v, --version?",
		"prompt nope":                      `there is no prompt "nope"; prompts: explain` + "\n",
		"prompt explian":                   "did you mean explain?\n",
		"prompt bad":                       broken,
		"prompt explain":                   `argument "topic" is required`,
		"call nope":                        `there is no tool "nope"; tools: searchAcme, list_resources, read_resource` + "\n",
		"read x://h/b.md":                  "",
		"prompt explain topic=x":           "",
	} {
		if _, _, errs := run(t, nil, append([]string{"--project", dir}, strings.Fields(args)...)...); !strings.Contains(errs, want) || want == "" && errs != "" {
			t.Errorf("%s: %q lacks %q", args, errs, want)
		}
	}
}

// TestReadDocument reads a document by the path that "list docs" prints.
func TestReadDocument(t *testing.T) {
	dir := t.TempDir()
	must.Write(t, filepath.Join(dir, "wifi.md"), "# Wi-Fi\r\n")
	try(t, "read", "wifi.md", dir).ends(0).printsOnly("# Wi-Fi\r\n")
	for path, want := range map[string]string{"wify.md": "there is no document wify.md; did you mean wifi.md?", "../x": "there is no document ../x", "/etc/passwd": "there is no document /etc/passwd"} {
		try(t, "read", path, dir).ends(1).printsOnly("").complains(want)
	}
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
	dir := given.Folder(t, strings.Replace(goodConfig, "{", `{"index": {"expose": ["summary"]},`, 1),
		"resources/a/file=1", "resources/x/file=2", "skills/git/SKILL.md=---\nname: git\ndescription: Uses Git\n---\n", "skills/bad/SKILL.md=nothing")
	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{"list", 0, "a://file\ncapability-index://summary\nskill://bad/SKILL.md\nskill://git/SKILL.md\nx://file\n"},
		{"list cap*://**", 0, "capability-index://summary\n"},
		{"list --long cap*://**", 0, "capability-index://summary  text/markdown  title="},
		{"list --json cap*://**", 0, `"uri": "capability-index://summary"`},
		{"read capability-index://summary", 0, "index of capabilities"},
		{"read capability-index://full", 1, ""},
		{"explain capability-index://summary", 0, "capability-index://summary is served. The server makes it without a file.\n"},
		{"explain --json capability-index://summary", 0, `"made": true`},
		{"explain capability-index://full", 1, ""},
		{"explain skill://git/SKILL.md", 0, "skill         git, with 1 file\n"},
		{"explain skills/bad/SKILL.md", 0, "skill         none to clients: has no front matter"},
		{"list skills", 0, "git\n"},
		{"list skills --long", 0, "git  uri=\"skill://git/SKILL.md\"  description=\"Uses Git\"\n"},
		{"list skills --json", 0, `"files": 1`},
	} {
		args := append(strings.Fields(test.args), dir)
		code, out, errs := run(t, nil, args...)
		if code != test.code || !strings.Contains(out, test.want) {
			t.Errorf("%s: code %d, %s%s\nwant %s", test.args, code, out, errs, test.want)
		}
		if test.args == "list skills" && !strings.Contains(errs, "has no front matter") {
			t.Errorf("%s does not say what is wrong: %s", test.args, errs)
		}
	}
}
