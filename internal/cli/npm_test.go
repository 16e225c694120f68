package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
)

// TestMain puts a fake npm first in PATH, so that no test asks a registry. The test program acts as
// npm or mcp-docs-server if it is started under that name.
func TestMain(m *testing.M) {
	switch strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") {
	case "npm":
		os.Exit(fakeNpm(os.Args[1:]))
	case "mcp-docs-server":
		os.Exit(Run(context.Background(), os.Args[1:], Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
	}
	os.Exit(withNpm(m))
}

func withNpm(m *testing.M) int {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "npm-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	for _, variable := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "AppData"} { // where capture remembers permissions, and serve the key of sessions
		if err := os.Setenv(variable, filepath.Join(dir, "config")); err != nil {
			panic(err)
		}
	}
	name := "npm"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if err := os.Symlink(self, filepath.Join(dir, name)); err != nil {
		panic(err)
	}
	os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return m.Run()
}

func fakeNpm(args []string) int {
	switch args[0] {
	case "publish":
		fmt.Println("+ published")
	default:
		return 1
	}
	return 0
}

// A package always has a README.
func TestPublishReadme(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "package")
	dir := given.Folder(t, goodConfig, "docs/a.md=a", `package.json={"description": "All about Acme"}`)
	try(t, "publish", "-o", folder, dir).ends(0)
	text, err := os.ReadFile(filepath.Join(folder, "README.md"))
	for _, want := range []string{"# Acme\n\nAll about Acme\n\n", "Node.js 18 or later", "\nnpx -y @acme/docs@latest\n", "npx keeps the version that it fetched first", "claude mcp add acme-docs -- npx -y @acme/docs@latest", "cmd /c npx", "no web UI"} {
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%v, %q is not in README.md:\n%s", err, want, text)
		}
	}
}
