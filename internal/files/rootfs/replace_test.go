package rootfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	for _, text := range []string{"one", "two"} {
		must.Do(t, f.Replace("a/b/c.md", []byte(text)))
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
		must.Do(t, errors.Join(os.Symlink(outside, filepath.Join(dir, "out")), os.Symlink("a/b/c.md", filepath.Join(dir, "link")), os.Chmod(filepath.Join(dir, "a/b/c.md"), 0o600)))
		if err := f.Replace("out/x", nil); err == nil {
			t.Error("a file is written outside of the folder")
		}
		if err := f.Replace("link", nil); !errors.Is(err, ErrIrregular) {
			t.Errorf("a link: %v", err)
		}
		must.Do(t, f.Replace("a/b/c.md", []byte("three")))
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
	entries := must.Get(f.ReadDir("."))(t)
	for _, e := range entries {
		if e.Name()[0] == '.' {
			t.Errorf("%s is left", e.Name())
		}
	}
}

// TestReplaceWhileAFolderBecomesALink writes below a folder that is repeatedly swapped with a link
// that leads out of the project.
func TestReplaceWhileAFolderBecomesALink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights")
	}
	dir, outside := t.TempDir(), t.TempDir()
	f := open(t, dir)
	below, aside := filepath.Join(dir, "a"), filepath.Join(dir, "aside")
	must.Do(t, errors.Join(os.MkdirAll(filepath.Join(below, "b"), 0o700), os.Mkdir(filepath.Join(outside, "b"), 0o700)))
	stop := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Rename(below, aside)
			_ = os.RemoveAll(below) // Replace may have created it meanwhile
			_ = os.Symlink(outside, below)
			_ = os.RemoveAll(below)
			_ = os.Rename(aside, below)
		}
	})
	written := 0
	for range 300 {
		if f.ReplaceSoon("a/b/c.md", []byte("text")) == nil {
			written++
		}
	}
	close(stop)
	swapping.Wait()
	if entries, err := os.ReadDir(filepath.Join(outside, "b")); err != nil || len(entries) != 0 {
		t.Errorf("%d of %d files are outside, %v", len(entries), written, err)
	}
}
