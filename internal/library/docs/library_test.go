package docs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

func link(target string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink | 0o777}
}

func scan(t testing.TB, fsys fs.FS, dir string, old *Library) *Library {
	t.Helper()
	return must.Get(Detect(context.Background(), fsys, Reading{Sites: site.Options{Chosen: dir}, Old: old}))(t)
}

func answer(t testing.TB, l *Library, r Request) []string {
	t.Helper()
	return must.Get(l.Answer(context.Background(), r))(t)
}

// ask answers a single path.
func ask(t testing.TB, l *Library, path string) string {
	t.Helper()
	texts := answer(t, l, Request{Paths: []string{path}})
	if len(texts) != 1 {
		t.Fatalf("%d texts for %q", len(texts), path)
	}
	return texts[0]
}

func search(t testing.TB, l *Library, query string) []Hit {
	t.Helper()
	hits, _, err := l.Search(context.Background(), query, 10)
	must.Do(t, err)
	return hits
}

func body(t testing.TB, text string) string {
	t.Helper()
	if header, ok := strings.CutPrefix(text, "---\n"); ok { // the answer to a query has none
		_, text, _ = strings.Cut(header, "---\n\n")
	}
	return text
}

// sample is a small project.
func sample() fstest.MapFS {
	return given.Texts(map[string]string{
		"docs/index.md":                  "# Acme\n\nStart here.\n",
		"docs/guides/a.md":               "# Alpha\n\nInstalling the widget.\n\n## On Linux\n\nUse apt.\n\n### Old\n\nx\n\n## On Windows\n\nUse winget.\n",
		"docs/guides/b.mdx":              "# Beta\n\n<Tabs/>\n",
		"docs/guides/deep/c.md":          "# Gamma rays\n",
		"docs/guides/.hidden.md":         "hidden",
		"docs/guides/data.json":          "{}",
		"docs/guides/logo.png":           "\x89PNG\r\n\x1a\n\x00\x00",
		"docs/reference/api/client.md":   "# Client\n\nCall `readFile` or fetch_all.\n",
		"docs/reference/cli/index.md":    "# Command line\n",
		"docs/changelog.md":              "# Changes\n",
		"docs/node_modules/x/readme.md":  "x",
		"docs/my file.md":                "spaced",
		"docs/latin.md":                  "caf\xe9\n",
		"docs/utf16.md":                  "\xff\xfeh\x00i\x00",
		"docs/nul.md":                    "a\x00b\x1b[0m",
		"resources/docs/v1/secret.md":    "not below docs",
		"docs/installWidget_quickly.md":  "# Quick\n",
		"docs/reference/api/widget-x.md": "# X\n",
	})
}

func paths(l *Library) []string {
	var out []string
	for _, d := range l.docs {
		out = append(out, d.path)
	}
	return out
}

func TestScan(t *testing.T) {
	l := scan(t, sample(), "docs", nil)
	want := []string{"changelog.md", "guides/a.md", "guides/b.mdx", "guides/deep/c.md", "index.md", "installWidget_quickly.md", "latin.md",
		"my file.md", "nul.md", "reference/api/client.md", "reference/api/widget-x.md", "reference/cli/index.md", "utf16.md"}
	if diff := cmp.Diff(want, paths(l)); diff != "" || l.Len() != len(want) || len(l.Warnings()) != 0 {
		t.Error(diff, l.Warnings())
	}
}

func TestLinks(t *testing.T) {
	fsys := given.Texts(map[string]string{"docs/a.md": "A", "shared/b.md": "B", ".env": "secret", ".git/c.md": "secret", "docs/sub/d.md": "D"})
	for name, target := range map[string]string{
		"docs/file.md": "../shared/b.md", "docs/folder": "../shared", "docs/env.md": "../.env", "docs/git": "../.git", "docs/out.md": "../../x/secret.md",
		"docs/back.md": "../../project/docs/a.md", "docs/abs.md": "/etc/passwd", "docs/up": ".", "docs/sub/parent": "../../docs", "docs/loop1.md": "loop2.md", "docs/loop2.md": "loop1.md",
		"docs/gone.md": "nothing.md", "docs/win.md": "C:/x",
	} {
		fsys[name] = link(target)
	}
	l := scan(t, fsys, "docs", nil)
	must.Equal(t, []string{"a.md", "file.md", "folder/b.md", "sub/d.md"}, paths(l))
	want := []loader.Warning{
		{Path: "docs/abs.md", Reason: "is not served: is a link that leads out of the project folder"},
		{Path: "docs/back.md", Reason: "is not served: is a link that leads out of the project folder"},
		{Path: "docs/env.md", Reason: "is not served: is a link to something hidden"},
		{Path: "docs/git", Reason: "is not served: is a link to something hidden"},
		{Path: "docs/gone.md", Reason: "is not served: is a link to something that is not there"},
		{Path: "docs/loop1.md", Reason: "is not served: is a link that leads back to itself"},
		{Path: "docs/loop2.md", Reason: "is not served: is a link that leads back to itself"},
		{Path: "docs/out.md", Reason: "is not served: is a link that leads out of the project folder"},
		{Path: "docs/sub/parent", Reason: "is not served: is a link to a folder that it lies in"},
		{Path: "docs/up", Reason: "is not served: is a link to a folder that it lies in"},
		{Path: "docs/win.md", Reason: "is not served: is a link that leads out of the project folder"},
	}
	must.Equal(t, want, l.Warnings())
	for _, p := range []string{"file", "folder/b"} {
		if got := body(t, ask(t, l, p)); got != "B" {
			t.Errorf("%q: %q", p, got)
		}
	}
	// A link whose target changes after the scan is checked again.
	fsys["docs/file.md"] = link("../.env")
	if got := body(t, ask(t, l, "file")); got != "The file cannot be read." {
		t.Error(got)
	}
}

func TestScanOfAFolderThatIsALink(t *testing.T) {
	fsys := given.Texts(map[string]string{"content/a.md": "A"})
	fsys["docs"] = link("content")
	if l := scan(t, fsys, "docs", nil); body(t, ask(t, l, "docs/a")) != "A" {
		t.Error("not read")
	}
	fsys["docs"] = link("../content")
	if _, err := Detect(context.Background(), fsys, Reading{Sites: site.Options{Chosen: "docs"}}); !errors.Is(err, walk.ErrEscapes) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Detect(ctx, sample(), Reading{Sites: site.Options{Chosen: "docs"}}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestDisk(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	write := func(name, text string) {
		t.Helper()
		must.Write(t, name, text)
	}
	write(filepath.Join(outside, "secret.md"), "secret")
	write(filepath.Join(dir, "docs/guides/a.md"), "# A\n\nsome walnut\n")
	write(filepath.Join(dir, "docs/caf\xe9.md"), "latin name")
	for name, target := range map[string]string{"out": outside, "out.md": filepath.Join(outside, "secret.md"), "in": filepath.Join(dir, "docs/guides")} {
		if err := os.Symlink(target, filepath.Join(dir, "docs", name)); err != nil {
			t.Skip(err)
		}
	}
	fsys := must.Get(rootfs.Open(dir))(t)
	defer fsys.Close()
	l := scan(t, fsys, "docs", nil)
	must.Equal(t, []string{"caf\xe9.md", "guides/a.md", "in/a.md"}, paths(l))
	for _, p := range []string{"out", "out/secret.md", "out.md", "docs/out/secret"} {
		if got := ask(t, l, p); strings.Contains(got, "---\n\nsecret") {
			t.Errorf("%q: %q", p, got)
		}
	}
	if hits := search(t, l, "walnut"); len(hits) != 2 || hits[0].Snippet != "some walnut" || hits[0].Line != 3 {
		t.Errorf("%+v", hits)
	}
	// A folder that turns into a link to the outside after the scan is not followed.
	must.Do(t, os.Rename(filepath.Join(dir, "docs/guides"), filepath.Join(dir, "docs/moved")))
	must.Do(t, os.Symlink(outside, filepath.Join(dir, "docs/guides")))
	write(filepath.Join(outside, "a.md"), "secret")
	if got := body(t, ask(t, l, "guides/a")); got != "The file cannot be read." {
		t.Error(got)
	}
}

func TestRescanReadsOnlyWhatChanged(t *testing.T) {
	ctx := context.Background()
	fsys := sample()
	l := scan(t, fsys, "docs", nil)
	must.Do(t, l.Index(ctx))
	if l.builder.read != l.Len() {
		t.Fatalf("%d documents read, %d there", l.builder.read, l.Len())
	}
	fsys["docs/new.md"] = given.Texts(map[string]string{"x": "# A walrus\n"})["x"]
	fsys["docs/guides/a.md"].Data = []byte("# Alpha\n\nInstalling a gadget.\n")
	fsys["docs/guides/a.md"].ModTime = time.Unix(2, 0)
	delete(fsys, "docs/guides/deep/c.md")
	next := scan(t, fsys, "docs", l)
	for _, test := range []struct {
		query, want string
	}{{"walrus", "new.md"}, {"gadgets", "guides/a.md"}, {"apt", ""}, {"gamma", ""}, {"fetch_all", "reference/api/client.md"}} {
		got := ""
		if hits := search(t, next, test.query); len(hits) > 0 {
			got = hits[0].Path
		}
		if got != test.want {
			t.Errorf("%q finds %q, want %q", test.query, got, test.want)
		}
	}
	if read := next.builder.read - l.Len(); read != 2 {
		t.Errorf("%d documents read for two changes", read)
	}
	if hits := search(t, l, "gamma"); len(hits) != 1 {
		t.Errorf("the old library changed: %v", hits)
	}
}

// A file that is reported as changed is read again although its size and time are the same, even if
// a link leads to it.
func TestRescanReadsWhatIsReported(t *testing.T) {
	fsys := given.Texts(map[string]string{"docs/a.md": "a walrus", "there/b.md": "a gadget", "docs/c.md": "a lemon!"})
	fsys["docs/b.md"] = link("../there/b.md")
	l := scan(t, fsys, "docs", nil)
	search(t, l, "walrus")
	fsys["docs/a.md"].Data = []byte("a weasel")
	fsys["there/b.md"].Data = []byte("a widget")
	reported := map[string]bool{"docs/a.md": true, "there/b.md": true}
	next := must.Get(Detect(t.Context(), fsys, Reading{Sites: site.Options{Chosen: "docs"}, Old: l, Changed: func(file string) bool { return reported[file] }}))(t)
	for query, want := range map[string]string{"weasel": "a.md", "widget": "b.md", "walrus": "", "lemon": "c.md"} {
		got := ""
		if hits := search(t, next, query); len(hits) > 0 {
			got = hits[0].Path
		}
		if got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
	if read := next.builder.read - l.Len(); read != 2 {
		t.Errorf("%d documents read for two that are reported", read)
	}
}

// TestDependencyIncludesNothing: the documents of a dependency include nothing, not even of the same package.
func TestDependencyIncludesNothing(t *testing.T) {
	const text = "# Package\n\n{!other.md!}\n\n--8<-- \"other.md\"\n\n![[other]] [[other]]\n"
	set := dependencies.New([]*dependencies.Package{{Ecosystem: "npm", Name: "a", Version: "1.0.0", Direct: true, Documents: []dependencies.Document{page("README.md", text), page("other.md", "OTHER\n")}}})
	d := must.Get(ReadDependencies(t.Context(), set, nil))(t)
	l := scan(t, given.Texts(map[string]string{"docs/index.md": "# Own\n"}), "docs", nil).WithDependencies(d)
	if got := answer(t, l, Request{Paths: []string{"deps/npm/a@1.0.0/README.md"}})[0]; !strings.HasSuffix(got, text) {
		t.Errorf("%q", got)
	}
}
