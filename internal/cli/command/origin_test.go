package command

import (
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

// OnPath returns the name of the command only if PATH leads to this program.
func TestOnPath(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{"bin", "other"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, folder, "mcp-docs-server"), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	inDir := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for _, test := range []struct{ self, found, want string }{
		{inDir("bin/mcp-docs-server"), inDir("bin/mcp-docs-server"), "mcp-docs-server"},
		{inDir("bin/mcp-docs-server"), inDir("other/mcp-docs-server"), inDir("bin/mcp-docs-server")},
		{inDir("bin/mcp-docs-server"), "", inDir("bin/mcp-docs-server")},
	} {
		got := OnPath(test.self, func(string) (string, error) {
			if test.found == "" {
				return "", errors.New("not found")
			}
			return test.found, nil
		})
		if got != test.want {
			t.Errorf("%+v: %q", test, got)
		}
	}
}

func TestBuilt(t *testing.T) {
	for file, want := range map[string]bool{
		"/tmp/go-build123/b001/exe/mcp-docs-server": true, "/home/me/.cache/go-build/0a/0a1b-d/mcp-docs-server": true,
		"/work/cache/d2/d2" + strings.Repeat("0a", 31) + "-d/mcp-docs-server": true, "/work/d2/mcp-docs-server": false,
		"/home/me/go/bin/mcp-docs-server": false, "/home/me/go-builds/mcp-docs-server": false,
	} {
		if built().MatchString(file) != want {
			t.Errorf("%s: %t", file, !want)
		}
	}
}

func TestPackageOf(t *testing.T) {
	for file, want := range map[string]string{
		"/home/me/.npm/_npx/0a1b/node_modules/@acme/docs":                                                         "@acme/docs",
		"/home/me/.npm/_npx/0a1b/node_modules/acme-docs/bin/x":                                                    "acme-docs",
		"/home/me/.cache/pnpm/dlx/0a/1b/node_modules/.pnpm/@acme+docs@1.0.0/node_modules/@acme/docs/bin/stdio.js": "@acme/docs",
		"/tmp/bunx-1000-@acme/docs@latest/node_modules/@acme/docs":                                                "@acme/docs",
		"/tmp/xfs-0a/dlx-99/node_modules/acme/bin":                                                                "acme",
		`C:\Users\me\AppData\Local\npm-cache\_npx\0a\node_modules\@acme\docs`:                                     "@acme/docs",
		"/usr/lib/node_modules/@acme/docs/bin/x":                                                                  "", "/home/me/work/node_modules/acme": "", "/home/me/_npx": "",
	} {
		if got, _ := packageOf(file); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

func TestGoInstall(t *testing.T) {
	const path = "example.com/mcp/cmd/mcp-docs-server"
	clone := []debug.BuildSetting{{Key: "vcs.revision", Value: "0a"}}
	for _, test := range []struct {
		info *debug.BuildInfo
		want string
	}{
		{nil, "go install ./cmd/mcp-docs-server"},
		{&debug.BuildInfo{Path: path, Main: debug.Module{Version: "(devel)"}}, "go install ./cmd/mcp-docs-server"},
		{&debug.BuildInfo{Path: path, Main: debug.Module{Version: "v1.0.1-0.20260101000000-0123456789ab+dirty"}, Settings: clone}, "go install ./cmd/mcp-docs-server"},
		{&debug.BuildInfo{Path: path, Main: debug.Module{Version: "v1.2.3"}}, "go install " + path + "@v1.2.3"},
	} {
		if got := goInstall(test.info, test.info != nil); got != test.want {
			t.Errorf("%+v: %q", test.info, got)
		}
	}
}
