package tree

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// files are the texts of a version by path. A time after "@" replaces the usual one.
type files map[string]string

var usual = time.Date(2026, 5, 4, 3, 2, 1, 123456789, time.UTC)

func (f files) list() (all []File) {
	for path, text := range f {
		at := usual
		if text, stamp, ok := strings.Cut(text, "@"); ok {
			if d, err := time.ParseDuration(stamp); err == nil {
				at = at.Add(d)
			}
			_ = text
		}
		all = append(all, textFile(path, text, at))
	}
	return all
}

func textFile(path, text string, at time.Time) File {
	return File{
		Entry{path, at.UnixNano(), int64(len(text)), sha256.Sum256([]byte(text))},
		func(w io.Writer) error { _, err := io.WriteString(w, text); return err },
	}
}

func (f files) tree(t testing.TB) *Tree {
	t.Helper()
	var entries []Entry
	for _, file := range f.list() {
		entries = append(entries, file.Entry)
	}
	return must.Get(New(entries))(t)
}

// texts reads all files of a file system.
func texts(t testing.TB, fsys fs.FS) files {
	t.Helper()
	found := make(files)
	var read func(dir string)
	read = func(dir string) {
		entries := must.Get(fs.ReadDir(fsys, dir))(t)
		for _, e := range entries {
			name := strings.TrimPrefix(dir+"/"+e.Name(), "./")
			if e.IsDir() {
				read(name)
				continue
			}
			f, err := fsys.Open(name)
			must.Do(t, err)
			data, err := io.ReadAll(f)
			f.Close()
			must.Do(t, err)
			found[name] = string(data)
		}
	}
	read(".")
	return found
}

func TestTreeRefuses(t *testing.T) {
	for path, want := range map[string]string{
		"":                              "leads out",
		".":                             "leads out",
		"/etc/passwd":                   "leads out",
		"../x":                          "leads out",
		"a/../../x":                     "leads out",
		"a//b":                          "leads out",
		"a/.":                           "leads out",
		"a\x00b":                        "leads out",
		"a/":                            "leads out",
		"docs":                          "a folder of the same path",
		"docs/a.md":                     "two files",
		strings.Repeat("n", 256):        "use shorter names",
		strings.Repeat("a/", 600):       "leads out",
		strings.Repeat("a/", 600) + "b": "over 1024 bytes",
	} {
		_, err := New([]Entry{{Path: path}, {Path: "docs/a.md"}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", path, err, want)
		}
	}
	for _, path := range []string{"docs.md", "docs/b", "\xff", "con", "a\\b", "é", strings.Repeat("n", 255)} {
		if _, err := New([]Entry{{Path: path}, {Path: "docs/a.md"}}); err != nil {
			t.Errorf("%q: %v", path, err)
		}
	}
}

// random returns files with a few names, so that files and folders of the same name alternate.
func random(r *rand.Rand) files {
	f := make(files)
	for range r.IntN(12) {
		var parts []string
		for range 1 + r.IntN(3) {
			parts = append(parts, []string{"a", "a-b", "a.b", "b", "\xff"}[r.IntN(5)])
		}
		path := strings.Join(parts, "/")
		for other := range f {
			if path == other || strings.HasPrefix(other, path+"/") || strings.HasPrefix(path, other+"/") {
				delete(f, other)
			}
		}
		f[path] = []string{"x", "y", "x@1ns"}[r.IntN(3)]
	}
	return f
}

func TestChanges(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		a, b := random(r), random(r)
		old, next := a.tree(t), b.tree(t)
		c := changes(old, next)
		var want []string
		for path, text := range a {
			if b[path] != text {
				want = append(want, path)
			}
		}
		for path := range b {
			if _, ok := a[path]; !ok {
				want = append(want, path)
			}
		}
		slices.Sort(want)
		if !slices.Equal(c.Files, want) {
			t.Fatalf("%v → %v: got %q, want %q", a, b, c.Files, want)
		}
		// A folder that is not named has the same entries, unless a named folder above it lacks it in one of the trees.
		for _, dir := range append(folders(a), folders(b)...) {
			if slices.Contains(c.Folders, dir) || !old.isFolder(dir) || !next.isFolder(dir) {
				continue
			}
			if x, y := names(t, old, dir), names(t, next, dir); x != y {
				t.Fatalf("%v → %v: %q has %s and %s, and is not in %q", a, b, dir, x, y, c.Folders)
			}
		}
	}
}

func folders(f files) (all []string) {
	for path := range f {
		for i, c := range path {
			if c == '/' {
				all = append(all, path[:i])
			}
		}
	}
	return append(all, ".")
}

func names(t *testing.T, of *Tree, dir string) string {
	t.Helper()
	entries := must.Get((&Version{of, nil}).ReadDir(dir))(t)
	var b strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&b, "%q %v ", e.Name(), e.IsDir())
		if info, _ := e.Info(); !e.IsDir() {
			d := of.file(path.Join(dir, e.Name())).Digest
			fmt.Fprintf(&b, "%v %x ", info.ModTime(), d[:4])
		}
	}
	return b.String()
}

func openCache(t testing.TB) *Cache {
	t.Helper()
	c := must.Get(OpenCache(t.TempDir() + "/cache"))(t)
	t.Cleanup(c.Close)
	return c
}

// keep puts files into a cache.
func keep(t testing.TB, c *Cache, f files) *Version {
	t.Helper()
	w := copying{cache: c}
	defer w.abandon()
	written := make(map[Digest]bool)
	for _, file := range f.list() {
		if written[file.Digest] {
			continue
		}
		written[file.Digest] = true
		var b bytes.Buffer
		must.Do(t, file.Copy(&b))
		must.Do(t, w.write(file.Digest, b.Bytes()))
	}
	must.Do(t, w.end())
	return &Version{f.tree(t), c}
}

func TestVersionIsAFileSystem(t *testing.T) {
	f := files{"a.md": "A", "a/b.md": "B", "a/c/d.md": "", "a-b/e.md": "B", "z": strings.Repeat("z", 100_000)}
	v := keep(t, openCache(t), f)
	must.Do(t, fstest.TestFS(v, "a.md", "a/b.md", "a/c/d.md", "a-b/e.md", "z"))
	if info, err := fs.Stat(v, "a/b.md"); err != nil || !info.ModTime().Equal(usual) {
		t.Errorf("got %v, %v", info, err)
	}
	for _, name := range []string{"", "/", "..", "../a.md", "a/", "a.md/", "b", "a.md/b", "a//b.md", "./a.md"} {
		if _, err := v.Open(name); err == nil {
			t.Errorf("%q was opened", name)
		}
	}
}

// Files with the same bytes have their own times, and names any bytes.
func TestVersionHasAnyNames(t *testing.T) {
	f := files{"\xff/\xfe.md": "x", "con": "x", "CON": "x", "a:b*?\\": "x", "é/e\u0301": "x"}
	v := keep(t, openCache(t), f)
	if got := texts(t, v); fmt.Sprint(got) != fmt.Sprint(f) {
		t.Errorf("got %q", got)
	}
	one := must.Get(New([]Entry{textFile("a", "x", usual).Entry, textFile("b", "x", usual.Add(1)).Entry}))(t)
	v.tree = one
	for name, want := range map[string]time.Time{"a": usual, "b": usual.Add(1)} {
		opened := must.Get(v.Open(name))(t)
		defer opened.Close()
		if info, err := opened.Stat(); err != nil || !info.ModTime().Equal(want) {
			t.Errorf("%s: got %v", name, info.ModTime())
		}
	}
}

func TestCacheIsRepaired(t *testing.T) {
	c := openCache(t)
	f := files{"short": "12345", "other": "12345678", "gone": "1", "folder": "22", "whole": "333"}
	v := keep(t, c, f)
	name := func(path string) string { return fmt.Sprintf("%x", v.tree.file(path).Digest) }
	write := func(path, text string) {
		file := must.Get(c.copies.Create(name(path)))(t)
		defer file.Close()
		must.Get(file.WriteString(text))(t)
	}
	lost := 0
	c.onLoss(func() { lost++ })
	write("short", "1234")
	write("other", "12345679") // the same length
	must.Do(t, c.copies.Remove(name("gone")))
	must.Do(t, c.copies.Remove(name("folder")))
	must.Do(t, c.copies.Mkdir(name("folder"), 0o700))
	for _, path := range []string{"short", "gone", "folder"} {
		if _, err := v.Open(path); err == nil {
			t.Errorf("%s was opened", path)
		}
	}
	if lost != 3 {
		t.Errorf("%d losses were reported", lost)
	}
	lacking, err := c.missing(t.Context(), v.tree.entries, true)
	var paths []string
	for _, e := range lacking {
		paths = append(paths, e.Path)
	}
	slices.Sort(paths)
	if err != nil || fmt.Sprint(paths) != "[folder gone other short]" {
		t.Errorf("got %v, %v", paths, err)
	}
	delete(f, "whole")
	keep(t, c, f)
	if lacking, err = c.missing(t.Context(), v.tree.entries, true); err != nil || len(lacking) > 0 {
		t.Errorf("got %v, %v", lacking, err)
	}
}

func TestCacheRefusesOtherBytes(t *testing.T) {
	c := openCache(t)
	w := copying{cache: c}
	must.Do(t, w.write(sha256.Sum256([]byte("x")), []byte("y")))
	if err := w.end(); err == nil || !strings.Contains(err.Error(), "other bytes") {
		t.Errorf("got %v", err)
	}
	if names, _ := fs.ReadDir(c.copies.FS(), "."); len(names) > 0 {
		t.Errorf("%v is left", names)
	}
}

func TestCacheIsUsedOnce(t *testing.T) {
	dir := t.TempDir() + "/cache"
	c, err := OpenCache(dir)
	must.Do(t, err)
	if _, err := OpenCache(dir); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("got %v", err)
	}
	c.Close()
	if c, err = OpenCache(dir); err != nil {
		t.Fatal(err)
	}
	c.Close()
}

func TestSweep(t *testing.T) {
	c := openCache(t)
	old, next, newest := keep(t, c, files{"a": "1", "b": "2"}), keep(t, c, files{"a": "3", "b": "2"}), keep(t, c, files{"a": "4", "b": "5"})
	_ = keep(t, c, files{"c": "6"}) // just fetched, for a version that is not served yet
	for _, v := range []*Version{old, next, newest} {
		for _, e := range v.tree.entries {
			must.Do(t, c.copies.Chtimes(fmt.Sprintf("%x", e.Digest), usual, usual))
		}
		c.use("p", v.tree)
	}
	must.Do(t, c.sweep(t.Context()))
	texts(t, next)
	texts(t, newest)
	if _, err := old.Open("a"); err == nil {
		t.Error("a file of an old version is left")
	}
	if names, _ := fs.ReadDir(c.copies.FS(), "."); len(names) != 5 {
		t.Errorf("%d copies are left, want 5", len(names))
	}
}

func TestSavedList(t *testing.T) {
	c := openCache(t)
	v := &served{Version: *keep(t, c, files{"a": "1", "\xff": "2"}), number: 3, published: usual}
	v.digest = v.tree.Digest()
	must.Do(t, c.save("p", v))
	if got := c.load(t.Context(), "p"); got == nil || !got.published.Equal(usual) || got.number != 3 || got.tree.Digest() != v.digest {
		t.Fatalf("got %+v", got)
	}
	if c.load(t.Context(), "q") != nil {
		t.Error("another project was loaded")
	}
	v.tree.entries[0].Path = "../x"
	v.digest = v.tree.Digest()
	must.Do(t, c.save("p", v))
	if c.load(t.Context(), "p") != nil {
		t.Error("a path out of the folder was accepted")
	}
	must.Do(t, c.files.Replace(listOf("p"), []byte("{")))
	if c.load(t.Context(), "p") != nil {
		t.Error("a damaged list was accepted")
	}
}

var quiet = slog.New(slog.DiscardHandler)
