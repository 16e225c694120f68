package cli

import (
	"archive/zip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/listing"
)

// token looks like an npm token, but is not one.
var token = "npm_" + strings.Repeat("7Kq2ZwB9xMfT", 3)

var publishable = []string{goodConfig, "resources/x/h/a.md=# A\n", "resources/x/h/.hidden=s", "docs/index.md=# Index\n", "prompts/review.md=Review.\n", "src/main.go=package main\n", ".npmrc=//registry.npmjs.org/:_authToken=secret",
	"README.md=# Acme\n", `package.json={"private": true, "description": "All about Acme", "license": "MIT"}`}

func TestPublishDryRun(t *testing.T) {
	try(t, "publish", "--dry-run", given.Folder(t, publishable...)).ends(0).complainsOnly("").hides("main.go", ".npmrc").
		prints("  docs/index.md\n", "  resources/x/h/a.md\n", "equal to a file)\nleft out: resources/x/h/.hidden (hidden)\n", "  bin/server.cjs\n", "  bin/answers/ (", `"description": "All about Acme"`,
			"\npackage:   @acme/docs 1.2.3\nfiles:     ", "\nsha256:    ")
}

func TestPublishOutput(t *testing.T) {
	t.Chdir(given.Folder(t, publishable...))
	to := t.TempDir()
	rows(t, row{"publish --output " + to + "/one/a.tgz", 0, "file:      " + to + "/one/a.tgz\npackage:   @acme/docs 1.2.3\n…", "mcp-docs-server: left out: resources/x/h/.hidden (hidden)\n"})
	if names, _ := filepath.Glob(filepath.Join(to, "one", "*")); len(names) != 1 {
		t.Errorf("%q are made", names)
	}
	folder := filepath.Join(to, "folder")
	line(t, "publish -o "+folder).ends(0)
	try(t, "list", folder).ends(0).printsOnly("x://h/a.md\n")
	if _, err := os.Stat(filepath.Join(folder, ".npmrc")); err == nil {
		t.Error(".npmrc was packed")
	}
	line(t, "publish -o "+folder).ends(1).complains("folder: is not empty")
}

func TestPublishGuard(t *testing.T) {
	dir := given.Folder(t, append(slices.Clone(publishable), "docs/setup.md=# Setup\n\nUse "+token+"\n", "docs/setup.txt=# Setup\n\nUse "+token+"\n", "resources/x/h/setup.txt="+token, "README.md="+token)...)
	left := ""
	for _, file := range []string{"README.md:1", "docs/setup.md:3", "docs/setup.txt:3"} {
		left += "mcp-docs-server: warning: " + file + ": holds an npm token (npm_…); in its place, clients get a note\n"
	}
	try(t, "publish", "-n", dir).ends(1).printsOnly("").hides(token).complainsOnly(left + "mcp-docs-server: resources/x/h/setup.txt:1: holds an npm token (npm_…)\n" +
		`mcp-docs-server: nothing is published: take this out; or move the file out of the project or give it a name that begins with a dot ("exclude" in mcp-docs-server.json leaves out files below resources/ only); or allow a file with --allow FILE and its size with --max-size` + "\n")
	try(t, "publish", "-n", dir, "--allow", "resources/**", "--allow", "nope.md").ends(0).
		complainsOnly(left + "mcp-docs-server: warning: --allow nope.md: the package has no such file\n")
}

func TestPublishWarnings(t *testing.T) {
	t.Chdir(given.Folder(t, goodConfig, "resources/my_scheme/h/a=1", "resources/x/h/a=1", "docs/con.md=x", "prompts/bad.md=---\nargs: 1\n---\n"))
	rows(t, row{"publish -n", 1, "", "…bad.md:2: the arguments…nothing is published: correct these errors, which \"mcp-docs-server check\" explains, or publish with --with-errors\n"})
	line(t, "publish -n --with-errors").ends(0).complains("my_scheme: is not served: ", "con.md: has a name that Windows reserves for a device", "bad.md:2: error: the arguments")
}

func TestPublishFailures(t *testing.T) {
	const nameless = `/mcp-docs-server.json={"name":"A","package":"a","docs":"docs","version":"1.0.0`
	t.Chdir(given.Folder(t, `package/mcp-docs-server.json={"package": "My Docs", "version": "1.0.0"}`, "version"+nameless+`+b"}`, "version/docs/a.md=# A", "beta"+nameless+`-beta.1"}`, "beta/docs/a.md=# A",
		`bin/mcp-docs-server.json={"package":"a","version":"1.0.0","docs":"Bin"}`, "bin/Bin/a.md=# A", "manifest/"+goodConfig, "manifest/package.json={", "empty/"+goodConfig, "empty/resources/x/h/.a=1",
		"clashing/"+goodConfig, "clashing/resources/x/h/a:b=1", "guarded/"+goodConfig, "guarded/resources/x/h/setup.txt="+token, `guarded/package.json={"mcpName": "io.github.acme/docs", "description": "d"}`))
	for args, want := range map[string]string{
		"package -n":                          `package is "My Docs", must be a name that npm takes`,
		"version -n":                          "must be an exact version such",
		"beta -n":                             "as in --tag next",
		"bin -n":                              `in the folder "bin"`,
		"bin -n --target mcpb":                `in the folder "bin"`,
		"manifest -n":                         "package.json:1:2: ",
		"empty -n":                            "there is nothing to publish",
		"clashing --target mcpb -o out":       "has ':' in its name, which Windows does not allow; rename it",
		"guarded --target mcpb -o out":        "resources/x/h/setup.txt:1: holds an npm token",
		"guarded --target server-json -o out": "resources/x/h/setup.txt:1: holds an npm token",
	} {
		line(t, "publish "+args).ends(1).printsOnly("").complains(want).hides(token)
	}
	if _, err := os.Stat("out"); err == nil {
		t.Error("a file was written")
	}
	good := given.Folder(t, publishable...)
	try(t, "publish", good, "--tag", "next", "--access", "public").ends(0)
	t.Setenv(npmFails, "1")
	try(t, "publish", good).ends(1).complains("nothing is published: the registry does not let this account publish @acme/docs")
	t.Setenv("PATH", t.TempDir())
	try(t, "publish", good).ends(1).complains("npm is not installed")
}

// Every key is optional, and each target asks only for the keys that it writes, for all of them at once.
func TestPublishAsks(t *testing.T) {
	t.Chdir(given.Folder(t, "bare/docs/a.md=# A", `partly/mcp-docs-server.json={"docsExclude": ["docs/drafts"]}`, "partly/docs/a.md=# A", "partly/docs/drafts/b.md=# B", `versioned/mcp-docs-server.json={"name": "A", "version": "1"}`, "versioned/docs/a.md=# A"))
	line(t, "list docs partly").ends(0).hides("drafts", "warning")
	line(t, "check partly").ends(0).hides("version")
	rows(t, transcript(t, "publish-asks.txt")...)
}

// A package whose configuration has no name keeps the name of the folder that it comes from.
func TestPublishKeepsName(t *testing.T) {
	dir := given.Folder(t, `mcp-docs-server.json={"package": "@acme/docs", "version": "1.0.0"}`, "docs/a.md=# A")
	folder := filepath.Join(t.TempDir(), "package")
	try(t, "publish", "-o", folder, dir).ends(0)
	data, err := os.ReadFile(filepath.Join(folder, "mcp-docs-server.json"))
	if c, problems := config.Decode("", "other", data); err != nil || len(problems) > 0 || c.Name != filepath.Base(dir) || c.Package != "@acme/docs" {
		t.Errorf("%s: %+v, %v, %v", data, c, problems, err)
	}
}

// The values that are copied from the project's package.json are also checked for secrets, and
// publish does not write through links or into pipes.
func TestPublishChecksManifestAndOutput(t *testing.T) {
	token := "npm_" + strings.Repeat("7Kq2ZwB9x", 4)
	dir := given.Folder(t, `mcp-docs-server.json={"name":"A","package":"a","version":"1.0.0"}`, "docs/a.md=# A", `package.json={"homepage": "https://me:`+token+`@example.org"}`)
	try(t, "publish", dir, "--dry-run").ends(1).complains("package.json:1: holds an npm token").hides(token)
	try(t, "publish", dir, "--dry-run", "--allow", "package.json").ends(0)
	to := t.TempDir()
	real, link := filepath.Join(to, "real.tgz"), filepath.Join(to, "link.tgz")
	must.Do(t, os.Symlink(real, link))
	args := []string{"publish", dir, "--allow", "package.json", "--output", link}
	try(t, args...).ends(1).complains("must be the file to write")
	must.Write(t, real, "")
	try(t, args...).ends(1).complains("must be the file to write")
	if info, err := os.Stat(link); err != nil || info.Size() != 0 {
		t.Errorf("publish wrote through the link: %v, %v", info, err)
	}
}

// An output among the files of a project would be part of its next package.
func TestPublishOutputOutside(t *testing.T) {
	dir := given.Folder(t, append(publishable, "out/x", "shared/a.txt=a")...)
	for link, target := range map[string]string{"resources/x/h/linked": "../../../shared", "away": t.TempDir()} {
		must.Do(t, os.Symlink(target, filepath.Join(dir, link)))
	}
	inside := "which is served; name a place outside of it"
	described := "is one of the files that describe the project"
	for output, want := range map[string]string{
		"docs/a.tgz": inside, "docs": inside, "prompts/new/deep/a.tgz": inside, "resources/x/h/folder": inside, "shared/a.tgz": inside,
		"package.json": described, "mcp-docs-server.json": described, "README.tgz": described,
		"docs/.out/a.tgz": "", "away/a.tgz": "", "out/a.tgz": "", "a.tgz": "", "new-folder": "",
	} {
		try(t, "publish", dir, "--output", filepath.Join(dir, output)).ends(min(1, len(want))).complains(want)
	}
	// The default name of a product is checked too.
	t.Chdir(filepath.Join(dir, "docs"))
	try(t, "publish", dir, "--target", "mcpb").ends(1).complains(inside)
	if entries, err := os.ReadDir("."); err != nil || len(entries) != 2 { // index.md and .out
		t.Errorf("%v, %v", entries, err)
	}
}

// If the output is a link to a folder, the package is written to that folder, and the link stays.
func TestPublishOutputLinkedFolder(t *testing.T) {
	dir, real := given.Folder(t, publishable...), t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	must.Do(t, os.Symlink(real, link))
	try(t, "publish", dir, "--output", link).ends(0)
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	if _, err := os.Stat(filepath.Join(real, "mcp-docs-server.json")); err != nil {
		t.Error(err)
	}
	must.Do(t, os.RemoveAll(real))
	try(t, "publish", dir, "--output", link).ends(1).complains("is a link whose target does not exist")
}

// An empty folder is not packed, so a server of the project does not list it either.
func TestEmptyFoldersAreAbsent(t *testing.T) {
	dir := given.Folder(t, strings.TrimSuffix(goodConfig, "}")+`, "docs": "docs"}`, "docs/index.md=# Index\n", "docs/empty/deep/", "docs/hidden/.gitkeep=", "docs/pictures/a.png=p")
	folder := filepath.Join(t.TempDir(), "package")
	try(t, "publish", dir, "--output", folder).ends(0)
	ask := handshakeLines + `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"searchAcme","arguments":{"paths":[".","empty","hidden","nothing"]}}}`
	_, source, _ := run(t, strings.NewReader(ask), "serve", dir)
	_, packed, _ := run(t, strings.NewReader(ask), "serve", folder)
	_, source, _ = strings.Cut(source, "\n") // the instructions name folders as they are
	_, packed, _ = strings.Cut(packed, "\n")
	if source != packed || strings.Contains(source, "empty/") || strings.Contains(source, "hidden/") || !strings.Contains(source, "pictures/") {
		t.Errorf("the project answers\n%s\nits package\n%s", source, packed)
	}
}

var bundled = append(slices.Clone(publishable[:len(publishable)-1]),
	`package.json={"description": "All about Acme", "author": "Acme", "license": "MIT", "mcpName": "io.github.acme/docs"}`,
	"prompts/explain.md=---\ndescription: Explains\nargs:\n  what: {description: it}\n---\nExplain {{what}}.\n\n[it](x://h/{{what}})\n")

func TestPublishDesktop(t *testing.T) {
	dir, to := given.Folder(t, bundled...), t.TempDir()
	dry := try(t, "publish", "--target", "mcpb", "-n", dir).ends(0).complainsOnly("").prints("  project/docs/index.md\n", "  project/bin/server.cjs\n", "left out: resources/x/h/.hidden (hidden)\n").out
	file := filepath.Join(to, "a/one.mcpb")
	_, summary, _ := strings.Cut(dry, "\n\n")
	try(t, "publish", "--target", "mcpb", "-o", file, dir).ends(0).complainsOnly("mcp-docs-server: left out: resources/x/h/.hidden (hidden)\n").printsOnly("file:      " + file + "\n" + summary)
	z := must.Get(zip.OpenReader(file))(t)
	defer z.Close()
	f := must.Get(z.Open("manifest.json"))(t)
	var manifest struct {
		Tools   []struct{ Name, Description string }
		Prompts any
	}
	must.Do(t, json.NewDecoder(f).Decode(&manifest))
	prompts := []any{
		map[string]any{"name": "explain", "description": "Explains", "arguments": []any{"what"}, "text": "Explain ${arguments.what}.\n\n[it](x://h/${arguments.what})"},
		map[string]any{"name": "review", "description": "Review.", "text": "Review."},
	}
	must.Equal(t, any(prompts), manifest.Prompts, "prompts")

	// The manifest declares the tools that a server of the project lists.
	var tools []struct{ Name, Description string }
	must.Do(t, json.Unmarshal([]byte(try(t, "list", "tools", "--json", dir).out), &tools))
	must.Equal(t, tools, manifest.Tools, "tools: -listed +declared")
}

func TestPublishServerJSON(t *testing.T) {
	dir, to := given.Folder(t, bundled...), t.TempDir()
	desktop := filepath.Join(to, "acme-docs.mcpb")
	must.Write(t, desktop, "abc")
	const asset = "https://github.com/acme/docs/releases/download/v1.2.3/acme-docs.mcpb"
	args := []string{"publish", "--target", "server-json", dir, "--image", "ghcr.io/acme/docs:1.2.3", "--mcpb-url", asset, "--mcpb", desktop, "--remote", "https://docs.acme.example/mcp"}
	code, out, errs := run(t, nil, args...)
	if err := listing.Validate([]byte(out)); code != 0 || errs != "" || err != nil {
		t.Fatalf("code %d, errors %q, %v", code, errs, err)
	}
	for _, want := range []string{`"io.github.acme/docs"`, `"npx"`, `"ghcr.io/acme/docs:1.2.3"`, asset, `"https://docs.acme.example/mcp"`,
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"} { // FIPS 180-2, appendix B.1
		if !strings.Contains(out, want) {
			t.Errorf("%s is not in %s", want, out)
		}
	}
	file := filepath.Join(to, "server.json")
	if code, said, errs := run(t, nil, append(args, "--output", file)...); code != 0 || said+errs != "" || textOf(t, file) != out {
		t.Errorf("code %d, output %q, errors %q", code, said, errs)
	}
}

// A server of a package answers as a server of the repository: lists, titles, URLs, texts, searches, languages and versions.
func TestPackedSites(t *testing.T) {
	for _, c := range given.Cases(t, "packed.txt") {
		t.Run(c.Name, func(t *testing.T) {
			project := t.TempDir()
			must.Do(t, os.CopyFS(project, given.Texts(c.Files)))
			packed := filepath.Join(t.TempDir(), "packed")
			try(t, "publish", "--output", packed, project).ends(0)
			both := func(args ...string) (of [2]string) {
				t.Helper()
				for i, dir := range []string{project, packed} {
					of[i] = try(t, append(args, "--project", dir)...).ends(0).complainsOnly("").out
				}
				return of
			}
			var lists [2][]map[string]any
			for i, text := range both("list", "docs", "--json", "--all") {
				must.Do(t, json.Unmarshal([]byte(text), &lists[i]))
				for _, d := range lists[i] {
					delete(d, "modTime")
					if filepath.Ext(d["path"].(string)) == ".ipynb" {
						delete(d, "size") // it is packed without outputs
					}
				}
			}
			if diff := cmp.Diff(lists[0], lists[1]); diff != "" || len(lists[0]) < 2 {
				t.Errorf("list (-repository +package):\n%s", diff)
			}
			for line := range strings.SplitSeq(c.Text, "\n") {
				kind, asked, _ := strings.Cut(line, ": ")
				args := []string{"search", "--json", asked}
				if kind == "path" {
					args = []string{"call", "searchAcme", string(must.Get(json.Marshal(map[string]any{"paths": []string{asked}}))(t))}
				}
				if of := both(args...); of[0] != of[1] || of[0] == "" {
					t.Errorf("%s (-repository +package):\n%s", line, cmp.Diff(of[0], of[1]))
				}
			}
		})
	}
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
