package examples

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// packaged returns a file of the folder packaging.
func packaged(t *testing.T, name string) string {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join("../packaging", name)))(t)
	return string(text)
}

// TestUnit runs the command of the systemd unit with the options that the page writes into its environment.
func TestUnit(t *testing.T) {
	for line := range strings.Lines(blocks(t, "text environment")[0]) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		t.Setenv(name, value)
	}
	unit := packaged(t, "mcp-docs-server.service")
	command := regexp.MustCompile(`(?m)^ExecStart=/usr/bin/mcp-docs-server (serve .*)$`).FindStringSubmatch(unit)
	if command == nil {
		t.Fatal(unit)
	}
	newSite(t).run(t, strings.Fields(command[1]), nil)
}

// TestUnitSyntax lets systemd read the unit, with a program that exists.
func TestUnitSyntax(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("systemd is not installed")
	}
	program := must.Get(os.Executable())(t)
	file := filepath.Join(t.TempDir(), "mcp-docs-server.service")
	verify := func(unit string) error {
		must.Write(t, file, strings.Replace(unit, "/usr/bin/mcp-docs-server", program, 1))
		out, err := exec.Command("systemd-analyze", "verify", "--man=no", file).CombinedOutput()
		if err == nil && bytes.Contains(out, []byte(file)) {
			t.Errorf("systemd warns: %s", out)
		}
		return err
	}
	unit := packaged(t, "mcp-docs-server.service")
	if err := verify(unit); err != nil {
		t.Error(err)
	}
	if verify(strings.Replace(unit, "ExecStart=", "ExecStrat=", 1)) == nil {
		t.Error("systemd accepts a unit without a command")
	}
}

// TestCompose checks that the command of the compose file uses the port, the project and the tokens that the file mounts, and runs the command.
func TestCompose(t *testing.T) {
	var file struct {
		Services map[string]struct {
			Command, Ports, Volumes, Secrets []string
		}
		Secrets map[string]struct{ File string }
	}
	must.Do(t, yaml.Unmarshal([]byte(packaged(t, "compose.yaml")), &file))
	docs := file.Services["docs"]
	if !slices.Equal(docs.Ports, []string{"127.0.0.1:3060:3060"}) || !slices.Contains(docs.Command, "--http=:3060") {
		t.Errorf("ports: %q, %q", docs.Ports, docs.Command)
	}
	if !slices.Equal(docs.Volumes, []string{"./project:/project:ro"}) || !slices.Contains(docs.Command, "/project") {
		t.Errorf("project: %q, %q", docs.Volumes, docs.Command)
	}
	if !slices.Equal(docs.Secrets, []string{"tokens"}) || file.Secrets["tokens"].File == "" || !slices.Contains(docs.Command, "--token-file=/run/secrets/tokens") {
		t.Errorf("tokens: %q, %q", docs.Secrets, docs.Command)
	}
	newSite(t).run(t, docs.Command, nil)
}
