package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// token looks like an npm token, but is not one.
var token = "npm_" + strings.Repeat("7Kq2ZwB9xMfT", 3)

var publishable = []string{goodConfig, "resources/x/h/a.md=# A\n", "resources/x/h/.hidden=s", "docs/index.md=# Index\n", "prompts/review.md=Review.\n", "src/main.go=package main\n", ".npmrc=//registry.npmjs.org/:_authToken=secret",
	"README.md=# Acme\n", `package.json={"private": true, "description": "All about Acme", "license": "MIT"}`}

func TestPublishDryRun(t *testing.T) {
	dir := makeProject(t, publishable...)
	code, out, errs := run(t, nil, "publish", "--dry-run", "--cli-version", "1.4.2", dir)
	want := `         440  package.json
           7  README.md
         222  bin/stdio.js
           8  docs/index.md
          61  mcp-docs-server.json
           8  prompts/review.md
           4  resources/x/h/a.md
left out: resources/x/h/.hidden (hidden)

{
  "name": "@acme/docs",
  "version": "1.2.3",
  "description": "All about Acme",
  "keywords": [
    "mcp",
    "mcp-server",
    "docs"
  ],
  "license": "MIT",
  "bin": {
    "acme-docs": "bin/stdio.js"
  },
  "files": [
    "bin",
    "docs",
    "mcp-docs-server.json",
    "prompts",
    "resources"
  ],
  "dependencies": {
    "@mcp-docs-server/cli": "1.4.2"
  },
  "engines": {
    "node": ">=18"
  },
  "preferUnplugged": true
}

package:   @acme/docs 1.2.3
files:     7
unpacked:  750 bytes
`
	if code != 0 || errs != "" {
		t.Errorf("code %d, errors %q", code, errs)
	}
	got, sums, _ := strings.Cut(out, "packed:    ")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !strings.Contains(sums, "\nshasum:    ") || !strings.Contains(sums, "\nintegrity: sha512-") {
		t.Errorf("summary: %q", sums)
	}
}

func TestPublishOutput(t *testing.T) {
	dir, to := makeProject(t, publishable...), t.TempDir()
	var tarballs [][]byte
	for _, name := range []string{"one/a.tgz", "b.tgz"} {
		file := filepath.Join(to, name)
		code, out, errs := run(t, nil, "publish", "--output", file, "--cli-version", "1.4.2", dir)
		if code != 0 || !strings.HasPrefix(out, "package:   @acme/docs 1.2.3\n") || errs != "mcp-docs-server: left out: resources/x/h/.hidden (hidden)\n" {
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
	if code, _, errs := run(t, nil, "publish", "-o", folder, "--cli-version", "1.4.2", dir); code != 0 {
		t.Fatalf("code %d, errors %q", code, errs)
	}
	if code, out, _ := run(t, nil, "list", folder); code != 0 || out != "x://h/a.md\n" {
		t.Errorf("list of what was packed: code %d, %q", code, out)
	}
	if _, err := os.Stat(filepath.Join(folder, ".npmrc")); err == nil {
		t.Error(".npmrc was packed")
	}
	if code, _, errs := run(t, nil, "publish", "-o", folder, "--cli-version", "1.4.2", dir); code != 1 || !strings.Contains(errs, "folder: is not empty") {
		t.Errorf("again: code %d, errors %q", code, errs)
	}
}

func TestPublishSelfContained(t *testing.T) {
	binaries := makeProject(t, "mcp-docs-server-linux-x64="+programHead("linux-x64"), "cli-win32-x64/bin/mcp-docs-server.exe="+programHead("win32-x64"))
	dir := makeProject(t, publishable...)
	code, out, errs := run(t, nil, "publish", "-n", "--self-contained=linux-x64,win32-x64", "--binaries", binaries, dir)
	for _, want := range []string{"          64  bin/mcp-docs-server-linux-x64\n", "          88  bin/mcp-docs-server-win32-x64.exe\n", "  bin/run.cjs\n", "  bin/stdio.js\n"} {
		if code != 0 || !strings.Contains(out, want) || strings.Contains(out, `"dependencies"`) {
			t.Errorf("code %d, errors %q, output lacks %q:\n%s", code, errs, want, out)
		}
	}
	code, _, errs = run(t, nil, "publish", "-n", "--self-contained", "--binaries", binaries, dir)
	if code != 1 || strings.Count(errs, "there is no program for ") != 4 {
		t.Errorf("code %d, errors %q", code, errs)
	}
}

// A program for another platform is refused, because users could not start it.
func TestPublishSelfContainedWrong(t *testing.T) {
	binaries := makeProject(t, "mcp-docs-server-linux-x64="+programHead("linux-arm64"), "mcp-docs-server-win32-x64.exe=#!/bin/sh")
	code, out, errs := run(t, nil, "publish", "-n", "--self-contained=win32-x64,linux-x64", "--binaries", binaries, makeProject(t, publishable...))
	want := "mcp-docs-server: --binaries " + binaries + ": mcp-docs-server-linux-x64 is a program for linux-arm64, must be one for linux-x64\n" +
		"mcp-docs-server: mcp-docs-server-win32-x64.exe is not a known kind of program: must be a 64-bit ELF, Mach-O or PE file\n"
	if diff := cmp.Diff(want, errs); code != 1 || out != "" || diff != "" {
		t.Errorf("code %d, output %q, -want +got:\n%s", code, out, diff)
	}
}

func TestPublishGuard(t *testing.T) {
	dir := makeProject(t, append(slices.Clone(publishable), "docs/setup.md=# Setup\n\nUse "+token+"\n", "docs/setup.txt=# Setup\n\nUse "+token+"\n", "docs/big.md="+strings.Repeat("x", 2<<20), "README.md="+token)...)
	args := []string{"publish", "-n", "--cli-version", "1.4.2", "--max-file-size", "1", dir}
	code, out, errs := run(t, nil, args...)
	want := []string{
		"mcp-docs-server: warning: docs/setup.md:3: holds an npm token (npm_…); in its place, clients get a note",
		"mcp-docs-server: docs/big.md: has 2.0 MiB, the limit for a file is 1.0 MiB",
		"mcp-docs-server: docs/setup.txt:3: holds an npm token (npm_…)",
		"mcp-docs-server: README.md:1: holds an npm token (npm_…)",
		`mcp-docs-server: nothing is published: take this out; or move the file out of the project or give it a name that begins with a dot ("exclude" in mcp-docs-server.json leaves out files below resources/ only); or allow a file with --allow FILE and sizes with --max-size and --max-file-size`,
		"",
	}
	if diff := cmp.Diff(want, strings.Split(errs, "\n")); code != 1 || out != "" || diff != "" {
		t.Errorf("code %d, output %q, -want +got:\n%s", code, out, diff)
	}
	if strings.Contains(errs, token) {
		t.Error("the token is printed")
	}
	if code, _, errs := run(t, nil, append(args, "--allow", "docs/**", "--allow", "README.md", "--allow", "nope.md")...); code != 0 || errs != want[0]+"\nmcp-docs-server: warning: --allow nope.md: there is no such file in the package\n" {
		t.Errorf("allowed: code %d, errors %q", code, errs)
	}
}

func TestPublishWarnings(t *testing.T) {
	dir := makeProject(t, goodConfig, "resources/my_scheme/h/a=1", "resources/x/h/a=1", "docs/con.md=x", "prompts/bad.md=---\nargs: 1\n---\n")
	code, _, errs := run(t, nil, "publish", "-n", "--cli-version", "1.4.2", dir)
	for _, want := range []string{"my_scheme: is not served: ", "con.md: has a name that Windows reserves for a device", "bad.md:2: args"} {
		if code != 0 || !strings.Contains(errs, want) {
			t.Errorf("code %d, errors %q lack %q", code, errs, want)
		}
	}
}

func TestPublishFailures(t *testing.T) {
	good := makeProject(t, publishable...)
	unnamed := makeProject(t, "docs/a.md=a")
	for _, test := range []struct {
		dir  string
		args []string
		want string
	}{
		{good, []string{"-n"}, "so there is no @mcp-docs-server/cli of that version; give the version to use, as in --cli-version 1.0.0\n"},
		{good, []string{"-n", "--cli-version", "latest"}, `--cli-version: version is "latest", must be an exact version`},
		{good, []string{"-n", "-o", "x"}, "not both"},
		{good, []string{"--target", "pip"}, `--target is "pip", must be one of npm`},
		{good, []string{"--target", "oci", "--access", "public"}, "--access is for --target npm and has no meaning for oci"},
		{good, []string{"--target", "mcpb", "--self-contained"}, "--self-contained is for --target npm and has no meaning for mcpb"},
		{good, []string{"--target", "server-json", "--binaries", "."}, "--binaries is for --target mcpb, oci, npm and has no meaning for server-json"},
		{good, []string{"--image", "ghcr.io/a/b:1"}, "--image is for --target server-json and has no meaning for npm"},
		{good, []string{"--target", "server-json", "--mcpb-url", "https://github.com/"}, "give both or none"},
		{good, []string{"--target", "server-json", "--mcpb", "/nope", "--mcpb-url", "https://github.com/"}, "--mcpb /nope: no such file or folder"},
		{good, []string{"--target", "server-json", "--mcpb", good, "--mcpb-url", "https://github.com/"}, "is not a file, must be the desktop bundle"},
		{good, []string{"--target", "server-json"}, "write \"mcpName\" into package.json"},
		{good, []string{"--target", "server-json", "--no-npm"}, "server.json must say how clients get the server"},
		{good, []string{"--target", "mcpb", "--binaries", "."}, "a desktop bundle needs the key \"author\""},
		{good, []string{"--docs", "docs"}, "publish does not take --docs"},
		{good, []string{"--binaries", "."}, "give --self-contained too"},
		{good, []string{"--self-contained=linux-amd64"}, `no program for the platform "linux-amd64"`},
		{good, []string{"--self-contained", "--binaries", "/nope"}, "/nope: no such file or folder"},
		{good, []string{"--allow", "["}, `--allow "[" is neither a path nor`},
		{good, []string{"--max-size", "0"}, "must be a whole number from 1"},
		{good, []string{"--access", "private"}, `--access is "private"`},
		{good, []string{"--provenance"}, `--provenance needs the key "repository"`},
		{unnamed, []string{"-n"}, "mcp-docs-server.json: does not exist, and it must name the package; write it, for example {\"name\": "},
		{makeProject(t, `mcp-docs-server.json={"name": "A", "package": "My Docs", "version": "1"}`), []string{"-n"}, `package is "My Docs", must be a name that npm takes`},
		{makeProject(t, goodConfig, "package.json={"), []string{"-n"}, "package.json:1:2: "},
		{makeProject(t, goodConfig, "resources/x/h/.a=1"), []string{"-n"}, "there is nothing to publish"},
		{makeProject(t, `mcp-docs-server.json={"name": "A", "package": "a", "version": "1.0.0"}`, "docs/a.md="), []string{"--access", "restricted", "--cli-version", "1.0.0"}, `the package "a" has no scope`},
	} {
		code, out, errs := run(t, nil, append([]string{"publish", test.dir}, test.args...)...)
		if code != codeOf(errs) || out != "" || !strings.Contains(errs, test.want) {
			t.Errorf("%q: code %d, output %q, errors %q lack %q", test.args, code, out, errs, test.want)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if code, _, errs := run(t, nil, "publish", good, "--cli-version", "1.0.0"); code != 1 || !strings.Contains(errs, "npm is not installed") {
		t.Errorf("without npm: code %d, errors %q", code, errs)
	}
}

// The values that are copied from the project's package.json are also checked for secrets, and
// publish does not write through links or into pipes.
func TestPublishChecksManifestAndOutput(t *testing.T) {
	token := "npm_" + strings.Repeat("7Kq2ZwB9x", 4)
	dir := makeProject(t, `mcp-docs-server.json={"name":"A","package":"a","version":"1.0.0"}`, "docs/a.md=# A", `package.json={"homepage": "https://me:`+token+`@example.org"}`)
	if code, _, errs := run(t, nil, "publish", dir, "--cli-version", "1.0.0", "--dry-run"); code != 1 || !strings.Contains(errs, "package.json:1: holds an npm token") || strings.Contains(errs, token) {
		t.Errorf("code %d, errors %q", code, errs)
	}
	if code, _, errs := run(t, nil, "publish", dir, "--cli-version", "1.0.0", "--dry-run", "--allow", "package.json"); code != 0 {
		t.Errorf("allowed: code %d, errors %q", code, errs)
	}
	to := t.TempDir()
	real, link := filepath.Join(to, "real.tgz"), filepath.Join(to, "link.tgz")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	args := []string{"publish", dir, "--cli-version", "1.0.0", "--allow", "package.json", "--output", link}
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
		if code, _, errs := run(t, nil, "publish", dir, "--cli-version", "1.0.0", "--dry-run"); code != 1 || !strings.Contains(errs, want) {
			t.Errorf("code %d, errors %q lack %q", code, errs, want)
		}
	}
}
