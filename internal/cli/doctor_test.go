package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// installSelf puts the test program into the PATH under the name of this program, and returns its
// file.
func installSelf(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(self, filepath.Join(dir, "mcp-docs-server")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return filepath.Join(dir, "mcp-docs-server")
}

func TestDoctor(t *testing.T) {
	homeFolder(t)
	dir := makeProject(t, goodConfig, "resources/x/h/a.md=# A", "prompts/p.md=Do.")
	t.Chdir(dir)
	code, out, errs := run(t, nil, "doctor")
	for _, want := range []string{
		"Every client\n  works    The server offers 1 resource, 0 templates, 1 prompt and 3 tools.\n", "\nClaude Code (https://code.claude.com/docs/en/mcp, November 2026)\n  works    The resource can be mentioned with @",
		"\nWindsurf (assumed, autumn 2026)\n  works    It is assumed to use only tools, and gets searchAcme, list_resources, read_resource.\n  limited  It may not show the prompt.\n           → Also write what users need",
		"\nOn this computer\n  No client has this project in its configuration.",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	if code != 0 || errs != "" {
		t.Errorf("code %d, errors %q", code, errs)
	}
	if _, out, _ := run(t, nil, "doctor", "chatgpt"); strings.Count(out, "works") != 1 || !strings.Contains(out, "ChatGPT connectors (https://platform.openai.com/docs/mcp, autumn 2026)\n  limited  It asks for the tools search and fetch") {
		t.Errorf("one client: %s", out)
	}
	if code, out, errs := run(t, nil, "doctor", "cursr"); code != 2 || out != "" || !strings.Contains(errs, `unknown client "cursr"; did you mean "cursor"? Clients are claude-code, `) {
		t.Errorf("code %d, output %q, errors %q", code, out, errs)
	}
	broken := makeProject(t, `mcp-docs-server.json={"name": "A", "package": "a", "version": "1", "limits": {"maxReadBytes": 10}}`, "resources/x/h/a.md=A text that is too long")
	if code, out, errs := run(t, nil, "doctor", "--project", broken); code != 1 || !strings.Contains(out, "  fails    Some listed files cannot be read: x://h/a.md: ") || !strings.Contains(errs, `see "fails" above`) {
		t.Errorf("code %d, output %q, errors %q", code, out, errs)
	}
	var result struct {
		Clients        []struct{ Client string }
		Configurations []any
	}
	if _, out, _ := run(t, nil, "doctor", "--json"); json.Unmarshal([]byte(out), &result) != nil || len(result.Clients) != 18 || result.Configurations == nil {
		t.Errorf("as JSON: %s", out)
	}
}

// Servers in the files of clients are found, started and asked. A server in a file that somebody
// else may have written is not started.
func TestDoctorFindsItself(t *testing.T) {
	home := homeFolder(t)
	program := installSelf(t)
	dir := makeProject(t, goodConfig, "resources/x/h/a.md=# A")
	other := makeProject(t, `mcp-docs-server.json={"name": "Other", "package": "other", "version": "2.0.0"}`)
	t.Chdir(dir)
	asked := 0
	remote := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer remote.Close()
	marker := filepath.Join(t.TempDir(), "started")
	evil := filepath.Join(t.TempDir(), "mcp-docs-server")
	if err := os.WriteFile(evil, []byte("#!/bin/sh\ntouch "+marker+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	entry := func(name, command string, args ...string) string {
		words, _ := json.Marshal(args)
		return fmt.Sprintf(`{"mcpServers": {%q: {"command": %q, "args": %s}}}`, name, command, words)
	}
	user, folder := filepath.Join(home, ".cursor", "mcp.json"), filepath.Join(dir, ".cursor", "mcp.json")
	for _, test := range []struct {
		file, text string
		code       int
		want       string
	}{
		{user, entry("acme-docs", program, "serve", dir), 0, `  works    Cursor: "acme-docs" in ` + user + `: it starts and answers as "Acme" 1.2.3.` + "\n"},
		{user, entry("any", "mcp-docs-server", "serve", "--config", filepath.Join(dir, "mcp-docs-server.json")), 0, `"any" in ` + user + `: it starts and answers as "Acme" 1.2.3.`},
		{user, entry("acme-docs", "mcp-docs-server", "serve", other), 0, `limited  Cursor: "acme-docs" in ` + user + `: it starts and answers as "Other" 2.0.0.` + "\n           → That is another project"},
		{user, entry("any", "mcp-docs-server", "serve", other), 0, "No client has this project"},
		{user, entry("acme-docs", "/nowhere/mcp-docs-server", "serve", dir), 1, `fails    Cursor: "acme-docs" in ` + user + `: the command /nowhere/mcp-docs-server does not exist or cannot be run.`},
		{user, entry("acme-docs", "no-such-program-here"), 1, "the command no-such-program-here is not in the PATH."},
		{user, entry("acme-docs", program, "serve", filepath.Join(dir, "gone")), 1, "the command is found, but does not answer: exit status 1: mcp-docs-server: "},
		{user, `{"mcpServers": {"acme-docs": {"url": "` + remote.URL + `"}}}`, 0, "it answers, but needs a token."},
		{user, `{"mcpServers": {"acme-docs": {"command": "x", "disabled": true}}}`, 0, "it is turned off."},
		{user, `{"mcpServers": {"acme-docs": `, 0, `limited  Cursor: "acme-docs" in ` + user + ": the file is not JSON: "},
		{folder, entry("acme-docs", program, "serve", dir), 0, `works    Cursor: "acme-docs" in ` + filepath.Join(".cursor", "mcp.json") + `: it starts and answers as "Acme" 1.2.3.`},
		{folder, entry("acme-docs", evil, "serve", dir), 0, "the command is found; it is not started."},
		{folder, entry("acme-docs", program, "serve", dir, "--audit="+marker), 0, "the command is found; it is not started."},
		{folder, `{"mcpServers": {"acme-docs": {"command": "` + program + `", "args": ["serve", "` + dir + `"], "env": {"LD_PRELOAD": "x"}}}}`, 0, "the command is found; it is not started."},
		{folder, `{"mcpServers": {"acme-docs": {"url": "` + remote.URL + `"}}}`, 0, "it is not asked."},
	} {
		put(t, test.file, test.text)
		code, out, errs := run(t, nil, "doctor", "cursor")
		if code != test.code || !strings.Contains(out, test.want) {
			t.Errorf("%s: code %d, output %s, errors %s\nwant %q", test.text, code, out, errs, test.want)
		}
		if err := os.Remove(test.file); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(marker); err == nil || asked != 1 {
		t.Errorf("a server in a file of a folder was started or asked: %v, %d", err, asked)
	}
	claudeFile := filepath.Join(home, ".claude.json")
	local, _ := json.Marshal(map[string]any{"projects": map[string]any{dir: map[string]any{"mcpServers": map[string]any{"acme-docs": map[string]any{"command": program, "args": []string{"serve", dir}}}}}})
	put(t, claudeFile, string(local))
	if code, out, errs := run(t, nil, "doctor", "claude-code"); code != 0 || !strings.Contains(out, `works    Claude Code: "acme-docs" in `+claudeFile+`: it starts and answers as "Acme" 1.2.3.`) {
		t.Errorf("code %d, output %s, errors %s", code, out, errs)
	}
}
