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

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
)

// commandNames are the commands of the program, without those that cobra adds for itself.
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

// withoutJSON are the commands that have no --json: their standard output is the protocol or a
// script for a shell, or man --json describes the same. The subcommands of cloudflare are not
// tested.
var withoutJSON = []string{"cloudflare", "completion", "help", "serve", "store"}

// TestJSON checks the shapes that the pages of the commands document: standard output is one value
// with these keys, or an array of objects with these keys.
func TestJSON(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE", "APPDATA", "XDG_CONFIG_HOME", "CODEX_HOME"} {
		t.Setenv(name, home)
	}
	dir := makeProject(t, append(publishable, "resources/y/h/b.bin=\x00\x01")...)
	made := filepath.Join(t.TempDir(), "made")
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"mcpName": "io.github.acme/docs", "description": "All about Acme"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	site := webSite(t, map[string]string{"/": "<!doctype html><title>A</title><p>text"}) + "/"
	t.Chdir(dir)
	for _, test := range []struct {
		args string
		keys string
	}{
		{"list", "file mimeType modTime size uri"},
		{"list --docs", "file modTime path size title"},
		{"list --prompts", "arguments description file name title"},
		{"list --tools", "description name title"},
		{"list --hidden", "detail fix path reason rule"},
		{"list nothing*", "[]"},
		{"read x://h/a.md", "contents"},
		{"search Index", "content"},
		{"prompt review", "description messages"},
		{"call searchAcme {\"query\":\"index\"}", "content"},
		{"explain x://h/a.md", "file question resource served"},
		{"capture --dry-run " + onLoopback + " " + site, "file state title url"},
		{"check", "bytes documents errors findings notes prompts resources warnings"},
		{"config", "id title"},
		{"config cursor", "after client entry file format inFolder key link notes snippet title webLink"},
		{"config cursor --write", "after change client entry file"},
		{"config cursor --write", "after change client entry file"},
		{"config cursor --remove", "backup change client entry file"},
		{"publish --dry-run --no-check --cli-version 1.0.0", "dryRun files integrity manifest omitted package packed published shasum target unpacked version"},
		{"publish --no-check --cli-version 1.0.0 --output " + filepath.Join(home, "a.tgz"), "dryRun files integrity omitted output package packed published shasum target unpacked version"},
		{"publish --no-check --cli-version 1.0.0 --output " + filepath.Join(home, "a"), "dryRun files omitted output package published target unpacked version"},
		{"publish --target server-json", "dryRun files manifest omitted package published target unpacked version"},
		{"init " + made, "there written"},
		{"version", "go system version"},
		{"version --project .", "go package system version"},
		{"man", "commands description name options short usage"},
		{"man completion bash", "commands description name options short usage"},
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

// TestEachCommandHasJSON finds a command that was added without --json.
func TestEachCommandHasJSON(t *testing.T) {
	root := newRoot(&command.App{})
	addCompletion(root)
	root.InitDefaultHelpCmd()
	var without []string
	for _, c := range root.Commands() {
		if c.Flags().Lookup("json") == nil {
			without = append(without, c.Name())
		}
	}
	slices.Sort(without)
	if diff := cmp.Diff(withoutJSON, without); diff != "" {
		t.Error(diff)
	}
}

// After a failure, or with options that exclude --json, standard output is empty.
func TestJSONOfFailures(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	dir := makeProject(t, publishable...)
	if code, out, errs := run(t, nil, "config", "jetbrains", dir, "--write", "--json"); code != 1 || out != "" || !strings.Contains(errs, "nothing is written: ") {
		t.Errorf("a file that cannot be edited: code %d, output %q, errors %q", code, out, errs)
	}
	for _, args := range []string{"version --json --licenses", "config --all --json", "config cursor --link --json", "list --json --tree"} {
		if code, out, errs := run(t, nil, strings.Fields(args)...); code != 2 || out != "" {
			t.Errorf("%s: code %d, output %q, errors %q", args, code, out, errs)
		}
	}
	if code, out, errs := run(t, nil, "read", "x://nothing", dir, "--json"); code != 1 || out != "" || !strings.Contains(errs, "x://nothing") {
		t.Errorf("no such resource: code %d, output %q, errors %q", code, out, errs)
	}
}

// Each command ends with 0 if all is well, 1 if there is a problem, and 2 if its command line is
// wrong.
func TestExitCodesOfEachCommand(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE", "APPDATA", "XDG_CONFIG_HOME", "CODEX_HOME"} {
		t.Setenv(name, home)
	}
	dir := makeProject(t, publishable...)
	broken := makeProject(t, `mcp-docs-server.json={"name": 1}`)
	made := filepath.Join(t.TempDir(), "made")
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"mcpName": "io.github.acme/docs", "description": "All about Acme"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	in := func(project string, args string) []string {
		return append([]string{"--project", project}, strings.Fields(args)...)
	}
	site := webSite(t, map[string]string{"/a": "<!doctype html><title>A</title><p>text"}) + "/"
	cases := map[string]struct {
		fine, problem, wrong [][]string
	}{
		"capture": {
			fine:    [][]string{in(dir, "capture --dry-run "+onLoopback+" "+site+"a"), {"capture", "--into", made, onLoopback, site + "a"}, {"capture", "--into", made, onLoopback, "--update", "--json"}},
			problem: [][]string{in(dir, "capture --dry-run http://169.254.169.254/a"), in(dir, "capture --dry-run --json "+onLoopback+" "+site+"b"), in(broken, "capture "+site), in("nowhere", "capture --update")},
			wrong:   [][]string{in(dir, "capture"), in(dir, "capture a.example"), in(dir, "capture ftp://a.example/"), in(dir, "capture --allow / "+site)},
		},
		"serve": {
			fine:    [][]string{in(dir, ""), in(dir, "serve --no-watch"), in(dir, "serve --print-config")},
			problem: [][]string{in(broken, ""), in("nowhere", "serve"), in(broken, "serve --http=127.0.0.1:0"), in(dir, "serve --http=0.0.0.0:0")},
			wrong:   [][]string{in(dir, "serve a b"), in(dir, "serve --poll=often"), in(dir, "serve --token-file x"), in(dir, "nothing"), in(dir, "--nothing")},
		},
		"init": {
			fine:    [][]string{{"init", made}, {"init", made}},
			problem: [][]string{{"init", "README.md"}, {"init", broken}},
			wrong:   [][]string{{"init", "a", "b"}, {"init", "--docs", "x"}, {"init", "--nothing"}},
		},
		"list": {
			fine:    [][]string{in(dir, "list"), in(dir, "list z://** --json"), in(dir, "list --hidden")},
			problem: [][]string{in(broken, "list"), {"list", "nowhere"}},
			wrong:   [][]string{in(dir, "list a b c"), in(dir, "list --changed never"), in(dir, "list --docs --tools")},
		},
		"read": {
			fine:    [][]string{in(dir, "read x://h/a.md"), in(dir, "read x://h/a.md --json")},
			problem: [][]string{in(dir, "read x://h/b.md"), in(dir, "read x://h/b.md --json"), in(dir, "read x://h"), in(broken, "read x://h/a.md")},
			wrong:   [][]string{in(dir, "read"), in(dir, "read a b c")},
		},
		"explain": {
			fine:    [][]string{in(dir, "explain x://h/a.md"), in(dir, "explain docs/index.md")},
			problem: [][]string{in(dir, "explain x://h/b.md"), in(dir, "explain x://h/b.md --json"), in(dir, "explain resources/x/h/.hidden"), in(broken, "explain x://h/a.md")},
			wrong:   [][]string{in(dir, "explain"), in(dir, "explain a b c")},
		},
		"check": {
			fine:    [][]string{in(dir, "check"), in(dir, "check --json"), in(dir, "check --format github")},
			problem: [][]string{in(broken, "check"), in(broken, "check --json"), in(broken, "check --format github"), {"check", "nowhere"}},
			wrong:   [][]string{in(dir, "check --format xml"), in(dir, "check a b")},
		},
		"search": {
			fine:    [][]string{in(dir, "search index"), in(dir, "search nothing-like-it")},
			problem: [][]string{in(broken, "search index"), {"search", "index", "nowhere"}},
			wrong:   [][]string{in(dir, "search"), in(dir, "search a b c")},
		},
		"prompt": {
			fine:    [][]string{in(dir, "prompt review")},
			problem: [][]string{in(dir, "prompt nothing"), in(broken, "prompt review")},
			wrong:   [][]string{in(dir, "prompt"), in(dir, "prompt review x"), in(dir, "prompt review a=1 a=2")},
		},
		"call": {
			fine:    [][]string{in(dir, `call searchAcme {"query":"index"}`)},
			problem: [][]string{in(dir, "call nothing"), in(dir, `call searchAcme {"path":"nothing.md"}`), in(broken, "call searchAcme")},
			wrong:   [][]string{in(dir, "call"), in(dir, "call searchAcme {"), in(dir, "call a {} c")},
		},
		"config": {
			fine:    [][]string{in(dir, "config"), in(dir, "config cursor"), in(dir, "config cursor --write"), in(dir, "config cursor --remove")},
			problem: [][]string{in(dir, "config cursor --remove --name other"), in(dir, "config jetbrains --write"), in(broken, "config cursor"), in(dir, "config cline --command")},
			wrong:   [][]string{in(dir, "config nothing"), in(dir, "config --write"), in(dir, "config cursor --write --remove"), in(dir, "config cursor --scope all"), in(dir, "config a b c")},
		},
		"publish": {
			fine:    [][]string{in(dir, "publish --dry-run --no-check --cli-version 1.0.0"), in(dir, "publish --target server-json")},
			problem: [][]string{in(broken, "publish --dry-run"), {"publish", "nowhere"}, in(dir, "publish --target mcpb --binaries nowhere")},
			wrong:   [][]string{in(dir, "publish --target nothing"), in(dir, "publish a b"), in(dir, "publish --dry-run --output x"), in(dir, "publish --docs docs"), in(dir, "publish --target oci --tag x")},
		},
		"cloudflare": {
			fine:    [][]string{in(dir, "cloudflare build --dry-run"), in(dir, "cloudflare build --json --output "+filepath.Join(made, "worker"))},
			problem: [][]string{in(broken, "cloudflare build"), {"cloudflare", "build", "nowhere"}, {"cloudflare", "deploy", "nowhere"}, {"cloudflare", "dev", "nowhere"}},
			wrong:   [][]string{{"cloudflare"}, {"cloudflare", "nothing"}, in(dir, "cloudflare build a b"), in(dir, "cloudflare dev --port 70000"), in(dir, "cloudflare build --name A"), in(dir, "cloudflare build --tag x")},
		},
		"store": {
			fine:    [][]string{{"store", "grants"}},
			problem: [][]string{{"store", "migrate", "--store", "postgres://u@127.0.0.1:1/d"}, {"store", "versions", "x", "--store-file", "nowhere"}},
			wrong:   [][]string{{"store"}, {"store", "nothing"}, {"store", "versions"}, {"store", "versions", "X"}, {"store", "rollback", "x", "0"}, {"store", "migrate"}, {"store", "migrate", "--store", "mysql://h/d"}},
		},
		"version": {
			fine:    [][]string{{"version"}, {"--version"}, {"version", "--licenses"}, in(dir, "version")},
			problem: [][]string{in("nowhere", "version"), in(broken, "--version")},
			wrong:   [][]string{{"version", "x"}, {"version", "--licenses", "--json"}},
		},
		"man": {
			fine:  [][]string{{"man"}, {"man", "serve"}, {"man", "completion", "bash"}, {"man", "--json"}},
			wrong: [][]string{{"man", "nothing"}, {"man", "serve", "x"}, {"man", "--nothing"}},
		},
		"help": {
			fine:  [][]string{{"help"}, {"help", "serve"}, {"serve", "--help"}, {"--help"}},
			wrong: [][]string{{"help", "nothing"}, {"help", "serve", "x"}},
		},
		"completion": {
			fine:  [][]string{{"completion"}, {"completion", "bash"}, {"completion", "zsh"}, {"completion", "fish"}, {"completion", "powershell"}},
			wrong: [][]string{{"completion", "nothing"}, {"completion", "bash", "x"}, {"completion", "bash", "--nothing"}},
		},
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

// JSON on a terminal cannot move the cursor or reorder a line either.
func TestJSONOnATerminal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("names have fewer characters there")
	}
	dir := makeProject(t, goodConfig, "docs/a\u009b2J\u202e.md=[b](none\u202e.md)", "resources/x/h/b\u009b\u2066.md=# A\u202e")
	for _, args := range []string{"list --docs --json", "list --json", "check --json"} {
		t.Chdir(dir)
		_, out, errs := run(t, nil, strings.Split(args, " ")...)
		if strings.ContainsAny(out, "\u009b\u202e\u2066") || !json.Valid([]byte(out)) {
			t.Errorf("%s: %q, errors %q", args, out, errs)
		}
	}
}
