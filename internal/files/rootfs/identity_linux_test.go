package rootfs

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// After any change of a file, its identity is different or does not exist.
func TestIdentity(t *testing.T) {
	old := time.Date(2020, 1, 2, 3, 4, 5, 6, time.UTC)
	inPlace := func(t *testing.T, name, content string) {
		f := must.Get(os.OpenFile(name, os.O_WRONLY, 0))(t)
		must.Get(f.WriteString(content))(t)
		f.Close()
	}
	for what, change := range map[string]func(t *testing.T, dir string) error{
		"overwritten": func(t *testing.T, dir string) error {
			inPlace(t, filepath.Join(dir, "x/a"), "two")
			return os.Chtimes(filepath.Join(dir, "x/a"), old, old)
		},
		"overwritten by another name": func(t *testing.T, dir string) error {
			inPlace(t, filepath.Join(dir, "hard"), "two")
			return os.Chtimes(filepath.Join(dir, "hard"), old, old)
		},
		"cut":    func(_ *testing.T, dir string) error { return os.Truncate(filepath.Join(dir, "x/a"), 1) },
		"locked": func(_ *testing.T, dir string) error { return os.Chmod(filepath.Join(dir, "x/a"), 0) },
		"gone":   func(_ *testing.T, dir string) error { return os.Remove(filepath.Join(dir, "x/a")) },
		"replaced": func(_ *testing.T, dir string) error {
			return os.Rename(filepath.Join(dir, "y/a"), filepath.Join(dir, "x/a"))
		},
		"in another folder": func(_ *testing.T, dir string) error {
			return os.Rename(filepath.Join(dir, "x"), filepath.Join(dir, "z"))
		},
		"in a folder that was replaced": func(t *testing.T, dir string) error {
			must.Do(t, os.Rename(filepath.Join(dir, "x"), filepath.Join(dir, "z")))
			return os.Rename(filepath.Join(dir, "y"), filepath.Join(dir, "x"))
		},
		"in a folder that became a link": func(t *testing.T, dir string) error {
			must.Do(t, os.Rename(filepath.Join(dir, "x"), filepath.Join(dir, "z")))
			return os.Symlink("y", filepath.Join(dir, "x"))
		},
		"a link": func(t *testing.T, dir string) error {
			must.Do(t, os.Rename(filepath.Join(dir, "x/a"), filepath.Join(dir, "x/b")))
			return os.Symlink("b", filepath.Join(dir, "x/a"))
		},
	} {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range []string{"x", "y"} {
				must.Do(t, os.Mkdir(filepath.Join(dir, name), 0o700))
				must.Write(t, filepath.Join(dir, name, "a"), "one")
				must.Do(t, os.Chtimes(filepath.Join(dir, name, "a"), old, old))
			}
			must.Do(t, os.Link(filepath.Join(dir, "x/a"), filepath.Join(dir, "hard")))
			tree := open(t, dir)
			f, info, err := tree.OpenPlain("x/a")
			must.Do(t, err)
			defer f.Close()
			if _, ok := tree.IdentifyOpen(f, info, info); ok {
				t.Error("a file that changed just now has an identity, though the time of its bytes is old")
			}
			// Treat the last change as old; IdentifyOpen would require that some ticks of the clock
			// have passed.
			id, ok := identifyOpen(f, info, info, func(time.Time) bool { return false })
			if !ok {
				t.Skip("the file system is not known to be a local one")
			}
			if now, ok := tree.Identify("x/a"); !ok || now != id {
				t.Errorf("the path leads to %v, not to %v", now, id)
			}
			time.Sleep(20 * time.Millisecond)
			must.Do(t, change(t, dir))
			if now, ok := tree.Identify("x/a"); ok && now == id {
				t.Error("its identity is the same")
			}
			after := must.Get(f.Stat())(t)
			if now, ok := identifyOpen(f, info, after, func(time.Time) bool { return false }); ok && now != id {
				t.Error("a file that changed while it was read has an identity")
			}
		})
	}
}

// Entries that are not regular files, and files without a name, have no identity.
func TestNoIdentity(t *testing.T) {
	tree := open(t, t.TempDir())
	for _, name := range []string{".", "..", "../x", "", "none", "/etc/passwd"} {
		if id, ok := tree.Identify(name); ok {
			t.Errorf("%q has the identity %v", name, id)
		}
	}
	if _, ok := tree.IdentifyOpen(nil, nil, fs.FileInfo(nil)); ok {
		t.Error("no file has an identity")
	}
}
