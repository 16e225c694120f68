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
	files := []string{
		"package.json=" + `{"name": "acme", "dependencies": {"walrus": "^1", "bare": "*", "lost": "*"}}`, "docs/index.md=# Acme\n\nOur zoo.\n",
		"node_modules/walrus/package.json=" + `{"version": "1.2.0"}`, "node_modules/walrus/README.md=# Walrus\n\nHow to feed a walrus.\n",
		"node_modules/bare/package.json=" + `{"version": "1.0.0"}`,
	}
	without := given.Folder(t, append(files, goodConfig)...)
	configured := given.Folder(t, append(files, strings.Replace(goodConfig, "}", `, "deps": true}`, 1))...)
	alone := given.Folder(t, "package.json="+`{"name": "seal", "dependencies": {"seal": "1"}}`, "Cargo.toml=[package]\n",
		"node_modules/seal/package.json="+`{"version": "1.0.0"}`, "node_modules/seal/README.md=# Seal\n\nFeed seals.\n")
	const found = "deps/npm/walrus@1.2.0/README.md:3: Walrus"
	for _, test := range []struct {
		dir, line string
		code      int
		want      string // a part of the output; with "!" in front of it, not one
	}{
		{without, "search feed walrus", 0, "!deps/"},
		{without, "search feed walrus --deps", 0, found},
		{without, "search feed walrus --deps=go", 0, "!" + found},
		{without, "search feed walrus --deps=npm,all", 0, found},
		{without, "search feed walrus --deps=all", 0, found},
		{configured, "search feed walrus", 0, found},
		{configured, "read deps://npm/walrus@1.2.0/README.md", 0, "How to feed a walrus."},
		{configured, "read deps/npm/walrus@1.2.0/README.md", 0, "How to feed a walrus."},
		{configured, "read deps/npm/walrus@2.0.0/README.md", 1, "there is no document"},
		{alone, "check --deps", 0, "!nothing to serve"},
		{alone, "check --deps", 0, "Cargo.toml: the documents of Rust packages are not supported yet"},
		{alone, "search tokio --deps", 0, "Cargo.toml: the documents of Rust packages are not supported yet."},
		{alone, "search feed seals --deps", 0, "deps/npm/seal@1.0.0/README.md:3: Seal"}, // it has the name of the project
		{configured, "read deps://npm/walrus@2.0.0/README.md", 1, "there is no resource"},
		{configured, "call searchAcme paths=deps/npm/bare", 0, "npm bare 1.0.0 is installed and has no documents."},
		{configured, "check", 0, "npm bare 1.0.0 has no documents"},
		{configured, "check", 0, "npm lost is not installed\n  to do: run npm install"},
		{without, "check", 0, "!walrus"},
		{configured, "publish --dry-run", 0, "left out: the documents of dependencies"},
		{configured, "publish --dry-run", 0, "!walrus"},
	} {
		t.Chdir(test.dir)
		s := line(t, test.line).ends(test.code)
		if want, unwanted := strings.CutPrefix(test.want, "!"); strings.Contains(s.out+s.errs, want) == unwanted {
			t.Errorf("%s in %s:\n%s%s\nwant %s", test.line, filepath.Base(test.dir), s.out, s.errs, test.want)
		}
	}
}

// Over HTTP, a configuration does not open the documents of dependencies to others.
func TestDependenciesOverHTTP(t *testing.T) {
	t.Chdir(given.Folder(t, strings.Replace(goodConfig, "}", `, "deps": true}`, 1), "docs/index.md=# Acme\n"))
	const want = "deps has no effect over HTTP"
	line(t, "serve --http=127.0.0.1:0 --tls-cert=missing.pem --tls-key=missing.pem").complains(want)
}
