package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestConfig(t *testing.T) {
	dir := given.Folder(t, goodConfig, "documents/", "it's $HOME/")
	bare := given.Folder(t)
	long := filepath.Join(bare, strings.Repeat("a", 63)+" b")
	must.Do(t, os.Mkdir(long, 0o700))
	other := given.Folder(t, `acme.json={"name": "Other", "package": "@acme/other", "version": "1.2.3"}`)
	hostile := given.Folder(t, `mcp-docs-server.json={"name": "A", "package": "a & calc.exe", "version": "1"}`)
	for _, test := range []struct {
		args []string
		out  string
		errs []string
	}{
		{[]string{"claude-code", dir, "--package"}, `{
  "mcpServers": {
    "acme-docs": {
      "command": "npx",
      "args": ["-y", "@acme/docs@latest"]
    }
  }
}
`, []string{"Claude Code: this goes into .mcp.json, for this project (the folder you work in).", `If that has "mcpServers" already, add only the entry "acme-docs" to it.`,
			"Or run: claude mcp add acme-docs -- npx -y @acme/docs", "Claude Code starts no server of this file before you approve it"}},
		{[]string{"jetbrains", dir, "--url", "https://example.com/mcp"}, `{
  "mcpServers": {
    "acme-docs": {
      "url": "https://example.com/mcp"
    }
  }
}
`, []string{"JetBrains AI Assistant: paste this JSON in Settings → Tools → AI Assistant → Model Context Protocol (MCP) → Add."}},
		{[]string{"codex", dir, "--binary", "mcp-docs-server", "--command"},
			"codex mcp add acme-docs -- mcp-docs-server serve " + dir + "\n", nil},
		{[]string{"codex", filepath.Join(dir, "it's $HOME"), "--binary", "mcp-docs-server", "--command", "--name", "x"},
			"codex mcp add x -- mcp-docs-server serve '" + dir + `/it'\''s $HOME'` + "\n", nil},
		{[]string{"codex", "-c", filepath.Join(other, "acme.json"), "--binary", "/bin/m", "--command"},
			"codex mcp add acme-other -- /bin/m serve --config " + filepath.Join(other, "acme.json") + "\n", nil},
		{[]string{"codex", dir, "-d", "documents", "--binary", "/bin/m", "--command"},
			"codex mcp add acme-docs -- /bin/m serve " + dir + " '--docs=documents'\n", nil},
		{[]string{"claude-desktop", dir, "--url", "https://example.com/mcp"}, "https://example.com/mcp\n",
			[]string{"Claude Desktop: give this URL in Customize → Connectors → Add custom connector."}},
		{[]string{"codex", bare, "--url", "https://docs.example.com/mcp", "--command"}, "codex mcp add docs-example-com-mcp --url https://docs.example.com/mcp\n", nil},
		{[]string{"codex", long, "--binary", "m", "--command"},
			"codex mcp add " + strings.Repeat("a", 63) + " -- m serve '" + long + "'\n", nil},
		{[]string{"Cursor", "zed", "--write"}, "", []string{"config takes one client at a time", "help"}},
		{[]string{"cursr"}, "", []string{`unknown client "cursr"; did you mean "cursor"? Clients are claude-code, claude-desktop, vscode, cursor, gemini-cli, qwen-code, codex, opencode, windsurf, zed, cline, jetbrains, lm-studio, goose.`, "help"}},
		{[]string{"codex", bare, "--package"}, "", []string{"mcp-docs-server.json: names no npm package: write \"package\": \"@me/docs\" into it, or give --url"}},
		{[]string{"codex", hostile, "--package"}, "", []string{`"a & calc.exe" is not the name of an npm package`}},
		{[]string{"cursor", dir, "--package", "--command"}, "", []string{"no command adds this server to Cursor: leave out --command"}},
		{[]string{"codex", dir, "--package", "--url", "https://example.com/mcp"}, "", []string{"give one of --package, --url and --binary", "help"}},
		{[]string{"windsurf", dir, "--scope", "project"}, "", []string{"Windsurf has no file of the scope project that can be written: leave out --scope"}},
		{[]string{"codex", dir, "--url", "https://example.com/mcp", "--scope", "project"}, "\n[mcp_servers.acme-docs]\nurl = \"https://example.com/mcp\"\n",
			[]string{"Codex: this goes into .codex/config.toml, for this project (the folder you work in).", "Codex reads this file only in a folder that you trust, when it starts."}},
		{[]string{"codex", dir, "--url", "https://example.com/mcp", "--token-env", "DOCS_TOKEN", "--scope", "user"}, "\n[mcp_servers.acme-docs]\nurl = \"https://example.com/mcp\"\nbearer_token_env_var = \"DOCS_TOKEN\"\n",
			[]string{"Codex: this goes into ~/.codex/config.toml, for this user, in all folders.", "Or run: codex mcp add acme-docs --url https://example.com/mcp --bearer-token-env-var DOCS_TOKEN",
				"Codex takes the value from its environment: set DOCS_TOKEN before you start it. Restart Codex"}},
		{[]string{"codex", dir, "--url", "https://example.com/mcp", "--header", "X: secret"}, "", []string{`--header: the header "X" must end with a variable of the environment`, "help"}},
	} {
		if runtime.GOOS == "windows" && (strings.Contains(test.out, dir) || strings.Contains(test.out, "npx")) {
			continue // paths and commands differ
		}
		code, out, errs := run(t, nil, append([]string{"config"}, test.args...)...)
		if diff := cmp.Diff(test.out, out); diff != "" || (code == 0) != (test.out != "") {
			t.Errorf("%q: code %d, errors %q (-want +got):\n%s", test.args, code, errs, diff)
		}
		lines := strings.Split(strings.TrimSuffix(errs, "\n"), "\n")
		for i, want := range test.errs {
			if i >= len(lines) || !strings.Contains(lines[i], want) {
				t.Errorf("%q: errors %q, want %q", test.args, lines, test.errs)
				break
			}
		}
		if len(test.errs) == 0 && errs != "" {
			t.Errorf("%q: errors %q", test.args, errs)
		}
	}
}

// The arguments in a client's configuration serve the project, whatever the name of its folder is.
// The configuration names the running program, which will be deleted here, as under go run.
func TestConfigServes(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "it's 100% $HOME `é` &")
	if runtime.GOOS != "windows" {
		folder += "\n\"\\"
	}
	must.Do(t, os.CopyFS(folder, os.DirFS(given.Folder(t, goodConfig, "resources/x/h/a.md=# A"))))
	code, out, errs := run(t, nil, "config", "cursor", folder)
	var file struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(out), &file); err != nil || code != 0 {
		t.Fatalf("code %d, %v: %s", code, err, out)
	}
	s := file.Servers["acme-docs"]
	if s.Command != "mcp-docs-server" || !strings.Contains(errs, `so the configuration names "mcp-docs-server": install it`) {
		t.Errorf("%+v, errors %q", s, errs)
	}
	in := strings.NewReader(handshakeLines + `{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"x://h/a.md"}}`)
	if code, out, errs = run(t, in, s.Args...); code != 0 || !strings.Contains(out, `"text":"# A"`) {
		t.Errorf("%q: code %d, output %q, errors %q", s.Args, code, out, errs)
	}
}

// TestConfigOfDependencies writes --deps into the arguments of the server.
func TestConfigOfDependencies(t *testing.T) {
	dir := given.Folder(t, goodConfig)
	for option, want := range map[string]string{"--deps": `"--deps"`, "--deps=go": `"--deps=go"`, "--deps=all": `"--deps=all"`} {
		try(t, "config", "claude-code", option, dir).ends(0).prints(want)
	}
	for _, args := range [][]string{{"--deps=rust"}, {"--deps", "--package"}, {"--deps", "--url", "https://example.com/mcp"}} {
		try(t, append([]string{"config", "claude-code", dir}, args...)...).ends(2).complains("--deps")
	}
}
