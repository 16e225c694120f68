package gomodules

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
)

// write writes files below a folder.
func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		must.Write(t, name, text)
	}
}

// cached makes a module cache, and an environment that names it.
func cached(t *testing.T) (dir string) {
	dir = t.TempDir()
	t.Setenv("GOMODCACHE", dir)
	t.Setenv("GOENV", "off")
	t.Setenv("GOWORK", "")
	t.Setenv("GOOS", "linux")
	t.Setenv("GOARCH", "amd64")
	write(t, dir, given.Cases(t, "modules.txt")[0].Files)
	return dir
}

// project writes the files of a project in modules.txt, and returns their folder and the modules that it uses.
func project(t *testing.T, name string) (dir string, want []string) {
	t.Helper()
	dir = t.TempDir()
	for _, c := range given.Cases(t, "modules.txt") {
		if c.Name == name {
			write(t, dir, c.Files)
			want = strings.Split(c.Text, "\n")
		}
	}
	return dir, want
}

// find finds the modules of the project in dir, and describes each in a line.
func find(t *testing.T, dir string, o dependencies.Options) (lines []string, f *dependencies.Found) {
	t.Helper()
	files, err := rootfs.Open(dir)
	must.Do(t, err)
	t.Cleanup(func() { files.Close() })
	o.Files, o.Dir = files, dir
	if f, err = Find(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	for _, p := range f.Packages {
		line := p.Name + "@" + p.Version
		if p.Direct {
			line += " direct"
		}
		if p.Missing != "" {
			line += " " + p.Missing
		}
		if p.Locked != "" {
			line += " (" + p.Locked + ")"
		}
		if p.Hint != "" {
			line += ": " + p.Hint
		}
		for _, d := range p.Documents {
			line += " " + d.Path
		}
		lines = append(lines, line)
	}
	return lines, f
}

func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	must.Equal(t, want, got)
}

// text reads a document.
func text(t *testing.T, f *dependencies.Found, name string) string {
	t.Helper()
	for _, p := range f.Packages {
		for _, d := range p.Documents {
			if p.Path()+"/"+d.Path == name {
				data := must.Get(d.Read())(t)
				return string(data)
			}
		}
	}
	t.Fatalf("no document %s", name)
	return ""
}

const goMod = `module example.com/project

go 1.26

require (
	example.com/a v1.0.0
	example.com/b v1.2.3
	example.com/indirect v1.0.0 // indirect
	example.com/missing v0.1.0
	example.com/Upper v1.0.0-RC1
	example.com/v/v2 v2.0.0 // indirect
)
`

func TestModuleCache(t *testing.T) {
	cached(t)
	dir, want := project(t, "the module cache")
	lines, f := find(t, dir, dependencies.Options{Outside: true})
	same(t, lines, want...)
	sub := "# package sub\n\n`import \"example.com/a/sub\"`\n\nPackage sub is below a.\n\n" +
		"See example.com/a.A, example.com/b.B and example.com/unused.U.\n"
	must.Equal(t, sub, text(t, f, "go/example.com/a@v1.0.0/sub.md"))
	lines, _ = find(t, dir, dependencies.Options{Outside: true, All: true})
	if !slices.Contains(lines, "example.com/indirect@v1.0.0 README.md") {
		t.Errorf("with all: %q", lines)
	}
	lines, _ = find(t, dir, dependencies.Options{})
	if want := "example.com/a@v1.0.0 direct is outside of the project folder, so only the option --deps of the command line serves it"; !slices.Contains(lines, want) {
		t.Errorf("inside: %q", lines)
	}
}

func TestReplaced(t *testing.T) {
	cached(t)
	dir, want := project(t, "replaced modules")
	lines, f := find(t, dir, dependencies.Options{Outside: true})
	same(t, lines, want...)
	if got := text(t, f, "go/example.com/fork@v1.0.1/glob.md"); !strings.Contains(got, "import \"example.com/glob\"") {
		t.Errorf("the document of the fork:\n%s", got)
	}
}

func TestVendor(t *testing.T) {
	cached(t)
	dir, want := project(t, "vendored modules")
	// The project is all that is read.
	lines, f := find(t, dir, dependencies.Options{})
	same(t, lines, want...)
	if got := text(t, f, "go/example.com/a@v1.0.0/sub.md"); !strings.Contains(got, "## Vendored") {
		t.Errorf("got\n%s", got)
	}
	lines, _ = find(t, dir, dependencies.Options{Outside: true})
	same(t, lines, want...)
}

func TestWorkspace(t *testing.T) {
	cached(t)
	dir, want := project(t, "a workspace")
	lines, f := find(t, dir, dependencies.Options{Outside: true})
	same(t, lines, want...)
	if len(f.Notices) != 1 || f.Notices[0].Path != "go.work" {
		t.Errorf("warnings %v", f.Notices)
	}
	// From a module of the workspace, and from a folder in it.
	write(t, dir, map[string]string{"one/docs/a.md": ""})
	for _, below := range []string{"one", "one/docs"} {
		lines, f = find(t, filepath.Join(dir, below), dependencies.Options{Outside: true})
		same(t, lines, want...)
		if up := "../" + strings.Repeat("../", strings.Count(below, "/")) + "go.work"; len(f.Notices) != 1 || f.Notices[0].Path != up {
			t.Errorf("warnings %v, want one about %s", f.Notices, up)
		}
	}
	// A module that the workspace does not use, and one that may not look above itself.
	lines, _ = find(t, filepath.Join(dir, "rest"), dependencies.Options{Outside: true})
	same(t, lines, "example.com/a@v1.0.0 direct README.md a.md sub.md a.api.md")
	lines, _ = find(t, filepath.Join(dir, "two"), dependencies.Options{})
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "example.com/b@v1.3.0 direct is outside") {
		t.Errorf("inside: %q", lines)
	}
	t.Setenv("GOWORK", "off")
	lines, _ = find(t, filepath.Join(dir, "one"), dependencies.Options{Outside: true})
	same(t, lines,
		"example.com/b@v1.2.3 is an indirect dependency, whose documents are served with --deps=all",
		"example.com/two@v0.0.0 direct is not in the module cache: go mod download")
}

// Without go.mod at or above the folder, those below it count, each on its own.
func TestSeveralModules(t *testing.T) {
	cached(t)
	dir, want := project(t, "several modules")
	lines, f := find(t, dir, dependencies.Options{Outside: true})
	same(t, lines, want...)
	must.Equal(t, "# command t\n\n`example.com/tool/cmd/t`\n\nT is a tool.\n", text(t, f, "go/example.com/tool@v1.0.0/cmd/t.md"))
	if lines, _ := find(t, t.TempDir(), dependencies.Options{}); len(lines) != 0 {
		t.Errorf("a project without Go: %q", lines)
	}
}

func TestHostile(t *testing.T) {
	cache := cached(t)
	secret := t.TempDir()
	write(t, secret, map[string]string{"secret.md": "# Secret", "secret.go": "package secret"})
	write(t, cache, map[string]string{"example.com/links@v1.0.0/docs/ok.md": "# ok"})
	links := filepath.Join(cache, "example.com", "links@v1.0.0")
	for from, to := range map[string]string{"README.md": "secret.md", "links.go": "secret.go", "sub": ""} {
		if err := os.Symlink(filepath.Join(secret, to), filepath.Join(links, from)); err != nil {
			t.Skip(err)
		}
	}
	must.Do(t, os.Symlink(secret, filepath.Join(cache, "example.com", "linked@v1.0.0")))
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"go.mod": "module example.com/p\nrequire (\n\texample.com/links v1.0.0\n\texample.com/linked v1.0.0\n\texample.com/../b v1.2.3\n)\nfuture directive\n",
		"p.go":   "package p\nimport (\n\t\"example.com/links\"\n\t\"example.com/links/sub\"\n\t\"example.com/links/../../b\"\n\t\"example.com/links/\x00\"\n)",
		"go.env": "GOMODCACHE=/",
	})
	lines, f := find(t, dir, dependencies.Options{Outside: true})
	same(t, lines,
		"example.com/linked@v1.0.0 direct is not in the module cache: go mod download",
		"example.com/links@v1.0.0 direct docs/ok.md")
	if got := f.Packages[1].LeftOut; !slices.Equal(got, []string{"README.md"}) {
		t.Errorf("left out %q", got)
	}
	if len(f.Notices) != 1 || !strings.HasPrefix(f.Notices[0].Reason, "is understood in part: ") {
		t.Errorf("warnings %v", f.Notices)
	}
	write(t, dir, map[string]string{"go.mod": "module \"", "go.work": "use ("})
	if lines, f := find(t, dir, dependencies.Options{Outside: true}); len(lines) != 0 || len(f.Notices) != 2 {
		t.Errorf("%q, warnings %v", lines, f.Notices)
	}
}

func TestStamp(t *testing.T) {
	cache := cached(t)
	dir := t.TempDir()
	write(t, dir, map[string]string{"go.mod": goMod})
	_, f := find(t, dir, dependencies.Options{Outside: true})
	last := f.Stamp()
	if f.Stamp() != last {
		t.Error("the stamp changes by itself")
	}
	for _, change := range []func(){
		func() { write(t, cache, map[string]string{"example.com/missing@v0.1.0/README.md": "# Found"}) },
		func() { write(t, dir, map[string]string{"go.mod": goMod + "// changed\n"}) },
		func() { write(t, dir, map[string]string{"vendor/modules.txt": ""}) },
	} {
		change()
		if f.Stamp() == last {
			t.Error("a change does not change the stamp")
		}
		last = f.Stamp()
	}
}

// A description is made once, and read from the cache afterwards.
func TestCache(t *testing.T) {
	modules := cached(t)
	dir := t.TempDir()
	write(t, dir, map[string]string{"go.mod": goMod, "p.go": "package p\nimport \"example.com/b\""})
	cache := must.Get(dependencies.OpenCache(t.TempDir()))(t)
	defer cache.Close()
	_, f := find(t, dir, dependencies.Options{Outside: true, Cache: cache})
	const name = "go/example.com/b@v1.2.3/b.api.md"
	first := text(t, f, name)
	write(t, modules, map[string]string{"example.com/b@v1.2.3/b.go": "package b // a version never changes"})
	_, f = find(t, dir, dependencies.Options{Outside: true, Cache: cache})
	if got := text(t, f, name); got != first {
		t.Errorf("got\n%s\nwant what is in the cache:\n%s", got, first)
	}
	_, f = find(t, dir, dependencies.Options{Outside: true})
	if got := text(t, f, name); got == first {
		t.Errorf("without the cache, got\n%s", got)
	}
}

func TestModuleCacheFolder(t *testing.T) {
	for _, key := range []string{"GOMODCACHE", "GOPATH", "GOENV"} {
		t.Setenv(key, "")
	}
	config := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	t.Setenv("HOME", filepath.FromSlash("/home/me"))
	for _, test := range []struct{ key, value, file, want string }{
		{"", "", "", "/home/me/go/pkg/mod"},
		{"GOPATH", "/one" + string(filepath.ListSeparator) + "/two", "", "/one/pkg/mod"},
		{"GOMODCACHE", "/cache", "GOMODCACHE=/other\n", "/cache"},
		{"", "", "GOFLAGS=x\nGOMODCACHE=/written\r\n", "/written"},
		{"GOMODCACHE", "relative", "", ""},
		{"GOENV", "off", "GOMODCACHE=/written\n", "/home/me/go/pkg/mod"},
	} {
		if runtime.GOOS != "linux" {
			t.Skip("other systems keep the file elsewhere")
		}
		write(t, config, map[string]string{"go/env": test.file})
		t.Run(test.key+test.file, func(t *testing.T) {
			if test.key != "" {
				t.Setenv(test.key, test.value)
			}
			must.Equal(t, test.want, environment().moduleCache())
		})
	}
}
