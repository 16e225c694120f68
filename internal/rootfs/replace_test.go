package rootfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, text := range []string{"one", "two"} {
		if err := f.Replace("a/b/c.md", []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := fs.ReadFile(f, "a/b/c.md"); err != nil || string(got) != text {
			t.Errorf("%q, %v", got, err)
		}
	}
	for _, name := range []string{"", ".", "..", "../x", "/x", "a/../x", "a\x00b"} {
		if err := f.Replace(name, nil); err == nil {
			t.Errorf("%q is written", name)
		}
	}
	if err := f.Replace("a/b", nil); !errors.Is(err, ErrIrregular) {
		t.Errorf("a folder: %v", err)
	}
	if err := f.Replace("a/b/c.md/d", nil); err == nil {
		t.Error("below a file")
	}
	if runtime.GOOS != "windows" {
		outside := t.TempDir()
		if err := errors.Join(os.Symlink(outside, filepath.Join(dir, "out")), os.Symlink("a/b/c.md", filepath.Join(dir, "link")), os.Chmod(filepath.Join(dir, "a/b/c.md"), 0o600)); err != nil {
			t.Fatal(err)
		}
		if err := f.Replace("out/x", nil); err == nil {
			t.Error("a file is written outside of the folder")
		}
		if err := f.Replace("link", nil); !errors.Is(err, ErrIrregular) {
			t.Errorf("a link: %v", err)
		}
		if err := f.Replace("a/b/c.md", []byte("three")); err != nil {
			t.Fatal(err)
		}
		if info, err := f.Stat("a/b/c.md"); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the mode is %v, %v", info.Mode(), err)
		}
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := f.Replace("same", []byte("text")); err != nil && runtime.GOOS != "windows" {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	entries, err := f.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name()[0] == '.' {
			t.Errorf("%s is left", e.Name())
		}
	}
}
