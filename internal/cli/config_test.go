package cli

import (
	"encoding/json"
	"errors"
	"io/fs"
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
	long := strings.Repeat("a", 63)
	must.Do(t, os.Mkdir(filepath.Join(dir, long+" b"), 0o700))
	t.Chdir(dir)
	rows(t, transcript(t, "config.txt", "$DIR", dir, "$LONG", long)...)
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

// A server is added, added again, changed and removed; each change keeps a copy of the old file.
func TestConfigWrite(t *testing.T) {
	home := homeFolder(t)
	t.Chdir(given.Folder(t, goodConfig, "docs/a.md=# A"))
	file := filepath.Join(home, ".cursor", "mcp.json")
	const config, scope = "config cursor --scope user ", ", for this user, in all folders"
	const restart = "Restart Cursor, and switch the server on in Customize → MCPs if it is off.\n"
	for _, step := range []struct {
		row
		text, copy string // copy is the name of the newest copy
	}{
		{row{"--remove", 1, "", `…has no server "acme-docs"…`}, "", ""},
		{row{"--write --package", 0, file + `: added "acme-docs"` + scope + "\n", restart}, `"npx"`, ""},
		{row{"--write --package", 0, file + ` has "acme-docs" already` + scope + "; nothing is written\n", restart}, `"npx"`, ""},
		{row{"--write --url https://example.com/mcp", 1, "{…", `…has an entry "acme-docs" with other values…`}, `"npx"`, ""},
		{row{"--remove", 0, file + `: removed "acme-docs"` + scope + "; the old file is " + file + ".bak\n", ""}, "\"mcpServers\": {\n  }", file + ".bak"},
		{row{"--write --url https://example.com/mcp", 0, file + `: added "acme-docs"` + scope + "; the old file is " + file + ".1.bak\n", restart}, `"https://example.com/mcp"`, file + ".1.bak"},
	} {
		before, _ := os.ReadFile(file)
		step.line = config + step.line
		rows(t, step.row)
		if step.text != "" && !strings.Contains(textOf(t, file), step.text) {
			t.Errorf("%s: %s", step.line, textOf(t, file))
		}
		if step.copy != "" && textOf(t, step.copy) != string(before) {
			t.Errorf("%s: the copy is %s", step.line, textOf(t, step.copy))
		}
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 3 {
		t.Errorf("%v, %v", left, err)
	}
}

// A file that config cannot edit stays unchanged, and the snippet and its place are printed.
func TestConfigWriteRefused(t *testing.T) {
	home := homeFolder(t)
	t.Chdir(given.Folder(t, goodConfig, "docs/a.md=# A"))
	codex, cursor := filepath.Join(home, ".codex", "config.toml"), filepath.Join(home, ".cursor", "mcp.json")
	before := map[string]string{codex: "[mcp_servers]\nacme-docs = { command = \"x\" } # mine\n", cursor: "{ // ours\n\"a\": 1,, }", filepath.Join(home, ".config", "goose", "config.yaml"): "extensions: {}\n"}
	for file, text := range before {
		must.Write(t, file, text)
	}
	rows(t, transcript(t, "config-refused.txt", "$CODEX", codex, "$CURSOR", cursor)...)
	for file, text := range before {
		if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 1 || textOf(t, file) != text {
			t.Errorf("%v, %v, %s", left, err, textOf(t, file))
		}
	}
}

// A link stays a link, modes stay, and opencode's other file is edited if it exists.
func TestConfigWriteKeepsLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there")
	}
	home := homeFolder(t)
	dir := given.Folder(t, goodConfig, "docs/a.md=# A")
	real, link := filepath.Join(home, "dotfiles", "opencode.jsonc"), filepath.Join(home, ".config", "opencode", "opencode.jsonc")
	must.Write(t, real, "{}\n")
	must.Do(t, os.Chmod(real, 0o640))
	must.Do(t, os.MkdirAll(filepath.Dir(link), 0o700))
	must.Do(t, os.Symlink(real, link))
	try(t, "config", "opencode", "--scope", "user", dir, "--write", "--package").ends(0).prints(link + " (" + real + "): added")
	info, err := os.Stat(real)
	if target, linkErr := os.Readlink(link); linkErr != nil || target != real || err != nil || info.Mode().Perm() != 0o640 || !strings.Contains(textOf(t, real), `"type": "local"`) {
		t.Errorf("%v, %v: %s", info, err, textOf(t, real))
	}
}

// The file of a project is in the current folder. It has no path of this computer if the project is there too, and config says if
// nothing would be served.
func TestConfigWriteInFolder(t *testing.T) {
	home := homeFolder(t)
	t.Chdir(given.Folder(t, goodConfig, "sub/"))
	for client, test := range map[string][3]string{
		"claude-code --package": {".mcp.json", "@acme/docs", ""}, "cursor --package": {".cursor/mcp.json", "@acme/docs", ""}, "codex --package": {".codex/config.toml", "@acme/docs", ""},
		"gemini-cli sub": {".gemini/settings.json", `"args": ["serve", "./sub"]`, "sub has nothing to serve yet"}, "vscode sub": {".vscode/mcp.json", `"args": ["serve", "${workspaceFolder}/sub"]`, "sub has nothing to serve yet"},
	} {
		s := line(t, "config --write "+client).ends(0).prints(filepath.FromSlash(test[0])+": added ", ", for this project (the folder you work in)\n").complains(test[2])
		if text := textOf(t, test[0]); !strings.Contains(text, test[1]) || test[2] != "" && !strings.Contains(text, `"command": "mcp-docs-server"`) {
			t.Errorf("%q: %s", s.args, text)
		}
	}
	try(t, "config", "cursor", given.Folder(t, goodConfig)).complains("Others cannot use this file")
	if left, err := os.ReadDir(home); err != nil || len(left) != 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// A read-only file and a link whose target does not exist stay unchanged.
func TestConfigWriteLeavesAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there, and modes are others")
	}
	home := homeFolder(t)
	dir := given.Folder(t, goodConfig, "docs/a.md=# A")
	file := filepath.Join(home, ".cursor", "mcp.json")
	for _, test := range []struct {
		make func() error
		want string
	}{
		{func() error { must.Write(t, file, "{}"); return os.Chmod(file, 0o444) }, "mcp.json: is read-only: "},
		{func() error { return os.Symlink(filepath.Join(home, "nowhere"), file) }, "mcp.json: is a link that leads nowhere: "},
		{func() error { return os.Symlink(file, file) }, "mcp.json: is a link that leads nowhere: "},
		{func() error { return os.Mkdir(file, 0o700) }, "mcp.json: is not a regular file"},
		{func() error { must.Write(t, file, "{}"); return os.Chown(file, 65534, 65534) }, "mcp.json: belongs to another user"},
	} {
		must.Do(t, os.MkdirAll(filepath.Dir(file), 0o700))
		if err := test.make(); errors.Is(err, fs.ErrPermission) {
			continue // only root can give a file to somebody else
		} else if err != nil {
			t.Fatal(err)
		}
		before, err := os.Lstat(file)
		must.Do(t, err)
		for _, option := range []string{"--write", "--remove"} {
			try(t, "config", "cursor", "--scope", "user", dir, option, "--package").ends(1).complains(test.want)
		}
		after, err := os.Lstat(file)
		if left, _ := os.ReadDir(filepath.Dir(file)); err != nil || !os.SameFile(before, after) || len(left) != 1 {
			t.Errorf("%s: %v, %v", test.want, left, err)
		}
		must.Do(t, os.RemoveAll(filepath.Dir(file)))
	}
}

// TestConfigWriteStaysInTheFolder has a clone whose file, or whose folder, of a client leads out of it.
func TestConfigWriteStaysInTheFolder(t *testing.T) {
	homeFolder(t)
	dir := given.Folder(t, goodConfig, "docs/a.md=# A")
	t.Chdir(dir)
	outside := t.TempDir()
	victim := filepath.Join(outside, "victim.json")
	must.Write(t, victim, `{"private":1}`)
	must.Write(t, filepath.Join(dir, "real.json"), "{}")
	for link, target := range map[string]string{".mcp.json": victim, ".cursor": outside, ".vscode": filepath.Join(outside, "none")} {
		if err := os.Symlink(target, link); err != nil {
			t.Skip("this system does not let the user make symbolic links")
		}
	}
	for client, place := range map[string]string{"claude-code": ".mcp.json: ", "cursor": ".cursor/mcp.json: ", "vscode": ".vscode/mcp.json: "} {
		code, out, errs := run(t, nil, "config", client, "--write", "--scope", "project")
		if code == 0 || !strings.Contains(errs, "nothing is written") || !strings.Contains(errs, place) {
			t.Errorf("%s: %d %q %q", client, code, out, errs)
		}
	}
	if names, _ := os.ReadDir(outside); len(names) != 1 || textOf(t, victim) != `{"private":1}` {
		t.Errorf("outside: %v, %s", names, textOf(t, victim))
	}
	must.Do(t, errors.Join(os.Remove(".mcp.json"), os.Symlink("real.json", ".mcp.json")))
	if code, out, errs := run(t, nil, "config", "claude-code", "--write", "--scope", "project"); code != 0 || !strings.Contains(out, ".mcp.json ("+"real.json)") || !strings.Contains(textOf(t, "real.json"), "acme-docs") {
		t.Errorf("a link in the folder: %d %q %q", code, out, errs)
	}
}
