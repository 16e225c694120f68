package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
)

// A name with a line end cannot look like a line of the server on standard error.
func TestNamesForgeNoLines(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("names there have no line ends")
	}
	const forged = "a\nmcp-docs-server: forged"
	dir := makeProject(t, goodConfig, "resources/x/h/a.md=# A", "skills/"+forged+"/SKILL.md=# No front matter")
	for _, folder := range []string{"resources", "docs"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("nowhere", filepath.Join(dir, folder, forged+".md")); err != nil {
			t.Fatal(err)
		}
	}
	_, _, errs := runUntil(t, handshakeLines, []string{"SKILL.md", "docs", "link"}, "serve", dir)
	named := 0
	for line := range strings.Lines(errs) {
		if strings.HasPrefix(line, "mcp-docs-server: forged") || !strings.HasPrefix(line, command.LinePrefix) {
			t.Errorf("%q in\n%s", line, errs)
		}
		if strings.Contains(line, `a\nmcp-docs-server: forged`) {
			named++
		}
	}
	if named < 2 {
		t.Errorf("%d lines have the name:\n%s", named, errs)
	}
}
