package prompts

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func file(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }

func symlink(target string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink | 0o777}
}

func scan(t *testing.T, fsys fs.FS) *Set {
	t.Helper()
	return must.Get(Scan(t.Context(), fsys, Folder, nil))(t)
}

func names(s *Set) string {
	var list []string
	for _, p := range s.Prompts() {
		list = append(list, p.Name)
	}
	return strings.Join(list, " ")
}

func TestScan(t *testing.T) {
	set := scan(t, fstest.MapFS{
		"prompts/b.md":                file("b"),
		"prompts/a.mdx":               file("---\nargs: {x: }\n---\n{{x}}"),
		"prompts/C.MD":                file("c"),
		"prompts/guides/set up.md":    file("s"),
		"prompts/guides/deep/x.y.md":  file("x"),
		"prompts/notes.txt":           file("t"),
		"prompts/.hidden.md":          file("h"),
		"prompts/.git/x.md":           file("h"),
		"prompts/node_modules/x.md":   file("h"),
		"prompts/x.md~":               file("h"),
		"prompts/new\nline.md":        file("n"),
		"prompts/caf\xe9.md":          file("n"),
		"prompts/bad.md":              file("{{x}}\n{{y}}"),
		"prompts/both.md":             file("{{x}}"),
		"prompts/both.mdx":            file("fine"),
		"prompts/both.MDX":            file("fine"),
		"prompts/large.md":            file(strings.Repeat("x", MaxFileSize+1)),
		"prompts/full.md":             file(strings.Repeat("x", MaxFileSize)),
		"prompts/pipe.md":             {Mode: fs.ModeNamedPipe},
		"prompts/in.md":               symlink("../docs/a.md"),
		"prompts/dir":                 symlink("../docs"),
		"prompts/out.md":              symlink("../../etc/passwd"),
		"prompts/outAndBack.md":       symlink("../../project/docs/a.md"),
		"prompts/absolute.md":         symlink("/etc/passwd"),
		"prompts/drive.md":            symlink(`C:\x.md`),
		"prompts/secret.md":           symlink("../.env"),
		"prompts/broken.md":           symlink("nothing.md"),
		"prompts/loop.md":             symlink("loop.md"),
		"prompts/guides/up":           symlink(".."),
		"prompts/text":                symlink("notes.txt"),
		"prompts/chain.md":            symlink("./guides/../in.md"),
		"docs/a.md":                   file("doc"),
		"docs/sub/b.md":               file("doc"),
		".env":                        file("SECRET=1"),
		"prompts/folder.md/inside.md": file("x"),
	})
	must.Equal(t, "C a b chain dir/a dir/sub/b folder.md/inside full guides/deep/x.y guides/set up in", names(set))
	want := strings.Join([]string{
		"prompts/absolute.md: is not served: is a link that leads out of the project folder",
		`prompts/bad.md:1:1: the placeholder {{x}} has no argument in the front matter; two braces that are text are written \{{`,
		`prompts/bad.md:2:1: the placeholder {{y}} has no argument in the front matter; two braces that are text are written \{{`,
		`prompts/both.MDX: is not served: prompts/both.md has the same name`,
		`prompts/both.md:1:1: the placeholder {{x}} has no argument in the front matter; two braces that are text are written \{{`,
		"prompts/both.mdx: is not served: prompts/both.md has the same name",
		"prompts/broken.md: is not served: is a link to something that is not there",
		"prompts/caf\xe9.md: has a name that is not printable text in UTF-8",
		"prompts/drive.md: is not served: is a link that leads out of the project folder",
		"prompts/guides/up: is not served: is a link to a folder that it lies in",
		"prompts/large.md: is larger than 1048576 bytes",
		"prompts/loop.md: is not served: is a link that leads back to itself",
		"prompts/new\nline.md: has a name that is not printable text in UTF-8",
		"prompts/out.md: is not served: is a link that leads out of the project folder",
		"prompts/outAndBack.md: is not served: is a link that leads out of the project folder",
		"prompts/pipe.md: is not a regular file",
		"prompts/secret.md: is not served: is a link to something hidden",
	}, "\n")
	must.Equal(t, want, set.Problems().Error(), "problems")
	p, ok := set.Get("guides/set up")
	if !ok || p.Name != "guides/set up" || p.Title != p.Name || p.File != "prompts/guides/set up.md" {
		t.Errorf("Get = %+v, %v", p, ok)
	}
	for _, name := range []string{"", "both", "guides", "guides/../b", "z"} {
		if p, ok := set.Get(name); ok {
			t.Errorf("Get(%q) = %v", name, p)
		}
	}
}

func TestScanFolders(t *testing.T) {
	for _, test := range []struct {
		name           string
		fsys           fstest.MapFS
		want, problems string
	}{
		{"none", fstest.MapFS{"x": file("")}, "", ""},
		{"a file", fstest.MapFS{"prompts": file("")}, "", "prompts: is not a folder: no prompts are served"},
		{"a link", fstest.MapFS{"prompts": symlink("more"), "more/a.md": file("a")}, "a", ""},
		{"a link out", fstest.MapFS{"prompts": symlink("../more")}, "", "prompts: is a link that leads out of the project folder: no prompts are served"},
		{"a link to a file", fstest.MapFS{"prompts": symlink("x"), "x": file("")}, "", "prompts: is not a folder: no prompts are served"},
		{"a cycle", fstest.MapFS{"prompts": symlink("a/c"), "a/c/x.md": file("x"), "a/c/l": symlink("../d"), "a/d/m": symlink("../c"), "a/d/y.md": file("y")},
			"l/y x", "prompts/l/m: is not served: is a link to a folder that it lies in"},
	} {
		set := scan(t, test.fsys)
		if got := names(set); got != test.want || set.Problems().Error() != test.problems {
			t.Errorf("%s: got %q, want %q; problems: %v", test.name, got, test.want, set.Problems())
		}
	}
}

// TestScanIsBounded: fifteen folders that each link to all others make more paths than anybody can
// walk.
func TestScanIsBounded(t *testing.T) {
	fsys := fstest.MapFS{}
	for _, a := range "abcdefghijklmno" {
		fsys["prompts/"+string(a)+"/x.md"] = file("x")
		for _, b := range "abcdefghijklmno" {
			fsys["prompts/"+string(a)+"/to"+string(b)] = symlink("../" + string(b))
		}
	}
	set := scan(t, fsys)
	if n := len(set.Prompts()); n == 0 || n > maxPrompts {
		t.Errorf("%d prompts", n)
	}
	if !strings.Contains(set.Problems().Error(), "too many") {
		t.Error("nothing is reported")
	}
}

func TestScanEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if set, err := Scan(ctx, fstest.MapFS{"prompts/a.md": file("a")}, Folder, nil); set != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v", set, err)
	}
}
