package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestConfig(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("paths and commands differ")
	}
	dir := given.Folder(t, goodConfig, "documents/", "it's $HOME/", `sub/acme.json={"package": "@acme/other"}`)
	long := filepath.Join(dir, strings.Repeat("a", 63)+" b")
	must.Do(t, os.Mkdir(long, 0o700))
	t.Chdir(dir)
	const remote = "…\n    \"acme-docs\": {\n      \"url\": \"https://example.com/mcp\"\n…"
	rows(t,
		row{"config", 0, "claude-code     Claude Code\n…", ""},
		row{"config claude-code --package", 0, "{\n  \"mcpServers\": {\n    \"acme-docs\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"@acme/docs@latest\"]\n    }\n  }\n}\n",
			`Claude Code: this goes into .mcp.json, for this project (the folder you work in).` + "\n" + `If that has "mcpServers" already, add only the entry "acme-docs" to it.` + "\n" +
				"Or run: claude mcp add acme-docs -- npx -y @acme/docs@latest\nClaude Code starts no server of this file before you approve it…"},
		row{"config jetbrains --url https://example.com/mcp", 0, remote, "JetBrains AI Assistant: paste this JSON in Settings → Tools → AI Assistant → Model Context Protocol (MCP) → Add.\n"},
		row{"config claude-desktop --url https://example.com/mcp", 0, "https://example.com/mcp\n", "Claude Desktop: give this URL in Customize → Connectors → Add custom connector.\n"},
		row{"config codex --binary mcp-docs-server --command", 0, "codex mcp add acme-docs -- mcp-docs-server serve " + dir + "\n", ""},
		row{"config codex -c sub/acme.json --binary /bin/m --command", 0, "codex mcp add acme-other -- /bin/m serve --config " + dir + "/sub/acme.json\n", ""},
		row{"config codex -d documents --binary /bin/m --command", 0, "codex mcp add acme-docs -- /bin/m serve " + dir + " '--docs=documents'\n", ""},
		row{"config codex '" + long + "' --binary m --command", 0, "codex mcp add " + strings.Repeat("a", 63) + " -- m serve '" + long + "'\n", ""},
		row{"config codex documents --url https://docs.example.com/mcp --command", 0, "codex mcp add docs-example-com-mcp --url https://docs.example.com/mcp\n", ""},
		row{"config codex --url https://example.com/mcp --token-env DOCS_TOKEN --scope user", 0, "\n[mcp_servers.acme-docs]\nurl = \"https://example.com/mcp\"\nbearer_token_env_var = \"DOCS_TOKEN\"\n",
			"Codex: this goes into ~/.codex/config.toml, for this user, in all folders.\nOr run: codex mcp add acme-docs --url https://example.com/mcp --bearer-token-env-var DOCS_TOKEN\nCodex takes the value from its environment: set DOCS_TOKEN…"},
		row{"config claude-code --deps", 0, "…\"--deps\"]…", "…"}, row{"config claude-code --deps=go", 0, "…\"--deps=go\"]…", "…"})
	try(t, "config", "codex", "it's $HOME", "--binary", "mcp-docs-server", "--command", "--name", "x").printsOnly("codex mcp add x -- mcp-docs-server serve '" + dir + `/it'\''s $HOME'` + "\n")
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
