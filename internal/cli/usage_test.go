package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
)

// Help shows the many flags of serve in groups, and no line is wider than the terminal.
func TestUsage(t *testing.T) {
	root := newRoot(&command.App{})
	serve, _, err := root.Find([]string{"serve"})
	if err != nil {
		t.Fatal(err)
	}
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
	for _, width := range []int{0, 60, 80, 120} {
		for _, c := range append([]*cobra.Command{root}, root.Commands()...) {
			var b strings.Builder
			usage(&b, c, width)
			for line := range strings.SplitSeq(b.String(), "\n") {
				if width > 0 && len(line) > width && strings.HasPrefix(line, "   ") && strings.Count(line, "  ") > 1 {
					t.Errorf("%s: %d columns: %q", c.Name(), len(line), line)
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
