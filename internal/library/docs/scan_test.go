package docs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

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
	if diff := cmp.Diff(want, paths(l)); diff != "" || l.Len() != len(want) || len(l.Notices()) != 0 {
		t.Error(diff, l.Notices())
	}
}

func TestLinks(t *testing.T) {
	fsys := tree(map[string]string{"docs/a.md": "A", "shared/b.md": "B", ".env": "secret", ".git/c.md": "secret", "docs/sub/d.md": "D"})
	for name, target := range map[string]string{
		"docs/file.md": "../shared/b.md", "docs/folder": "../shared", "docs/env.md": "../.env", "docs/git": "../.git", "docs/out.md": "../../x/secret.md",
		"docs/back.md": "../../project/docs/a.md", "docs/abs.md": "/etc/passwd", "docs/up": ".", "docs/sub/parent": "../../docs", "docs/loop1.md": "loop2.md", "docs/loop2.md": "loop1.md",
		"docs/gone.md": "nothing.md", "docs/win.md": "C:/x",
	} {
		fsys[name] = link(target)
	}
	l := scan(t, fsys, "docs", nil)
	if diff := cmp.Diff([]string{"a.md", "file.md", "folder/b.md", "sub/d.md"}, paths(l)); diff != "" {
		t.Error(diff)
	}
	want := []loader.Notice{
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
	if diff := cmp.Diff(want, l.Notices()); diff != "" {
		t.Error(diff)
	}
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
	fsys := tree(map[string]string{"content/a.md": "A"})
	fsys["docs"] = link("content")
	if l := scan(t, fsys, "docs", nil); body(t, ask(t, l, "docs/a")) != "A" {
		t.Error("not read")
	}
	fsys["docs"] = link("../content")
	if _, err := Scan(context.Background(), fsys, "docs", nil, nil, nil); !errors.Is(err, walk.ErrEscapes) {
		t.Error(err)
	}
	for _, dir := range []string{"..", "../x", "/etc", "a/../../b"} {
		if _, err := Scan(context.Background(), fsys, dir, nil, nil, nil); err == nil {
			t.Errorf("%q is scanned", dir)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Scan(ctx, sample(), "docs", nil, nil, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestDisk(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(outside, "secret.md"), "secret")
	write(filepath.Join(dir, "docs/guides/a.md"), "# A\n\nsome walnut\n")
	write(filepath.Join(dir, "docs/caf\xe9.md"), "latin name")
	for name, target := range map[string]string{"out": outside, "out.md": filepath.Join(outside, "secret.md"), "in": filepath.Join(dir, "docs/guides")} {
		if err := os.Symlink(target, filepath.Join(dir, "docs", name)); err != nil {
			t.Skip(err)
		}
	}
	fsys, err := rootfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer fsys.Close()
	l := scan(t, fsys, "docs", nil)
	if diff := cmp.Diff([]string{"caf\xe9.md", "guides/a.md", "in/a.md"}, paths(l)); diff != "" {
		t.Error(diff)
	}
	for _, p := range []string{"out", "out/secret.md", "out.md", "docs/out/secret"} {
		if got := ask(t, l, p); strings.Contains(got, "---\n\nsecret") {
			t.Errorf("%q: %q", p, got)
		}
	}
	if hits := search(t, l, "walnut"); len(hits) != 2 || hits[0].Snippet != "some walnut" || hits[0].Line != 3 {
		t.Errorf("%+v", hits)
	}
	// A folder that turns into a link to the outside after the scan is not followed.
	if err := os.Rename(filepath.Join(dir, "docs/guides"), filepath.Join(dir, "docs/moved")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "docs/guides")); err != nil {
		t.Fatal(err)
	}
	write(filepath.Join(outside, "a.md"), "secret")
	if got := body(t, ask(t, l, "guides/a")); got != "The file cannot be read." {
		t.Error(got)
	}
}

func TestRescanReadsOnlyWhatChanged(t *testing.T) {
	ctx := context.Background()
	fsys := sample()
	l := scan(t, fsys, "docs", nil)
	if err := l.Index(ctx); err != nil {
		t.Fatal(err)
	}
	if l.builder.read != l.Len() {
		t.Fatalf("%d documents read, %d there", l.builder.read, l.Len())
	}
	fsys["docs/new.md"] = tree(map[string]string{"x": "# A walrus\n"})["x"]
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
	fresh := scan(t, fsys, "docs", nil)
	if err := fresh.Index(ctx); err != nil {
		t.Fatal(err)
	}
	if a, b := fresh.index.Load(), next.index.Load(); !cmp.Equal(a.terms, b.terms) || len(a.where) != len(b.where) || a.words != b.words {
		t.Error("an index built from another differs from a new one")
	}
	if hits := search(t, l, "gamma"); len(hits) != 1 {
		t.Errorf("the old library changed: %v", hits)
	}
}

// A file that is reported as changed is read again although its size and time are the same, even if
// a link leads to it.
func TestRescanReadsWhatIsReported(t *testing.T) {
	fsys := tree(map[string]string{"docs/a.md": "a walrus", "there/b.md": "a gadget", "docs/c.md": "a lemon!"})
	fsys["docs/b.md"] = link("../there/b.md")
	l := scan(t, fsys, "docs", nil)
	search(t, l, "walrus")
	fsys["docs/a.md"].Data = []byte("a weasel")
	fsys["there/b.md"].Data = []byte("a widget")
	reported := map[string]bool{"docs/a.md": true, "there/b.md": true}
	next, err := Scan(t.Context(), fsys, "docs", l, nil, func(file string) bool { return reported[file] })
	if err != nil {
		t.Fatal(err)
	}
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

// Head does not split a character.
func TestAbout(t *testing.T) {
	fsys := tree(map[string]string{
		"docs/long.md": strings.Repeat("\u00e9", 1000), "docs/short.md": "# Short", "docs/latin.md": "latin \xe9", "docs/x.txt": "x",
		"docs/wide.md": "\xff\xfe#\x00 \x00a\x00a\x00a\x00\n\x00" + strings.Repeat("a\x00", 10_000),
	})
	l := scan(t, fsys, "docs", nil)
	for path, want := range map[string]string{"long.md": "Long", "short.md": "Short", "wide.md": "aaa", "x.txt": "X", "gone.md": "", "": ""} {
		if got, _ := l.About(path); got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
}
