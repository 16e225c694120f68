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
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// TestMain puts a fake npm first in PATH, so that no test asks a registry. The test program acts as
// npm, node, npx or mcp-docs-server if it is started under that name.
func TestMain(m *testing.M) {
	switch strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") {
	case "npm":
		os.Exit(fakeNpm(os.Args[1:]))
	case "node":
		fmt.Println(os.Getenv(nodeVersion))
		os.Exit(0)
	case "npx":
		os.Exit(fakeNpx(os.Args[1:]))
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
	if args[0] != "publish" || os.Getenv(npmFails) != "" {
		fmt.Fprintln(os.Stderr, "npm error code E403")
		return 1
	}
	fmt.Println("+ published")
	return 0
}

// A package always has a README.
func TestPublishReadme(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "package")
	try(t, "publish", "-o", folder, given.Folder(t, goodConfig, "docs/a.md=a", `package.json={"description": "All about Acme"}`)).ends(0)
	text := textOf(t, filepath.Join(folder, "README.md"))
	for _, want := range []string{"# Acme\n\nAll about Acme\n\n", "Node.js 18 or later", "\nnpx -y @acme/docs@latest\n", "npx keeps the version that it fetched first", "claude mcp add acme-docs -- npx -y @acme/docs@latest", "cmd /c npx", "no web UI"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in README.md:\n%s", want, text)
		}
	}
}

// Environment variables of the programs that replace the programs of Node.js.
const (
	nodeVersion = "TEST_NODE_VERSION"
	npxFails    = "TEST_NPX_FAILS"
	npmFails    = "TEST_NPM_FAILS"
)

// fakeNpx prints the arguments of wrangler.
func fakeNpx(args []string) int {
	if os.Getenv(npxFails) != "" {
		fmt.Fprintln(os.Stderr, "it cannot be fetched")
		return 3
	}
	_, err := os.Stat("wrangler.jsonc")
	fmt.Println(strings.Join(args, " "), os.Getenv("CLOUDFLARE_ACCOUNT_ID"), err)
	return 0
}

// withNode puts programs that replace node and npx first in PATH.
func withNode(t *testing.T, version string, names ...string) {
	t.Helper()
	self := must.Get(os.Executable())(t)
	dir := t.TempDir()
	for _, name := range names {
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		must.Do(t, os.Symlink(self, filepath.Join(dir, name)))
	}
	t.Setenv("PATH", dir)
	t.Setenv(nodeVersion, version)
}

func TestCloudflareDeploy(t *testing.T) {
	dir := given.Folder(t, publishable...)
	deploy := "cloudflare deploy " + dir + " --output " + filepath.Join(t.TempDir(), "worker")
	const command = "--yes wrangler@4.164.0 deploy --config wrangler.jsonc  <nil>\n"
	for version, r := range map[string]row{
		"v22.12.0": {deploy + "1", 0, command, "…npx wrangler secret put MCP_DOCS_TOKEN…"},
		"v24.1.0":  {deploy + "2 --no-auth", 0, command, "…"},
		"v22.11.0": {deploy + "3", 1, "", `…needs Node.js 22.12.0 or later, with npm, and "node --version" says "v22.11.0"…`},
		"nothing":  {deploy + "4", 1, "", `…says "nothing"…`},
	} {
		withNode(t, version, "node", "npx")
		rows(t, r)
	}
	withNode(t, "v22.12.0", "node", "npx")
	t.Setenv(npxFails, "1")
	line(t, deploy+"5").ends(1).complains("it cannot be fetched\n", "wrangler ended with code 3")
}
