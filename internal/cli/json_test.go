package cli

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// commandNames are the commands of the program, without the commands that cobra adds.
func commandNames(t *testing.T) []string {
	t.Helper()
	root := newRoot(&command.App{})
	addCompletion(root)
	root.InitDefaultHelpCmd()
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	slices.Sort(names)
	return names
}

// TestJSON checks the shapes that the pages of the commands document: standard output is one value
// with these keys, or an array of objects with these keys.
func TestJSON(t *testing.T) {
	home := homeFolder(t)
	dir := given.Folder(t, append(publishable, "resources/y/h/b.bin=\x00\x01")...)
	must.Write(t, filepath.Join(dir, "package.json"), `{"mcpName": "io.github.acme/docs", "description": "All about Acme"}`)
	site := webSite(t, map[string]string{"/": "<!doctype html><title>A</title><p>text"}) + "/"
	t.Chdir(dir)
	for _, test := range []struct {
		args string
		keys string
	}{
		{"list", "file mimeType modTime size uri"},
		{"list docs", "class file modTime path size title"},
		{"list prompts", "arguments description file name title"},
		{"list tools", "description name title"},
		{"list --hidden", "detail fix path reason rule"},
		{"list nothing*", "[]"},
		{"read x://h/a.md", "contents"},
		{"search Index", "hits missing unmatched weak"},
		{"prompt review", "description messages"},
		{"call searchAcme {\"query\":\"index\"}", "content isError"},
		{"explain x://h/a.md", "file question resource served"},
		{"capture --dry-run " + onLoopback + " " + site, "file state title url"},
		{"check", "bytes documents errors findings notes prompts resources served warnings"},
		{"config", "id title"},
		{"config cursor --scope user", "after client entry file format inFolder key link notes scope snippet title webLink"},
		{"config cursor --scope user --write", "after change client entry file scope"},
		{"config cursor --scope user --write", "after change client entry file scope"},
		{"config cursor --scope user --remove", "backup change client entry file scope"},
		{"publish --dry-run", "dryRun files manifest omitted package packed published sha256 target unpacked version"},
		{"publish --output " + filepath.Join(home, "a.tgz"), "dryRun files omitted output package packed published sha256 target unpacked version"},
		{"publish --output " + filepath.Join(home, "a"), "dryRun files omitted output package published target unpacked version"},
		{"publish --target server-json", "dryRun files manifest omitted package published target unpacked version"},
	} {
		code, out, errs := run(t, nil, append(strings.Fields(test.args), "--json")...)
		var value any
		if err := json.Unmarshal([]byte(out), &value); err != nil || code != 0 && test.keys != "" {
			t.Errorf("%s: code %d, errors %q, %v in\n%s", test.args, code, errs, err, out)
			continue
		}
		if keys := keysOf(value); test.keys != "" && keys != test.keys {
			t.Errorf("%s: keys %q, want %q", test.args, keys, test.keys)
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

// Each command ends with 0 if all is well, 1 if there is a problem, and 2 if its command line is
// wrong.
func TestExitCodesOfEachCommand(t *testing.T) {
	homeFolder(t)
	dir := given.Folder(t, publishable...)
	broken := given.Folder(t, `mcp-docs-server.json={"name": 1}`)
	made := filepath.Join(t.TempDir(), "made")
	must.Write(t, filepath.Join(dir, "package.json"), `{"mcpName": "io.github.acme/docs", "description": "All about Acme"}`)
	t.Chdir(dir)
	in := func(project string, args string) []string {
		return append([]string{"--project", project}, strings.Fields(args)...)
	}
	site := webSite(t, map[string]string{"/a": "<!doctype html><title>A</title><p>text"}) + "/"
	cases := map[string]struct {
		fine, problem, wrong [][]string
	}{
		"capture":    {[][]string{in(dir, "capture --dry-run "+onLoopback+" "+site+"a")}, [][]string{in(dir, "capture --dry-run http://169.254.169.254/a")}, [][]string{in(dir, "capture")}},
		"serve":      {[][]string{in(dir, ""), in(dir, "serve --print-config")}, [][]string{in(broken, ""), in("nowhere", "serve"), in(dir, "serve --http=0.0.0.0:0")}, [][]string{in(dir, "serve a b"), in(dir, "serve --poll=often"), in(dir, "nothing"), in(dir, "--nothing")}},
		"init":       {[][]string{{"init", made}}, [][]string{{"init", "README.md"}}, [][]string{{"init", "a", "b"}}},
		"list":       {[][]string{in(dir, "list"), in(dir, "list docs --hidden")}, [][]string{in(broken, "list"), {"list", "nowhere"}}, [][]string{in(dir, "list a b c")}},
		"read":       {[][]string{in(dir, "read x://h/a.md")}, [][]string{in(dir, "read x://h/b.md"), in(dir, "read x://h/b.md --json")}, [][]string{in(dir, "read")}},
		"explain":    {[][]string{in(dir, "explain x://h/a.md")}, [][]string{in(dir, "explain x://h/b.md"), in(dir, "explain resources/x/h/.hidden")}, [][]string{in(dir, "explain")}},
		"check":      {[][]string{in(dir, "check"), in(dir, "check --json")}, [][]string{in(broken, "check"), in(broken, "check --json")}, [][]string{in(dir, "check --format xml")}},
		"search":     {[][]string{in(dir, "search nothing-like-it")}, [][]string{in(broken, "search index")}, [][]string{in(dir, "search")}},
		"prompt":     {[][]string{in(dir, "prompt review")}, [][]string{in(dir, "prompt nothing")}, [][]string{in(dir, "prompt review x")}},
		"call":       {[][]string{in(dir, `call searchAcme {"query":"index"}`)}, [][]string{in(dir, "call nothing")}, [][]string{in(dir, "call searchAcme {")}},
		"config":     {[][]string{in(dir, "config"), in(dir, "config cursor --scope user --write")}, [][]string{in(dir, "config cursor --scope user --remove --name other")}, [][]string{in(dir, "config nothing"), in(dir, "config --write")}},
		"publish":    {[][]string{in(dir, "publish --dry-run")}, [][]string{in(broken, "publish --dry-run")}, [][]string{in(dir, "publish --target nothing"), in(dir, "publish --target mcpb --tag x")}},
		"cloudflare": {nil, [][]string{{"cloudflare", "deploy", "nowhere"}}, [][]string{{"cloudflare"}, in(dir, "cloudflare deploy --max-size 0")}},
		"store":      {[][]string{{"store", "grants"}}, [][]string{{"store", "migrate", "--store", "postgres://u@127.0.0.1:1/d"}}, [][]string{{"store"}, {"store", "migrate"}}},
		"version":    {[][]string{{"version"}, {"--version"}, {"version", "--licenses"}}, nil, [][]string{{"version", "x"}}},
		"man":        {[][]string{{"man"}, {"man", "serve"}}, nil, [][]string{{"man", "nothing"}}},
		"help":       {[][]string{{"help"}, {"serve", "--help"}}, nil, [][]string{{"help", "nothing"}}},
		"completion": {[][]string{{"completion", "bash"}, {"completion", "zsh"}, {"completion", "fish"}, {"completion", "powershell"}}, nil, [][]string{{"completion", "nothing"}, {"completion", "bash", "x"}}},
	}
	if diff := cmp.Diff(commandNames(t), slices.Sorted(maps.Keys(cases))); diff != "" {
		t.Errorf("commands (-program +cases):\n%s", diff)
	}
	for name, c := range cases {
		for want, lines := range [][][]string{exitFine: c.fine, exitProblems: c.problem, exitUsage: c.wrong} {
			for _, args := range lines {
				code, _, errs := run(t, strings.NewReader(""), args...)
				if code != want {
					t.Errorf("%s: %q: code %d, want %d; errors %q", name, args, code, want, errs)
				}
				if help := helpLine.MatchString(errs); help != (want == exitUsage) {
					t.Errorf("%s: %q: code %d and errors %q", name, args, code, errs)
				}
			}
		}
	}
}

// What commands print about files with hostile names cannot move the cursor, reorder a line or begin another one, and JSON is valid.
func TestHostileNames(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems have no such names")
	}
	const name = "resources/x/h/a\x1b[2J\xff\n::error::x.md"
	t.Chdir(given.Folder(t, goodConfig, "docs/a\u009b2J\u202e.md=[b](none\u202e.md)", "resources/x/h/b\u009b\u2066.md=# A\u202e", name+"="))
	for _, args := range [][]string{{"list", "docs", "--json"}, {"list", "--json"}, {"check", "--json"}, {"check"}, {"check", "--format=github"}, {"explain", name}, {"explain", name, "--json"}} {
		_, out, errs := run(t, nil, args...)
		if strings.ContainsAny(out+errs, "\x1b\r\u009b\u202e\u2066\ufffd") || strings.Contains(out+errs, "\xff") || strings.Contains(out, "\n::error::x") || args[len(args)-1] == "--json" && !json.Valid([]byte(out)) {
			t.Errorf("%q: %q, errors %q", args, out, errs)
		}
	}
}
