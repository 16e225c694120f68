package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Environment variables of the programs that replace the programs of Node.js.
const (
	nodeVersion = "TEST_NODE_VERSION"
	npxFails    = "TEST_NPX_FAILS"
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
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range names {
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		if err := os.Symlink(self, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	t.Setenv(nodeVersion, version)
}

func TestCloudflareDeploy(t *testing.T) {
	dir := makeProject(t, publishable...)
	for _, test := range []struct {
		version, args string
		code          int
		out, errs     string // errs is a part of standard error
	}{
		{"v22.12.0", "", 0, "--yes wrangler@4.164.0 deploy --config wrangler.jsonc  <nil>\n", "npx wrangler secret put MCP_DOCS_TOKEN"},
		{"v24.1.0", "--no-auth --account-id abc", 0, "--yes wrangler@4.164.0 deploy --config wrangler.jsonc abc <nil>\n", ""},
		{"v22.11.0", "", 1, "", `needs Node.js 22.12.0 or later, with npm, and "node --version" says "v22.11.0"`},
		{"nothing", "", 1, "", `says "nothing"`},
	} {
		withNode(t, test.version, "node", "npx")
		args := append([]string{"cloudflare", "deploy", "--output", filepath.Join(t.TempDir(), "worker")}, strings.Fields(test.args)...)
		code, out, errs := run(t, strings.NewReader(""), append(args, dir)...)
		if code != test.code || out != test.out || !strings.Contains(errs, test.errs) {
			t.Errorf("Node.js %s, %q: code %d, output %q, errors %q", test.version, test.args, code, out, errs)
		}
	}
	withNode(t, "v22.12.0", "node", "npx")
	t.Setenv(npxFails, "1")
	if code, _, errs := run(t, nil, "cloudflare", "deploy", "--output", filepath.Join(t.TempDir(), "worker"), dir); code != 1 || !strings.Contains(errs, "it cannot be fetched\n") || !strings.Contains(errs, "wrangler ended with code 3") {
		t.Errorf("code %d, errors %q", code, errs)
	}
}
