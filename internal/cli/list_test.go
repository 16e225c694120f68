package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestList(t *testing.T) {
	dir := makeProject(t, goodConfig, "resources/docs/v1/a.md=# A", "resources/docs/v2/b.txt=b", "resources/docs/.hidden=x", "resources/README.md=r",
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
		if code, _, _ := run(t, nil, append([]string{"list"}, strings.Fields(args)...)...); code != 2 {
			t.Errorf("%s: %d", args, code)
		}
	}
}

// For list, --docs names the folder of the documents, as for other commands.
func TestListTakesTheFolderOfTheDocuments(t *testing.T) {
	dir := makeProject(t, goodConfig, "manual/a.md=# A\n")
	for _, flag := range []string{"-d", "--docs"} {
		if code, out, errs := run(t, nil, "list", "docs", dir, flag, "manual"); code != 0 || out != "a.md\n" && out != "manual/a.md\n" {
			t.Errorf("%s: %d %q %q", flag, code, out, errs)
		}
	}
}

// A broken prompt is an error that says so, and names are suggested.
func TestSuggestions(t *testing.T) {
	dir := makeProject(t, goodConfig, "docs/a.md=# A", "prompts/explain.md=---\narguments: {topic: }\n---\nExplain {{topic}}.", "prompts/bad.md=---\nargs: 1\n---\nBad", "resources/x/h/b.md=B", "resources/x/README.md=r")
	broken := "bad.md:2: error: the arguments must be a mapping from name to argument, or a list of arguments with a name; this file is not served\n"
	for args, want := range map[string]string{
		"list documents":         `"documents" is neither a folder nor a kind of things; did you mean "list docs"?`,
		"list prompts":           broken,
		"ls":                     `did you mean "list"?`,
		"grep x":                 `did you mean "search"?`,
		"-V":                     "did you mean -v, --version?",
		"prompt nope":            `there is no prompt "nope"; prompts: explain` + "\n",
		"prompt explian":         "did you mean explain?\n",
		"prompt bad":             broken,
		"prompt explain":         `argument "topic" is required`,
		"call nope":              `there is no tool "nope"; tools: searchAcme, list_resources, read_resource` + "\n",
		"read x://h/b.md":        "",
		"prompt explain topic=x": "",
	} {
		if _, _, errs := run(t, nil, append([]string{"--project", dir}, strings.Fields(args)...)...); !strings.Contains(errs, want) || want == "" && errs != "" {
			t.Errorf("%s: %q lacks %q", args, errs, want)
		}
	}
}

// TestReadDocument reads a document by the path that "list docs" prints.
func TestReadDocument(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "wifi.md"), []byte("# Wi-Fi\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := run(t, nil, "read", "wifi.md", dir); code != 0 || out != "# Wi-Fi\r\n" {
		t.Errorf("%d %q %s", code, out, errs)
	}
	for path, want := range map[string]string{"wify.md": "there is no document wify.md; did you mean wifi.md?", "../x": "there is no document ../x", "/etc/passwd": "there is no document /etc/passwd"} {
		if code, out, errs := run(t, nil, "read", path, dir); code != 1 || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: %d %q %s", path, code, out, errs)
		}
	}
}
