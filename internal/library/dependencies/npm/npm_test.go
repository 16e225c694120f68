package npm

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
)

// tree writes files into a new folder. A text that begins with "->" is a link.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		name = filepath.Join(root, filepath.FromSlash(name))
		must.Do(t, os.MkdirAll(filepath.Dir(name), 0o777))
		err := error(nil)
		if target, ok := strings.CutPrefix(text, "->"); ok {
			if err = os.Symlink(target, name); err != nil {
				t.Skip(err)
			}
		} else if err = os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// find finds the packages of a project, one line each, and the warnings.
func find(t *testing.T, dir string, o dependencies.Options) (lines []string) {
	t.Helper()
	found := open(t, dir, o)
	for _, p := range found.Packages {
		line := p.String()
		if !p.Direct {
			line += " indirect"
		}
		if p.Missing != "" {
			line = p.Absence()
		} else {
			for _, d := range p.Documents {
				line += " " + d.Path
			}
		}
		if p.Locked != "" {
			line += " (" + p.Difference() + ")"
		}
		lines = append(lines, line)
	}
	for _, n := range found.Notices {
		lines = append(lines, fmt.Sprint(n.Path, ": ", n.Reason))
	}
	return lines
}

func open(t *testing.T, dir string, o dependencies.Options) *dependencies.Found {
	t.Helper()
	files := must.Get(rootfs.Open(dir))(t)
	t.Cleanup(func() { files.Close() })
	o.Files, o.Dir = files, dir
	found := must.Get(Find(context.Background(), o))(t)
	t.Cleanup(found.Close)
	return found
}

// installed are files of packages in node_modules.
func installed(files map[string]string, packages ...string) map[string]string {
	for _, p := range packages {
		place, version, _ := strings.Cut(p, " ")
		files[place+"/package.json"] = `{"version":"` + version + `"}`
		files[place+"/README.md"] = "# " + p + "\n"
	}
	return files
}

func TestFind(t *testing.T) {
	indirect := " is an indirect dependency, whose documents are served with --deps=all."
	for _, test := range []struct {
		name    string
		files   map[string]string
		dir     string
		options dependencies.Options
		want    []string
	}{
		{name: "nothing", files: map[string]string{"README.md": "x"}},
		{
			name: "npm 3",
			files: installed(map[string]string{
				"package.json": `{"dependencies":{"a":"^1","@s/b":"^1","gone":"^1"},"devDependencies":{"c":"*"},"optionalDependencies":{"o":"*"},"peerDependencies":{"p":"*"}}`,
				"package-lock.json": `{"lockfileVersion":3,"packages":{"":{},"node_modules/a":{"version":"1.0.0"},"node_modules/@s/b":{"version":"1.0.1"},
					"node_modules/c":{"version":"3.0.0"},"node_modules/gone":{"version":"1.2.3"},"node_modules/a/node_modules/d":{"version":"4.0.0"}}}`,
			}, "node_modules/a 1.0.0", "node_modules/@s/b 1.0.0", "node_modules/c 3.0.0", "node_modules/a/node_modules/d 4.0.0"),
			want: []string{
				"npm @s/b 1.0.0 README.md (1.0.1 in package-lock.json; to install it, run npm ci)", "npm a 1.0.0 README.md", "npm c 3.0.0 README.md",
				"npm gone 1.2.3 is not installed: run npm ci.", "npm d 4.0.0" + indirect,
			},
		},
		{
			name: "everything",
			files: installed(map[string]string{
				"package.json":      `{"dependencies":{"a":"^1"}}`,
				"package-lock.json": `{"lockfileVersion":3,"packages":{"node_modules/a":{"version":"1.1.0"},"node_modules/d":{"version":"4.0.0"}}}`,
			}, "node_modules/a 1.0.0", "node_modules/d 4.0.0", "node_modules/a/node_modules/d 3.0.0"),
			options: dependencies.Options{All: true},
			want:    []string{"npm a 1.0.0 README.md (1.1.0 in package-lock.json; to install it, run npm ci)", "npm d 3.0.0 indirect README.md", "npm d 4.0.0 indirect README.md"},
		},
		{
			name: "pnpm workspace",
			files: installed(map[string]string{
				"package.json": `{"name":"root"}`, "pnpm-workspace.yaml": "packages:\n  - 'packages/*'\n  - '!packages/skipped'\n",
				"pnpm-lock.yaml": "lockfileVersion: '9.0'\n\nimporters:\n\n  .: {}\n\n  packages/web:\n    dependencies:\n      '@s/b':\n        specifier: ^2\n        version: 2.0.0(a@1.0.0)\n" +
					"      a:\n        specifier: ^1\n        version: 1.0.0\n      lib:\n        specifier: workspace:*\n        version: link:../lib\n\npackages:\n\n  '@s/b@2.0.0':\n    resolution: {integrity: sha512-x==}\n\n  deep@5.0.0:\n    resolution: {}\n",
				"packages/web/package.json":      `{"name":"web","dependencies":{"a":"^1","@s/b":"^2","lib":"workspace:*","lost":"*"}}`,
				"packages/lib/package.json":      `{"name":"lib","dependencies":{"a":"^1"}}`,
				"packages/web/node_modules/a":    "->../../../node_modules/.pnpm/a@1.0.0/node_modules/a",
				"packages/lib/node_modules/a":    "->../../../node_modules/.pnpm/a@1.1.0/node_modules/a",
				"packages/web/node_modules/@s/b": "->../../../../node_modules/.pnpm/@s+b@2.0.0/node_modules/@s/b",
				"packages/web/node_modules/lib":  "->../../lib",
			}, "node_modules/.pnpm/a@1.0.0/node_modules/a 1.0.0", "node_modules/.pnpm/a@1.1.0/node_modules/a 1.1.0", "node_modules/.pnpm/@s+b@2.0.0/node_modules/@s/b 2.0.0"),
			want: []string{
				"npm a 1.1.0 README.md", "npm @s/b 2.0.0 README.md", "npm a 1.0.0 README.md",
				"npm lost is not installed: run pnpm install.", "npm deep 5.0.0" + indirect,
			},
		},
		{
			name: "yarn 1",
			files: installed(map[string]string{
				"package.json": `{"dependencies":{"@s/b":"^1.0.0","a":"^1"}}`,
				"yarn.lock": "# THIS IS AN AUTOGENERATED FILE. DO NOT EDIT THIS FILE DIRECTLY.\n# yarn lockfile v1\n\n\n\"@s/b@^1.0.0\", \"@s/b@~1.0.0\":\n  version \"1.0.2\"\n  resolved \"x\"\n  dependencies:\n    d \"^4\"\n\n" +
					"a@^1:\n  version \"1.0.0\"\n\nd@^4:\n  version \"4.0.0\"\n",
			}, "node_modules/@s/b 1.0.0", "node_modules/a 1.0.0"),
			want: []string{"npm @s/b 1.0.0 README.md (1.0.2 in yarn.lock; to install it, run yarn install --frozen-lockfile)", "npm a 1.0.0 README.md", "npm d 4.0.0" + indirect},
		},
		{
			name: "yarn 4",
			files: installed(map[string]string{
				"package.json": `{"name":"x","workspaces":["libs/*"],"dependencies":{"a":"^1"}}`, "libs/l/package.json": `{"name":"l","dependencies":{"@s/b":"^2"}}`,
				"yarn.lock":      "__metadata:\n  version: 8\n\n\"@s/b@npm:^2, @s/b@npm:^2.1\":\n  version: 2.1.0\n  resolution: \"@s/b@npm:2.1.0\"\n\n\"a@npm:^1\":\n  version: 1.0.1\n\n\"x@workspace:.\":\n  version: 0.0.0-use.local\n",
				"node_modules/l": "->../libs/l",
			}, "node_modules/@s/b 2.1.0", "node_modules/a 1.0.0"),
			want: []string{"npm a 1.0.0 README.md (1.0.1 in yarn.lock; to install it, run yarn install --immutable)", "npm @s/b 2.1.0 README.md"},
		},
		{
			name: "bun",
			files: installed(map[string]string{
				"package.json": `{"dependencies":{"a":"^1","@s/b":"*"}}`,
				"bun.lock":     "{\n  \"lockfileVersion\": 1,\n  \"workspaces\": { \"\": {}, },\n  \"packages\": {\n    \"@s/b\": [\"@s/b@2.0.0\", \"\", {}, \"sha512-x\"],\n    \"a\": [\"a@1.0.1\", \"\", {}, \"x\"],\n  },\n}\n",
			}, "node_modules/@s/b 2.0.0", "node_modules/a 1.0.0"),
			want: []string{"npm @s/b 2.0.0 README.md", "npm a 1.0.0 README.md (1.0.1 in bun.lock; to install it, run bun install --frozen-lockfile)"},
		},
		{
			name:  "Plug'n'Play",
			files: map[string]string{"package.json": `{"dependencies":{}}`, ".pnp.cjs": "x", "yarn.lock": ""},
			want:  []string{"yarn.lock: names no packages that are understood: what is installed is served", ".: Yarn Plug'n'Play is not understood, so no npm packages are served: set nodeLinker: node-modules"},
		},
		{
			name: "above, only for an operator",
			files: installed(map[string]string{".git/HEAD": "x", "package.json": `{"dependencies":{"a":"*"}}`, "docs/index.md": "x"},
				"node_modules/a 1.0.0"),
			dir: "docs", options: dependencies.Options{Outside: true},
			want: []string{"npm a 1.0.0 README.md"},
		},
		{
			name:  "above, for a configuration",
			files: installed(map[string]string{".git/HEAD": "x", "package.json": `{"dependencies":{"a":"*"}}`, "docs/index.md": "x"}, "node_modules/a 1.0.0"),
			dir:   "docs",
		},
		{
			name: "links and local replacements",
			files: installed(map[string]string{
				"p/package.json":                  `{"dependencies":{"out":"*","own":"*","file":"file:../x","loop":"*","in":"*","../evil":"*","odd":"*"}}`,
				"p/node_modules/out":              "->../../outside",
				"p/node_modules/own":              "->../lib",
				"p/node_modules/loop":             "->loop",
				"p/node_modules/in":               "->.store/in",
				"p/node_modules/odd/package.json": `{"version":"../../x"}`,
				"p/lib/package.json":              `{"version":"1.0.0"}`,
				"evil/package.json":               `{"version":"1.0.0"}`,
			}, "outside 1.0.0", "p/node_modules/.store/in 1.0.0"),
			dir: "p",
			want: []string{
				"npm file is a local replacement: its files are the project's own.", "npm in 1.0.0 README.md",
				"node_modules/loop: is left out: it is a link that leads back to itself", "node_modules/odd: is left out: its package.json has no valid version",
				"node_modules/out: is left out: it is a link that leads out of the project folder", "node_modules/own: is left out: it is a link to a folder of the project",
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := find(t, filepath.Join(tree(t, test.files), test.dir), test.options)
			must.Equal(t, test.want, got, "packages")
		})
	}
}

func TestStamp(t *testing.T) {
	dir := tree(t, installed(map[string]string{"package.json": `{"dependencies":{"a":"*"}}`, "package-lock.json": `{"packages":{}}`}, "node_modules/a 1.0.0"))
	found := open(t, dir, dependencies.Options{})
	before := found.Stamp()
	if before != found.Stamp() {
		t.Error("the stamp changes by itself")
	}
	for _, name := range []string{"package-lock.json", "node_modules/.package-lock.json", "package.json"} {
		must.Write(t, filepath.Join(dir, name), "changed")
		if found.Stamp() == before {
			t.Errorf("the stamp does not change with %s", name)
		}
		before = found.Stamp()
	}
}

func FuzzLocks(f *testing.F) {
	f.Add("a:\n  - b\n  c: 'd'\n\"x@1, y\":\n  version \"1\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, file := range lockFiles {
			l := &lock{file: file, versions: make(map[string]string)}
			file.parse(l, []byte(text)) // must not panic
		}
	})
}

// The API of a package comes from its own declarations, from its @types package, and from declarations that these export through the links of
// pnpm. Projects with the same files share it in the cache.
func TestTypes(t *testing.T) {
	files := map[string]string{
		"package.json":   `{"dependencies":{"a":"1","plain":"1"}}`,
		"node_modules/a": "->.pnpm/a@1/node_modules/a",
		"node_modules/.pnpm/a@1/node_modules/a/package.json": `{"name":"a","version":"1.0.0","types":"a.d.ts"}`,
		"node_modules/.pnpm/a@1/node_modules/a/a.d.ts":       "export * from 'b'\nexport * from './link'\nexport * from '../../../../../secret'\nexport const own: 1",
		"node_modules/.pnpm/a@1/node_modules/a/link.d.ts":    "->../../../../../secret.d.ts",
		"node_modules/.pnpm/a@1/node_modules/b":              "->../../b@2/node_modules/b",
		"node_modules/.pnpm/b@2/node_modules/b/package.json": `{"name":"b","version":"2.0.0"}`,
		"node_modules/.pnpm/b@2/node_modules/b/index.d.ts":   "export const inner: 1",
		"secret.d.ts":                            "export const secret: 1",
		"node_modules/plain/package.json":        `{"version":"1.0.0","main":"x.js"}`,
		"node_modules/plain/api/index.md":        "# Own\n",
		"node_modules/@types/plain/package.json": `{"name":"@types/plain","version":"1.0.0"}`,
		"node_modules/@types/plain/index.d.ts":   "export const plain: 1",
	}
	cache := must.Get(dependencies.OpenCache(t.TempDir()))(t)
	defer cache.Close()
	describe := func(o dependencies.Options, cached bool) (texts string) {
		set := must.Get(dependencies.New(open(t, tree(t, files), o).Packages).Describe(t.Context(), cached))(t)
		for _, p := range set.Packages() {
			for _, d := range p.Documents {
				text, err := d.Read()
				if err != nil {
					t.Error(err)
				}
				texts += p.Name + "/" + d.Path + "\n" + string(text)
			}
		}
		return texts
	}
	want := describe(dependencies.Options{}, false)
	for _, part := range []string{"a/api/index.md\n# API of a\n", "## own\n", "## inner\n", "plain/api/index.md\n", "## plain\n", "come from `@types/plain`"} {
		if !strings.Contains(want, part) {
			t.Errorf("no %q in\n%s", part, want)
		}
	}
	if strings.Contains(want, "secret") {
		t.Errorf("a link leads out of the package:\n%s", want)
	}
	if got := describe(dependencies.Options{Cache: cache}, true); strings.Contains(got, "own") {
		t.Errorf("an empty cache has\n%s", got)
	}
	describe(dependencies.Options{Cache: cache}, false)
	if got := describe(dependencies.Options{Cache: cache}, true); got != want {
		t.Errorf("another project gets\n%s", got)
	}
	files["node_modules/.pnpm/b@2/node_modules/b/index.d.ts"] = "export const other: 1"
	if got := describe(dependencies.Options{Cache: cache}, true); strings.Contains(got, "inner") {
		t.Error("a project gets what was made of the files of another")
	}
}
