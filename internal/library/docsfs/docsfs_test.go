package docsfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
)

// token looks like a token of npm, and key like a private key.
const (
	token = "npm_" + "8fK2mQ7xW4vN9tR1yB6cZ3hJ5dL0sPaGeUoI"
	key   = "-----BEGIN RSA PRIVATE" + " KEY-----\nq7Kq2ZwB9xMfT4vLpR8sGdYh3NcJ6eWuAQ5tXrHbVmPkCzDyFgSaEnUj\n-----END RSA PRIVATE" + " KEY-----\n"
)

func TestOpen(t *testing.T) {
	large := strings.Repeat("text of a line\n", maxHeld/15+1)
	files := fstest.MapFS{
		".gitignore": {Data: []byte("made/\n*.tmp\n/kept/\n!x.tmp\n")}, "kept/a.tmp": {Data: []byte("kept")}, "kept/b.md": {Data: []byte(token)},
		"a.md": {Data: []byte("# A\n")}, "made/a.md": {Data: []byte("a")}, "a.tmp": {Data: []byte("a")}, "x.tmp": {Data: []byte("x")},
		"key.md": {Data: []byte("# K\n\n" + key + "end\n")}, "key.rst": {Data: []byte(key)}, "cut.md": {Data: []byte("# C\n\n" + key[:90])}, "prod.env": {Data: []byte("A=1")},
		"large.md": {Data: []byte(large)}, "large-key.md": {Data: []byte(large + key)}, "image.png": {Data: []byte("\x89PNG " + token)},
		"link.md": {Data: []byte("key.rst"), Mode: fs.ModeSymlink}, "link.txt": {Data: []byte("key.md"), Mode: fs.ModeSymlink},
		"to-made.md": {Data: []byte("made/a.md"), Mode: fs.ModeSymlink}, "out.md": {Data: []byte("../a.md"), Mode: fs.ModeSymlink}, "good.md": {Data: []byte("a.md"), Mode: fs.ModeSymlink},
		"utf-16.md": {Data: []byte("\xff\xfe#\x00 \x00A\x00")}, "a.py": {Data: []byte("t = '" + token + "'\n")}, "a.ipynb": {Data: []byte(`{"cells": ["` + token + `"]}`)},
		"escaped.ipynb": {Data: []byte(`{"cells": [{"source": ["a\u0020npm\u005f` + token[4:] + `\n"]}]}`)}, "escaped.json": {Data: []byte(`{"url": "postgres:\/\/app:Xq9L\u002dPqR27@db.acme.io\/x"}`)},
		"binary.md": {Data: []byte("\x00" + token)}, "large-key.rst": {Data: []byte(large + key)},
	}
	f := Of(files, "kept", "docs")
	if Of(f) != f {
		t.Error("an FS is not used as it is")
	}
	for name, want := range map[string]string{
		"a.md": "# A\n", "x.tmp": "x", "good.md": "# A\n", "kept/a.tmp": "kept", "kept/b.md": "[removed: looks like an npm token (npm_…)]", "large.md": large,
		"key.md": "# K\n\n[removed: looks like a private key]\n\n\nend\n", "utf-16.md": "\xff\xfe#\x00 \x00A\x00",
		"key.rst": "[removed: looks like a private key]\n\n\n", "link.md": "[removed: looks like a private key]\n\n\n", "link.txt": "# K\n\n[removed: looks like a private key]\n\n\nend\n",
		"escaped.ipynb": `{"cells": [{"source": ["a\u0020[removed: looks like an npm token (npm_…)]\n"]}]}`, "escaped.json": `{"url": "postgres[removed: looks like a password in a URL]@db.acme.io\/x"}`,
		"a.py": "t = '[removed: looks like an npm token (npm_…)]'\n", "a.ipynb": `{"cells": ["[removed: looks like an npm token (npm_…)]"]}`,
	} {
		opened, err := f.Open(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		data, err := io.ReadAll(opened)
		info, statErr := opened.Stat()
		if err != nil || statErr != nil || string(data) != want || info.Size() != int64(len(want)) {
			t.Errorf("%s: %.80q, %v, %v", name, data, err, statErr)
		}
		if disk := files[name]; disk != nil && disk.Mode == 0 && OnDisk(info).Size() != int64(len(disk.Data)) {
			t.Errorf("%s: %d bytes on the disk", name, OnDisk(info).Size())
		}
		opened.Close()
	}
	for name, line := range map[string]int{"cut.md": 3, "prod.env": 0, "large-key.md": maxHeld/15 + 2, "large-key.rst": maxHeld/15 + 2, "image.png": 1, "binary.md": 1} {
		_, err := f.Open(name)
		if found, ok := errors.AsType[*SecretError](err); !ok || found.Line != line || strings.Contains(err.Error(), "q7Kq2Z") {
			t.Errorf("%s: %v, want line %d", name, err, line)
		}
	}
	for _, name := range []string{"made/a.md", "a.tmp", "to-made.md"} {
		if _, err := f.Open(name); !errors.Is(err, ErrIgnored) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"out.md", "none.md"} {
		if _, err := f.Open(name); err == nil {
			t.Errorf("%s can be opened", name)
		}
	}
}

// The description of an open file says that it changed, whether or not secrets were removed.
func TestStatIsOfNow(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) {
		t.Helper()
		must.Write(t, filepath.Join(dir, "a.md"), text)
	}
	write(token + "\n")
	opened := must.Get(Of(os.DirFS(dir)).Open("a.md"))(t)
	defer opened.Close()
	write("changed text\n")
	if info, err := opened.Stat(); err != nil || info.Size() != 13 {
		t.Errorf("%v, %v", info, err)
	}
}

// A swapping project replaces a file or a folder with a link at the moment at which a file is opened.
type swapping struct {
	*rootfs.FS
	swap func()
}

func (s swapping) Open(name string) (fs.File, error) {
	s.swap()
	return s.FS.Open(name)
}

func (s swapping) OpenPlain(name string) (fs.File, fs.FileInfo, error) {
	s.swap()
	return s.FS.OpenPlain(name)
}

// The file that was checked is opened, whatever stands at its path then.
func TestOpenDoesNotFollowNewLinks(t *testing.T) {
	for _, test := range []struct{ name, replaced, target string }{
		{"docs/a.md", "docs/a.md", "../.env"}, {"docs/a.md", "docs/a.md", "../private/a.md"}, {"docs/sub/b.md", "docs/sub", "../.git/sub"}, {"docs/l.md", "docs/sub", "../private"},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{
			".gitignore": "private/\n", ".env": "hidden", ".git/sub/b.md": "hidden", "private/a.md": "hidden", "private/b.md": "hidden", "docs/a.md": "good", "docs/sub/b.md": "good",
		} {
			must.Do(t, errors.Join(os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)))
		}
		if err := os.Symlink("sub/b.md", filepath.Join(dir, "docs/l.md")); err != nil {
			t.Skip("this system makes no links: ", err)
		}
		root := must.Get(rootfs.Open(dir))(t)
		defer root.Close()
		swap := func() {
			replaced := filepath.Join(dir, test.replaced)
			must.Do(t, errors.Join(os.RemoveAll(replaced), os.Symlink(test.target, replaced)))
		}
		if data, err := fs.ReadFile(Of(swapping{root, swap}), test.name); err == nil {
			t.Errorf("%s is %q after %s became a link to %s", test.name, data, test.replaced, test.target)
		}
	}
}

func TestNamed(t *testing.T) {
	f := Of(fstest.MapFS{
		".gitignore": {Data: []byte("made/\n")}, "made/a": {}, "docs/a": {}, "docs/.parts/a": {}, "docs/.git/a": {}, "docs/a~": {}, "docs/node_modules/a": {}, ".parts/a": {}, "code/.parts/a": {}, "code/a": {},
		"docs/l": {Data: []byte("../.parts/a"), Mode: fs.ModeSymlink}, "docs/m": {Data: []byte("../code/a"), Mode: fs.ModeSymlink},
	})
	for name, want := range map[string]string{
		"docs/a": "docs/a", "docs/.parts/a": "docs/.parts/a", "code/a": "code/a", "docs/m": "code/a",
		"made/a": "", "docs/.git/a": "", "docs/a~": "", "docs/node_modules/a": "", ".parts/a": "", "code/.parts/a": "", "docs/l": "", "none": "", "../a": "", "/docs/a": "", "": "",
	} {
		if real, ok := f.Named("docs", name); real != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", name, real, ok)
		}
		opened, real, err := f.OpenNamed("docs", name)
		if (err == nil) != (want != "") || err == nil && real != want {
			t.Errorf("%q opens %q, %v", name, real, err)
		}
		if err == nil {
			opened.Close()
		}
	}
	for _, folder := range []string{"", "."} {
		if _, ok := f.Named(folder, "docs/.parts/a"); ok {
			t.Error("a hidden name of the project folder")
		}
	}
}

// A file that is too large cannot be opened, and is not read.
func TestOpenLarge(t *testing.T) {
	dir := t.TempDir()
	file := must.Get(os.Create(filepath.Join(dir, "a.md")))(t)
	if err := errors.Join(file.Truncate(2<<30), file.Close()); err != nil {
		t.Skip("this system has no sparse files: ", err)
	}
	f := Of(os.DirFS(dir))
	for _, test := range []struct {
		bound int64
		want  string
	}{
		{1, "open a.md: is larger than 64 MiB, which is the limit for documents"},
		{100e6, "open a.md: is larger than 95.37 MiB, which is the limit for documents"},
	} {
		f.Bound(test.bound)
		if _, err := f.Open("a.md"); err == nil || err.Error() != test.want {
			t.Errorf("%v", err)
		}
	}
}
