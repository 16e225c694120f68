package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
)

// token looks like an npm token, but is not one.
var token = "npm_" + strings.Repeat("7Kq2ZwB9xMfT", 3)

var publishable = []string{goodConfig, "resources/x/h/a.md=# A\n", "resources/x/h/.hidden=s", "docs/index.md=# Index\n", "prompts/review.md=Review.\n", "src/main.go=package main\n", ".npmrc=//registry.npmjs.org/:_authToken=secret",
	"README.md=# Acme\n", `package.json={"private": true, "description": "All about Acme", "license": "MIT"}`}

func TestPublishDryRun(t *testing.T) {
	dir := makeProject(t, publishable...)
	code, out, errs := run(t, nil, "publish", "--dry-run", dir)
	for _, want := range []string{"  docs/index.md\n", "  resources/x/h/a.md\nleft out: resources/x/h/.hidden (hidden)\n", "  bin/server.cjs\n", "  bin/answers/ (", `"description": "All about Acme"`,
		"\npackage:   @acme/docs 1.2.3\nfiles:     ", "\nsha256:    "} {
		if code != 0 || errs != "" || !strings.Contains(out, want) || strings.Contains(out, "main.go") || strings.Contains(out, ".npmrc") {
			t.Errorf("code %d, errors %q, %q is not in\n%s", code, errs, want, out)
		}
	}
}

func TestPublishOutput(t *testing.T) {
	dir, to := makeProject(t, publishable...), t.TempDir()
	var tarballs [][]byte
	for _, name := range []string{"one/a.tgz", "b.tgz"} {
		file := filepath.Join(to, name)
		code, out, errs := run(t, nil, "publish", "--output", file, dir)
		if code != 0 || !strings.Contains(out, "package:   @acme/docs 1.2.3\n") || errs != "mcp-docs-server: left out: resources/x/h/.hidden (hidden)\n" {
			t.Fatalf("code %d, output %q, errors %q", code, out, errs)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tarballs = append(tarballs, data)
	}
	if !bytes.Equal(tarballs[0], tarballs[1]) {
		t.Error("two runs differ")
	}
	if names, _ := filepath.Glob(filepath.Join(to, ".*")); len(names) > 0 {
		t.Errorf("%q is left", names)
	}

	folder := filepath.Join(to, "folder")
	if code, _, errs := run(t, nil, "publish", "-o", folder, dir); code != 0 {
		t.Fatalf("code %d, errors %q", code, errs)
	}
	if code, out, _ := run(t, nil, "list", folder); code != 0 || out != "x://h/a.md\n" {
		t.Errorf("list of what was packed: code %d, %q", code, out)
	}
	if _, err := os.Stat(filepath.Join(folder, ".npmrc")); err == nil {
		t.Error(".npmrc was packed")
	}
	if code, _, errs := run(t, nil, "publish", "-o", folder, dir); code != 1 || !strings.Contains(errs, "folder: is not empty") {
		t.Errorf("again: code %d, errors %q", code, errs)
	}
}

func TestPublishGuard(t *testing.T) {
	dir := makeProject(t, append(slices.Clone(publishable), "docs/setup.md=# Setup\n\nUse "+token+"\n", "docs/setup.txt=# Setup\n\nUse "+token+"\n", "docs/big.md="+strings.Repeat("x", 2<<20), "README.md="+token)...)
	args := []string{"publish", "-n", "--max-file-size", "1", dir}
	code, out, errs := run(t, nil, args...)
	want := []string{
		"mcp-docs-server: warning: README.md:1: holds an npm token (npm_…); in its place, clients get a note",
		"mcp-docs-server: warning: docs/setup.md:3: holds an npm token (npm_…); in its place, clients get a note",
		"mcp-docs-server: warning: docs/setup.txt:3: holds an npm token (npm_…); in its place, clients get a note",
		"mcp-docs-server: docs/big.md: has 2.0 MiB, the limit for a file is 1.0 MiB",
		`mcp-docs-server: nothing is published: take this out; or move the file out of the project or give it a name that begins with a dot ("exclude" in mcp-docs-server.json leaves out files below resources/ only); or allow a file with --allow FILE and sizes with --max-size and --max-file-size`,
		"",
	}
	if diff := cmp.Diff(want, strings.Split(errs, "\n")); code != 1 || out != "" || diff != "" {
		t.Errorf("code %d, output %q, -want +got:\n%s", code, out, diff)
	}
	if strings.Contains(errs, token) {
		t.Error("the token is printed")
	}
	if code, _, errs := run(t, nil, append(args, "--allow", "docs/**", "--allow", "README.md", "--allow", "nope.md")...); code != 0 || errs != strings.Join(want[:3], "\n")+"\nmcp-docs-server: warning: --allow nope.md: the package has no such file\n" {
		t.Errorf("allowed: code %d, errors %q", code, errs)
	}
}

func TestPublishWarnings(t *testing.T) {
	dir := makeProject(t, goodConfig, "resources/my_scheme/h/a=1", "resources/x/h/a=1", "docs/con.md=x", "prompts/bad.md=---\nargs: 1\n---\n")
	code, _, errs := run(t, nil, "publish", "-n", dir)
	if code != 1 || !strings.Contains(errs, "bad.md:2: the arguments") || !strings.HasSuffix(errs, "nothing is published: correct these errors, which \"mcp-docs-server check\" explains, or publish with --with-errors\n") {
		t.Errorf("an error of check: code %d, errors %q", code, errs)
	}
	code, _, errs = run(t, nil, "publish", "-n", "--with-errors", dir)
	for _, want := range []string{"my_scheme: is not served: ", "con.md: has a name that Windows reserves for a device", "bad.md:2: error: the arguments"} {
		if code != 0 || !strings.Contains(errs, want) {
			t.Errorf("code %d, errors %q lack %q", code, errs, want)
		}
	}
}

func TestPublishFailures(t *testing.T) {
	good := makeProject(t, publishable...)
	for _, test := range []struct {
		dir  string
		args []string
		want string
	}{
		{good, []string{"-n", "-o", "x"}, "not both"},
		{good, []string{"--target", "pip"}, `--target is "pip", must be one of npm`},
		{good, []string{"--target", "mcpb", "--access", "public"}, "--access is for --target npm and has no meaning for mcpb"},
		{good, []string{"--target", "server-json", "--mcpb", "/nope", "--mcpb-url", "https://github.com/"}, "--mcpb /nope: no such file or folder"},
		{good, []string{"--max-size", "0"}, "must be a whole number from 1"},
		{makeProject(t, `mcp-docs-server.json={"name": "A", "package": "My Docs", "version": "1"}`), []string{"-n"}, `package is "My Docs", must be a name that npm takes`},
		{makeProject(t, goodConfig, "package.json={"), []string{"-n"}, "package.json:1:2: "},
		{makeProject(t, goodConfig, "resources/x/h/.a=1"), []string{"-n"}, "there is nothing to publish"},
	} {
		code, out, errs := run(t, nil, append([]string{"publish", test.dir}, test.args...)...)
		if code != codeOf(errs) || out != "" || !strings.Contains(errs, test.want) {
			t.Errorf("%q: code %d, output %q, errors %q lack %q", test.args, code, out, errs, test.want)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if code, _, errs := run(t, nil, "publish", good); code != 1 || !strings.Contains(errs, "npm is not installed") {
		t.Errorf("without npm: code %d, errors %q", code, errs)
	}
}

// Every key is optional, and each target asks only for the keys that it writes, for all of them at once.
func TestPublishAsks(t *testing.T) {
	bare := makeProject(t, "docs/a.md=# A")
	partly := makeProject(t, `mcp-docs-server.json={"docsExclude": ["docs/drafts"]}`, "docs/a.md=# A", "docs/drafts/b.md=# B")
	if code, out, errs := run(t, nil, "list", "docs", partly); code != 0 || strings.Contains(out, "drafts") || strings.Contains(errs, "warning") {
		t.Errorf("list docs: %d, %q, %q", code, out, errs)
	}
	if code, out, errs := run(t, nil, "check", partly); code != 0 || strings.Contains(out, "version") {
		t.Errorf("check: %d, %q, %q", code, out, errs)
	}
	versioned := makeProject(t, `mcp-docs-server.json={"name": "A", "version": "1"}`, "docs/a.md=# A")
	for _, test := range []struct {
		dir, target string
		args        []string
		want        []string
	}{
		{bare, "npm", nil, []string{`mcp-docs-server.json: --target npm needs keys that are missing; write {"package": "@me/` + filepath.Base(bare) + `", "version": "1.0.0"}`}},
		{partly, "mcpb", nil, []string{`--target mcpb needs keys that are missing; write "package": "@me/` + filepath.Base(partly) + `", "version": "1.0.0"`}},
		{versioned, "server-json", nil, []string{`version is "1", must be an exact version`, `--target server-json needs keys that are missing; write "package": "@me/a"`}},
		{bare, "cloudflare", nil, []string{`--target cloudflare needs keys that are missing; write {"name": "` + filepath.Base(bare) + `"}`}},
		{bare, "cloudflare", []string{"--name", "notes", "-n"}, nil},
		{versioned, "cloudflare", []string{"-n"}, nil},
		{partly, "store", []string{"--to", "notes", "-n"}, nil},
	} {
		code, _, errs := run(t, nil, append([]string{"publish", "--target", test.target, test.dir}, test.args...)...)
		if lines := strings.Count(errs, "mcp-docs-server: "); code != min(len(test.want), 1) || lines != len(test.want) && test.want != nil {
			t.Errorf("%s, %q: code %d, errors %q", test.target, test.args, code, errs)
		}
		for _, want := range test.want {
			if !strings.Contains(errs, want) {
				t.Errorf("%s: errors %q lack %q", test.target, errs, want)
			}
		}
	}
}

// A package whose configuration has no name keeps the name of the folder that it comes from.
func TestPublishKeepsName(t *testing.T) {
	dir := makeProject(t, `mcp-docs-server.json={"package": "@acme/docs", "version": "1.0.0"}`, "docs/a.md=# A")
	folder := filepath.Join(t.TempDir(), "package")
	if code, _, errs := run(t, nil, "publish", "-o", folder, dir); code != 0 {
		t.Fatalf("code %d, errors %q", code, errs)
	}
	data, err := os.ReadFile(filepath.Join(folder, "mcp-docs-server.json"))
	if c, problems := config.Decode("", "other", data); err != nil || len(problems) > 0 || c.Name != filepath.Base(dir) || c.Package != "@acme/docs" {
		t.Errorf("%s: %+v, %v, %v", data, c, problems, err)
	}
}

// The values that are copied from the project's package.json are also checked for secrets, and
// publish does not write through links or into pipes.
func TestPublishChecksManifestAndOutput(t *testing.T) {
	token := "npm_" + strings.Repeat("7Kq2ZwB9x", 4)
	dir := makeProject(t, `mcp-docs-server.json={"name":"A","package":"a","version":"1.0.0"}`, "docs/a.md=# A", `package.json={"homepage": "https://me:`+token+`@example.org"}`)
	if code, _, errs := run(t, nil, "publish", dir, "--dry-run"); code != 1 || !strings.Contains(errs, "package.json:1: holds an npm token") || strings.Contains(errs, token) {
		t.Errorf("code %d, errors %q", code, errs)
	}
	if code, _, errs := run(t, nil, "publish", dir, "--dry-run", "--allow", "package.json"); code != 0 {
		t.Errorf("allowed: code %d, errors %q", code, errs)
	}
	to := t.TempDir()
	real, link := filepath.Join(to, "real.tgz"), filepath.Join(to, "link.tgz")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	args := []string{"publish", dir, "--allow", "package.json", "--output", link}
	if code, _, errs := run(t, nil, args...); code != 1 || !strings.Contains(errs, "is a link, must be the file to write") {
		t.Errorf("a link to nothing: code %d, errors %q", code, errs)
	}
	if err := os.WriteFile(real, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := run(t, nil, args...); code != 1 || !strings.Contains(errs, "is a link, must be the file to write") {
		t.Errorf("a link to a file: code %d, errors %q", code, errs)
	}
	if info, err := os.Stat(link); err != nil || info.Size() != 0 {
		t.Errorf("publish wrote through the link: %v, %v", info, err)
	}
}

func TestPublishToNpmRefuses(t *testing.T) {
	for want, files := range map[string][]string{
		"as in --tag next":              {`mcp-docs-server.json={"name":"A","package":"a","version":"1.0.0-beta.1"}`, "docs/a.md=# A"},
		`in the folder "bin"`:           {`mcp-docs-server.json={"name":"A","package":"a","version":"1.0.0","docs":"Bin"}`, "Bin/a.md=# A"},
		"must be an exact version such": {`mcp-docs-server.json={"name":"A","package":"a","version":"1.0.0+b"}`, "docs/a.md=# A"},
		"must be a name that npm takes": {`mcp-docs-server.json={"name":"A","package":"--","version":"1.0.0"}`, "docs/a.md=# A"},
	} {
		dir := makeProject(t, files...)
		if code, _, errs := run(t, nil, "publish", dir, "--dry-run"); code != 1 || !strings.Contains(errs, want) {
			t.Errorf("code %d, errors %q lack %q", code, errs, want)
		}
	}
	dir := makeProject(t, `mcp-docs-server.json={"name":"A","package":"a","version":"1.0.0","docs":"Bin"}`, "Bin/a.md=# A")
	if code, _, errs := run(t, nil, "publish", dir, "--dry-run", "--target", "mcpb"); code != 1 || !strings.Contains(errs, `in the folder "bin"`) {
		t.Errorf("a desktop bundle: code %d, errors %q", code, errs)
	}
}
