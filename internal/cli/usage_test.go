package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// Help shows the many flags of serve in groups, and no line is wider than the terminal.
func TestUsage(t *testing.T) {
	root := newRoot(&command.App{})
	serve, _, err := root.Find([]string{"serve"})
	must.Do(t, err)
	var plain, shown []string
	serve.LocalFlags().VisitAll(func(f *pflag.Flag) {
		switch title := command.FlagTitle(f); {
		case title == "":
			plain = append(plain, f.Name)
		case !slices.Contains(command.FlagTitles, title):
			t.Errorf("--%s is in the group %q", f.Name, title)
		}
	})
	if len(plain) > 10 {
		t.Errorf("flags without a group: %q", plain)
	}
	addCompletion(root)
	var all func(c *cobra.Command) []*cobra.Command
	all = func(c *cobra.Command) []*cobra.Command {
		commands := []*cobra.Command{c}
		for _, sub := range c.Commands() {
			commands = append(commands, all(sub)...)
		}
		return commands
	}
	for _, width := range []int{60, 80, maxHelp} {
		for _, c := range all(root) {
			var b strings.Builder
			usage(&b, c, width)
			for line := range strings.SplitSeq(c.Long+"\n"+c.Short+"\n"+b.String(), "\n") {
				flag := strings.HasPrefix(line, "   ") && strings.Count(line, "  ") > 1
				if n := utf8.RuneCountInString(line); n > maxHelp || n > width && flag {
					t.Errorf("%s: %d columns: %q", c.Name(), n, line)
				}
				if strings.Contains(line, `[="`) {
					t.Errorf("%s: %q", c.Name(), line)
				}
			}
			if c == serve {
				shown = append(shown, b.String())
			}
		}
	}
	for _, title := range command.FlagTitles {
		if title != command.CrawlFlags.Title && !strings.Contains(shown[0], "\n\n"+title+":\n") {
			t.Errorf("%s is missing in\n%s", title, shown[0])
		}
	}
}

func TestVersionLicences(t *testing.T) {
	code, out, errs := run(t, nil, "version", "--licenses")
	if code != 0 || errs != "" || !strings.HasPrefix(out, "MIT License\n") || !strings.Contains(out, "\n==== github.com/spf13/cobra v1") || !strings.Contains(out, "\n==== the Go standard library: LICENSE\n") {
		t.Errorf("code %d, errors %q, output %.100q", code, errs, out)
	}
}

// Commands use the project of --project, unless their arguments name another one.
func TestProjectOption(t *testing.T) {
	dir := given.Folder(t, goodConfig, "resources/x/h/a.md=# A\n")
	other := given.Folder(t, `mcp-docs-server.json={"name": "Other", "package": "other", "version": "2.0.0"}`, "resources/y/h/b.md=# B\n")
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
	try(t, "--project", dir, "--help").ends(0).prints("--project DIR")
	try(t, "--version").ends(0).printsOnly(version)
}
