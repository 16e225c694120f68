package cli

import (
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

// Commands use the project of --project, unless their arguments name another one.
func TestProjectOption(t *testing.T) {
	t.Chdir(given.Folder(t, "one/"+goodConfig, "one/resources/x/h/a.md=# A\n", `two/mcp-docs-server.json={"name": "Other"}`, "two/resources/y/h/b.md=# B\n"))
	version := "mcp-docs-server " + command.Version() + "\n"
	rows(t,
		row{"--project one list", 0, "x://h/a.md\n", ""},
		row{"--project one list two", 0, "y://h/b.md\n", ""},
		row{"--project one list --config two/mcp-docs-server.json", 0, "y://h/b.md\n", ""},
		row{"--project one list --project two", 0, "y://h/b.md\n", ""},
		row{"--project one read x://h/a.md", 0, "# A\n", ""},
		row{"--project one read y://h/b.md two", 0, "# B\n", ""},
		row{"--project one", 0, "", "…"}, row{"--project one --help", 0, "…--project DIR…", ""},
		row{"--version", 0, version, ""}, row{"version", 0, version, ""},
		row{"version --licenses", 0, "MIT License\n…\n==== github.com/spf13/cobra v1…\n==== the Go standard library: LICENSE\n…", ""},
		row{"help", 0, "…", ""}, row{"completion zsh", 0, "…", ""}, row{"completion fish", 0, "…", ""}, row{"completion powershell", 0, "…", ""})
}
