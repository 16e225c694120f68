package command

import (
	"strings"
	"testing"
)

func TestBuilt(t *testing.T) {
	for file, want := range map[string]bool{
		"/tmp/go-build123/b001/exe/mcp-docs-server": true, "/home/me/.cache/go-build/0a/0a1b-d/mcp-docs-server": true,
		"/srv/cache/d2/d2" + strings.Repeat("0a", 31) + "-d/mcp-docs-server": true, "/srv/d2/mcp-docs-server": false,
		"/home/me/go/bin/mcp-docs-server": false, "/home/me/go-builds/mcp-docs-server": false,
	} {
		if Built(file) != want {
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
