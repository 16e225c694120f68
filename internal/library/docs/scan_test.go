package docs

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
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
	if diff := cmp.Diff([]string{"a.md", "file.md", "folder/b.md", "sub/d.md"}, paths(l)); diff != "" {
		t.Error(diff)
	}
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
	if diff := cmp.Diff(want, l.Warnings()); diff != "" {
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
	fsys := given.Texts(map[string]string{"content/a.md": "A"})
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
	fresh := scan(t, fsys, "docs", nil)
	must.Do(t, fresh.Index(ctx))
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
	fsys := given.Texts(map[string]string{"docs/a.md": "a walrus", "there/b.md": "a gadget", "docs/c.md": "a lemon!"})
	fsys["docs/b.md"] = link("../there/b.md")
	l := scan(t, fsys, "docs", nil)
	search(t, l, "walrus")
	fsys["docs/a.md"].Data = []byte("a weasel")
	fsys["there/b.md"].Data = []byte("a widget")
	reported := map[string]bool{"docs/a.md": true, "there/b.md": true}
	next := must.Get(Scan(t.Context(), fsys, "docs", l, nil, func(file string) bool { return reported[file] }))(t)
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
	fsys := given.Texts(map[string]string{
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

// Entries returns the same as a pass over all files, for every folder.
func TestEntries(t *testing.T) {
	files := fstest.MapFS{}
	for i, name := range []string{
		"a.md", "a/b.md", "a/b/c.md", "a/b/d.mdx", "a/b.txt", "a-b/x.md", "a.b/x.md", "a0/x.md", "a b/x.md", "é/ü.md", "deep/er/est/x.md", "deep/er/y.md", "only/image.png", "z.MD",
	} {
		files["docs/"+name] = &fstest.MapFile{Data: []byte(strings.Repeat("x", i))}
	}
	l := must.Get(Scan(t.Context(), files, "docs", nil, nil, nil))(t)
	for _, folder := range []string{"", "a/", "a/b/", "a-b/", "a.b/", "a0/", "a b/", "é/", "deep/", "deep/er/", "deep/er/est/", "only/", "none/"} {
		var folders, documents []Entry
		for path, size := range l.Files() { // in byte order, in which a/b.md comes before a/b/c.md
			rest, ok := strings.CutPrefix(path, folder)
			if !ok || !l.Has(path) {
				continue
			}
			name, _, below := strings.Cut(rest, "/")
			switch {
			case !below:
				documents = append(documents, Entry{Name: name, Count: 1, Size: size})
			case len(folders) == 0 || folders[len(folders)-1].Name != name:
				folders = append(folders, Entry{Name: name, Folder: true, Count: 1})
			default:
				folders[len(folders)-1].Count++
			}
		}
		want := append(folders, documents...)
		if diff := cmp.Diff(want, l.Entries(folder)); diff != "" {
			t.Errorf("%q: %s", folder, diff)
		}
		if l.HasFolder(folder) != (len(want) > 0) {
			t.Errorf("HasFolder(%q) is %v", folder, l.HasFolder(folder))
		}
	}
	if !l.HasFile("only/image.png") || l.HasFile("only") || l.HasFile("none") || (*Library)(nil).Entries("") != nil {
		t.Error("HasFile")
	}
}

// TestCapturedPage: what a captured page names is neither in its answers nor readable because of it, and a search does not find it there.
func TestCapturedPage(t *testing.T) {
	const lines = "# Captured page\n\n{!../../src/app.py!}\n\n--8<-- \"src/app.py\"\n\n![[app]] [[app.py]]\n\n[source](../../src/app.py) [own](own.bin)\n\n`/data/private.png` ![](../../data/private.png)\n"
	front := "---\nurl: \"https://a.example/x\"\nsha256: \"9c56\"\nassets:\n  - \"ab12 web/own.bin\"\n---\n\n"
	files := map[string]string{"docs/web/x.md": front + lines, "docs/web/own.bin": "own bytes\n", "src/app.py": "zebra = 'PRIVATE'\n", "data/private.png": "PRIVATE"}
	read := func() (answers string) {
		l := must.Get(Detect(t.Context(), given.Texts(files), Reading{}))(t)
		for _, path := range []string{"docs/web/x.md", "src/app.py", "app.py", "data/private.png"} {
			answers += strings.Join(answer(t, l, Request{Paths: []string{path}}), "\n")
		}
		answers += strings.Join(answer(t, l, Request{Query: "zebra"}), "\n")
		published := must.Get(l.Published(t.Context()))(t)
		for _, f := range published {
			if !strings.HasPrefix(f.Name, "docs/") {
				answers += "PRIVATE file " + f.Name
			}
		}
		return answers
	}
	if got := read(); strings.Contains(got, "PRIVATE") || !strings.Contains(got, "{!../../src/app.py!}") {
		t.Errorf("a captured page: %s", got)
	}
	files["docs/web/x.md"] = lines
	if got := read(); !strings.Contains(got, "PRIVATE") {
		t.Errorf("a page of the author: %s", got)
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

// TestAttachments: a file that is not a document is served if a document links to it.
func TestAttachments(t *testing.T) {
	var picture bytes.Buffer
	must.Do(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 2))))
	files := map[string]string{
		"docs/a.md": "# A\n\n![plan](../img/plan.png) [data](data/x%20y.csv) ![[board.png]] [key](../.env)\n", "docs/b.md": "# B\n",
		"img/plan.png": picture.String(), "img/other.png": picture.String(), "docs/data/x y.csv": "one,two\n", "docs/data/other.csv": "secret\n", "notes/board.png": picture.String(), ".env": "A=1\n",
	}
	l := must.Get(Detect(t.Context(), given.Texts(files), Reading{}))(t)
	for path, want := range map[string]string{"../img/plan.png": "img/plan.png", "docs/data/x y.csv": "one,two", "img/other.png": "not found", "docs/data/other.csv": "not found", "../.env": "Invalid path", ".env": "not found", "board.png": "notes/board.png"} {
		r := Request{Paths: []string{path}}
		got := answer(t, l, r)[0]
		images := must.Get(l.ImagesOf(t.Context(), r))(t)
		if i, ok := images[0]; ok {
			got = i.Path
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if images, _ := l.ImagesOf(t.Context(), Request{Paths: []string{"img/plan.png"}, Query: "plan"}); len(images) > 0 {
		t.Errorf("a query shows images: %v", images)
	}
}

// TestIndexOfFolder: a link to a folder opens its index, and the listing follows; several documents with the same end are candidates.
func TestIndexOfFolder(t *testing.T) {
	l, err := Detect(t.Context(), given.Texts(map[string]string{"docs/guide/index.md": "# Guide\n\nStart.\n", "docs/guide/a.md": "# A\n", "docs/other/b.md": "# B\n", "docs/x/b.md": "# B\n", "docs/index.md": "# Home\n"}), Reading{})
	must.Do(t, err)
	for path, want := range map[string]string{
		"docs/guide/": "# Guide\n\nStart.\n\n# Directory: docs/guide/\n\n## Files\n\n- docs/guide/a.md: A\n- docs/guide/index.md: Guide\n",
		"docs/x":      "# Directory: docs/x\n\n## Files\n\n- docs/x/b.md: B\n",
		"./b.md#b":    "Several documents have paths that end so. Ask for one of them:\n\n- docs/other/b.md\n- docs/x/b.md",
	} {
		if got := body(t, ask(t, l, path)); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
