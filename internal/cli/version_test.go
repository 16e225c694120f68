package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
)

func TestVersionLicences(t *testing.T) {
	code, out, errs := run(t, nil, "version", "--licenses")
	if code != 0 || errs != "" || !strings.HasPrefix(out, "MIT License\n") || !strings.Contains(out, "\n==== github.com/spf13/cobra v1") || !strings.Contains(out, "\n==== the Go standard library: LICENSE\n") {
		t.Errorf("code %d, errors %q, output %.100q", code, errs, out)
	}
}

// Commands use the project of --project, unless their arguments name another one.
func TestProjectOption(t *testing.T) {
	dir := makeProject(t, goodConfig, "resources/x/h/a.md=# A\n")
	other := makeProject(t, `mcp-docs-server.json={"name": "Other", "package": "other", "version": "2.0.0"}`, "resources/y/h/b.md=# B\n")
	t.Chdir(t.TempDir())
	version := "mcp-docs-server " + command.Version() + "\n"
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"list"}, "x://h/a.md\n"},
		{[]string{"list", other}, "y://h/b.md\n"},
		{[]string{"list", "--config", filepath.Join(other, "mcp-docs-server.json")}, "y://h/b.md\n"},
		{[]string{"list", "--project", other}, "y://h/b.md\n"},
		{[]string{"read", "x://h/a.md"}, "# A\n"},
		{[]string{"read", "y://h/b.md", other}, "# B\n"},
		{[]string{"--version"}, version},
		{[]string{"version"}, version},
	} {
		code, out, errs := run(t, nil, append([]string{"--project", dir}, test.args...)...)
		if code != 0 || errs != "" || out != test.want {
			t.Errorf("%q: code %d, errors %q, output %q, want %q", test.args, code, errs, out, test.want)
		}
	}
	if code, out, errs := run(t, strings.NewReader(handshakeLines), "--project", dir); code != 0 || !strings.Contains(out, `"name":"Acme"`) {
		t.Errorf("serving: code %d, output %q, errors %q", code, out, errs)
	}
	if code, out, _ := run(t, nil, "--project", dir, "--help"); code != 0 || !strings.Contains(out, "--project DIR") {
		t.Errorf("help: code %d, output %q", code, out)
	}
	if code, out, _ := run(t, nil, "--version"); code != 0 || out != version {
		t.Errorf("without a project: code %d, output %q", code, out)
	}
}
