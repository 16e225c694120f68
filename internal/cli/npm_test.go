package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
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
	for _, variable := range []string{"XDG_CONFIG_HOME", "AppData"} { // where capture remembers permissions
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

// A version that the registry of the fake npm does not have, and one for which it cannot reach the
// registry.
const absentVersion, offlineVersion = "9.9.9", "8.8.8"

func fakeNpm(args []string) int {
	switch args[0] {
	case "view":
		_, version, _ := strings.Cut(strings.TrimPrefix(args[1], "@"), "@")
		switch version {
		case absentVersion:
			fmt.Println(`{"error": {"code": "E404", "summary": "No match found for version 9.9.9", "detail": ""}}`)
			return 1
		case offlineVersion:
			fmt.Println(`{"error": {"code": "ECONNREFUSED", "summary": "request to the registry failed", "detail": ""}}`)
			return 1
		}
		fmt.Printf("%q\n", version)
	case "publish":
		fmt.Println("+ published")
	default:
		return 1
	}
	return 0
}

// A package that depends on an unpublished program cannot be installed.
func TestPublishChecksVersion(t *testing.T) {
	dir := makeProject(t, publishable...)
	out := filepath.Join(t.TempDir(), "a.tgz")
	absent := "mcp-docs-server: the registry has no @mcp-docs-server/cli@9.9.9, on which the package depends, so nobody could install it; give a version that is there with --cli-version, or --no-check if yours has it later\n"
	unknown := "it is not known whether the registry has @mcp-docs-server/cli@8.8.8, on which the package depends: npm view: request to the registry failed; --no-check leaves out the question\n"
	warning := func(line string) string {
		return "mcp-docs-server: warning: " + strings.TrimPrefix(line, "mcp-docs-server: ")
	}
	for _, test := range []struct {
		args []string
		code int
		want string // standard error
	}{
		{[]string{"--cli-version", "1.4.2"}, 0, ""},
		{[]string{"--cli-version", absentVersion}, 1, absent},
		{[]string{"--cli-version", absentVersion, "--output", out}, 1, absent},
		{[]string{"--cli-version", absentVersion, "--dry-run"}, 0, warning(absent)},
		{[]string{"--cli-version", absentVersion, "--no-check"}, 0, ""},
		{[]string{"--cli-version", offlineVersion}, 1, "mcp-docs-server: " + unknown},
		{[]string{"--cli-version", offlineVersion, "--output", out}, 0, warning(unknown)},
		{[]string{"--cli-version", offlineVersion, "--dry-run"}, 0, warning(unknown)},
		{[]string{"--cli-version", offlineVersion, "--no-check", "--output", out}, 0, ""},
		{[]string{"--target", "oci", "--no-check"}, 2, "mcp-docs-server: --no-check is for --target npm and has no meaning for oci\n"},
	} {
		code, said, errs := run(t, nil, append([]string{"publish", dir}, test.args...)...)
		errs = strings.ReplaceAll(errs, "mcp-docs-server: left out: resources/x/h/.hidden (hidden)\n", "")
		errs = helpLine.ReplaceAllString(errs, "")
		if code != test.code || errs != test.want || code > 0 && said != "" {
			t.Errorf("%q: code %d, errors %q, want %d, %q", test.args, code, errs, test.code, test.want)
		}
	}
}

// A package always has a README.
func TestPublishReadme(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "package")
	dir := makeProject(t, goodConfig, "docs/a.md=a", `package.json={"description": "All about Acme"}`)
	if code, _, errs := run(t, nil, "publish", "-o", folder, "--cli-version", "1.4.2", dir); code != 0 {
		t.Fatalf("code %d, errors %q", code, errs)
	}
	text, err := os.ReadFile(filepath.Join(folder, "README.md"))
	if want := "# Acme\n\nAll about Acme\n\nAn MCP server of this documentation. It needs Node.js 18 or later:\n\n```sh\nnpx -y @acme/docs\n```\n\n## Connect a client\n\n"; err != nil || !strings.HasPrefix(string(text), want) || !strings.Contains(string(text), "claude mcp add") {
		t.Errorf("%v, README.md is\n%s", err, text)
	}
}
