package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
)

// Commands serve the documents of dependencies if the option or the configuration asks for them; publish never does.
func TestDependencies(t *testing.T) {
	cache := t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "LocalAppData", "HOME"} { // of Linux, Windows and macOS
		t.Setenv(name, cache)
	}
	const config = `mcp-docs-server.json={"name": "Acme", "package": "@acme/docs", "version": "1.2.3"}`
	files := []string{
		"package.json=" + `{"name": "acme", "dependencies": {"walrus": "^1", "bare": "*", "lost": "*"}}`, "docs/index.md=# Acme\n\nOur zoo.\n",
		"node_modules/walrus/package.json=" + `{"version": "1.2.0"}`, "node_modules/walrus/README.md=# Walrus\n\nHow to feed a walrus.\n",
		"node_modules/bare/package.json=" + `{"version": "1.0.0"}`,
	}
	without := given.Folder(t, append(files, config)...)
	configured := given.Folder(t, append(files, strings.Replace(config, "}", `, "deps": true}`, 1))...)
	alone := given.Folder(t, "package.json="+`{"name": "seal", "dependencies": {"seal": "1"}}`, "Cargo.toml=[package]\n",
		"node_modules/seal/package.json="+`{"version": "1.0.0"}`, "node_modules/seal/README.md=# Seal\n\nFeed seals.\n")
	const found = "deps/npm/walrus@1.2.0/README.md:3: Walrus"
	for _, test := range []struct {
		dir  string
		args []string
		code int
		want string // a part of the output; with "!" in front of it, not one
	}{
		{without, []string{"search", "feed walrus"}, 0, "!deps/"},
		{without, []string{"search", "feed walrus", "--deps"}, 0, found},
		{without, []string{"search", "feed walrus", "--deps=go"}, 0, "!" + found},
		{without, []string{"search", "feed walrus", "--deps=npm,all"}, 0, found},
		{without, []string{"search", "feed walrus", "--deps=cargo"}, 2, "--deps is \"cargo\", must be one of npm, go, all"},
		{configured, []string{"search", "feed walrus"}, 0, found},
		{configured, []string{"read", "deps://npm/walrus@1.2.0/README.md"}, 0, "How to feed a walrus."},
		{configured, []string{"read", "deps/npm/walrus@1.2.0/README.md"}, 0, "How to feed a walrus."},
		{configured, []string{"read", "deps/npm/walrus@2.0.0/README.md"}, 1, "there is no document"},
		{alone, []string{"check", "--deps"}, 0, "!nothing to serve"},
		{alone, []string{"check", "--deps"}, 0, "Cargo.toml: the documents of Rust packages are not supported yet"},
		{alone, []string{"search", "tokio", "--deps"}, 0, "Cargo.toml: the documents of Rust packages are not supported yet."},
		{alone, []string{"search", "feed seals", "--deps"}, 0, "deps/npm/seal@1.0.0/README.md:3: Seal"}, // it has the name of the project
		{configured, []string{"read", "deps://npm/walrus@2.0.0/README.md"}, 1, "there is no resource"},
		{configured, []string{"call", "searchAcme", "paths=deps/npm/bare"}, 0, "npm bare 1.0.0 is installed and has no documents."},
		{configured, []string{"check"}, 0, "npm bare 1.0.0 has no documents"},
		{configured, []string{"check"}, 0, "npm lost is not installed\n  to do: run npm install"},
		{without, []string{"check"}, 0, "!walrus"},
		{configured, []string{"publish", "--dry-run"}, 0, "left out: the documents of dependencies"},
		{configured, []string{"publish", "--dry-run"}, 0, "!walrus"},
	} {
		t.Chdir(test.dir)
		code, out, errs := run(t, nil, test.args...)
		want, unwanted := strings.CutPrefix(test.want, "!")
		if test.code >= 0 && code != test.code || strings.Contains(out+errs, want) == unwanted {
			t.Errorf("%q in %s: code %d\n%s%s\nwant code %d and %s", test.args, filepath.Base(test.dir), code, out, errs, test.code, test.want)
		}
	}
}

// Over HTTP, a configuration does not open the documents of dependencies to others.
func TestDependenciesOverHTTP(t *testing.T) {
	t.Chdir(given.Folder(t, `mcp-docs-server.json={"name": "Acme", "package": "@acme/docs", "version": "1.2.3", "deps": true}`, "docs/index.md=# Acme\n"))
	const want = "deps has no effect over HTTP"
	_, _, errs := runUntil(t, "", []string{want}, "serve", "--http=127.0.0.1:0", "--tls-cert=missing.pem", "--tls-key=missing.pem")
	if !strings.Contains(errs, want) {
		t.Errorf("the operator reads\n%s", errs)
	}
}
