//go:build unix

package rootfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestIrregularFiles(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	if _, err := open(t, dir).Open("pipe"); !errors.Is(err, ErrIrregular) {
		t.Errorf("Open(pipe) = %v, want %v", err, ErrIrregular)
	}
}

// Opening a pipe as a folder fails at once and does not wait for a writer.
func TestPipeIsNotAFolder(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, errors.Join(syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600), os.Symlink("pipe", filepath.Join(dir, "link"))))
	f := open(t, dir)
	for name, use := range map[string]func(string) error{
		"Replace":    func(name string) error { return f.Replace(name+"/a.md", nil) },
		"OpenFolder": func(name string) error { _, err := f.OpenFolder(name, false); return err },
		"Make":       func(name string) error { _, _, err := Make(filepath.Join(dir, name)); return err },
	} {
		for _, folder := range []string{"pipe", "link"} {
			done := make(chan error, 1)
			go func() { done <- use(folder) }()
			select {
			case err := <-done:
				if err == nil {
					t.Errorf("%s in the %s: no error", name, folder)
				}
			case <-time.After(10 * time.Second):
				t.Errorf("%s waits for the %s", name, folder)
			}
		}
	}
}

func TestEscapes(t *testing.T) {
	outside := t.TempDir()
	must.Write(t, filepath.Join(outside, "secret"), "secret")
	dir := t.TempDir()
	for name, target := range map[string]string{
		"up": "../" + filepath.Base(outside) + "/secret", "abs": filepath.Join(outside, "secret"), "dir": outside,
	} {
		must.Do(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	fsys := open(t, dir)
	for _, name := range []string{"up", "abs", "dir/secret", "..", "../x", "a/../up", "/etc/passwd", "", "a//b", "./up", "a\x00b"} {
		if f, err := fsys.Open(name); err == nil {
			data, _ := io.ReadAll(f)
			t.Errorf("Open(%q) reads %q", name, data)
		}
	}
}

func TestAbsoluteLinkInside(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.MkdirAll(filepath.Join(dir, "a/b"), 0o700))
	must.Do(t, os.Symlink(filepath.Join(dir, "docs", "x.md"), filepath.Join(dir, "a/b/link")))
	must.Do(t, os.Symlink(dir+"-other/x", filepath.Join(dir, "a/near")))
	fsys := open(t, dir)
	if got, err := fsys.ReadLink("a/b/link"); got != "../.././docs/x.md" || err != nil {
		t.Errorf("ReadLink = %q, %v", got, err)
	}
	if got, err := fsys.ReadLink("a/near"); got != dir+"-other/x" || err != nil {
		t.Errorf("ReadLink of a neighbour = %q, %v", got, err)
	}
}

func TestReopen(t *testing.T) {
	parent := t.TempDir()
	for _, name := range []string{"one", "two"} {
		must.Do(t, os.Mkdir(filepath.Join(parent, name), 0o700))
		must.Write(t, filepath.Join(parent, name, "f"), name)
	}
	current := filepath.Join(parent, "current")
	must.Do(t, os.Symlink("one", current))
	fsys := open(t, current)
	for _, want := range []string{"one", "two"} {
		if changed, err := fsys.Reopen(); err != nil || changed != (want == "two") {
			t.Errorf("Reopen = %v, %v", changed, err)
		}
		if data, err := fs.ReadFile(fsys, "f"); err != nil || string(data) != want {
			t.Errorf("f is %q, %v; want %q", data, err, want)
		}
		must.Do(t, os.Remove(current))
		if changed, err := fsys.Reopen(); err == nil || changed {
			t.Errorf("Reopen of nothing = %v, %v", changed, err)
		}
		must.Do(t, os.Symlink("two", current))
	}
}

func TestOpenFolder(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	f := open(t, dir)
	if _, err := f.OpenFolder("a/b", false); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
	sub := must.Get(f.OpenFolder("a/b", true))(t)
	defer sub.Close()
	if err := sub.Replace("c/d.md", []byte("x")); err != nil {
		t.Error(err)
	}
	if data, err := fs.ReadFile(f, "a/b/c/d.md"); string(data) != "x" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	if changed, err := sub.Reopen(); changed || err != nil {
		t.Errorf("%v, %v", changed, err)
	}
	for _, name := range []string{"a/b/c/d.md", "../x", "", "/"} {
		if _, err := f.OpenFolder(name, true); err == nil {
			t.Errorf("%q is opened", name)
		}
	}
	if err := os.Symlink(outside, filepath.Join(dir, "out")); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{"out", "out/new"} {
		if _, err := f.OpenFolder(name, true); err == nil {
			t.Errorf("%s is opened", name)
		}
	}
	if entries, _ := os.ReadDir(outside); len(entries) > 0 {
		t.Errorf("%v are outside", entries)
	}
}

func TestEntries(t *testing.T) {
	dir := t.TempDir()
	want := map[string]fs.FileMode{"sub": fs.ModeDir, "link": fs.ModeSymlink}
	must.Do(t, errors.Join(os.Mkdir(filepath.Join(dir, "sub"), 0o700), os.Symlink("sub", filepath.Join(dir, "link"))))
	for i := range 3 * entriesAtOnce {
		want[fmt.Sprint(i)] = 0
		must.Write(t, filepath.Join(dir, fmt.Sprint(i)), "")
	}
	fsys := open(t, dir)
	got := map[string]fs.FileMode{}
	for e, err := range fsys.Entries(".") {
		must.Do(t, err)
		got[e.Name()] = e.Type()
	}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for range fsys.Entries(".") {
		break // closes the folder
	}
	for _, name := range []string{"missing", "0", "..", "sub/../sub"} {
		n := 0
		for e, err := range fsys.Entries(name) {
			if n++; e != nil || err == nil {
				t.Errorf("Entries(%q) has %v, %v", name, e, err)
			}
		}
		if n != 1 {
			t.Errorf("Entries(%q) has %d elements, want one error", name, n)
		}
	}
}

// While files and folders are exchanged with links, a file is either the one that was there or an error, also where the system has no
// call for that.
func TestExchangedLinks(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"docs/a.md": "document", ".private/a.md": "secret", ".env": "secret"} {
		must.Write(t, filepath.Join(dir, name), text)
	}
	f := open(t, dir)
	var stop atomic.Bool
	var work sync.WaitGroup
	work.Go(func() {
		for turn := 0; !stop.Load(); turn++ {
			for i, target := range []string{".private", "../.env"} {
				name := filepath.Join(dir, []string{"docs", "docs/a.md"}[i])
				if turn%2 == i {
					_ = os.Rename(name, filepath.Join(dir, "aside"))
					_ = os.Symlink(target, name)
					_ = os.Remove(name)
					_ = os.Rename(filepath.Join(dir, "aside"), name)
				}
			}
		}
	})
	read := 0
	for begin := time.Now(); time.Since(begin) < 2*time.Second; {
		for _, open := range []func() (fs.File, fs.FileInfo, error){
			func() (fs.File, fs.FileInfo, error) { return f.OpenPlain("docs/a.md") },
			func() (fs.File, fs.FileInfo, error) { return openSteps(f.opened.Load().Root, "docs/a.md") },
		} {
			file, _, err := open()
			if err != nil {
				continue
			}
			data, err := io.ReadAll(file)
			file.Close()
			if read++; err != nil || string(data) != "document" {
				t.Errorf("%q, %v", data, err)
			}
		}
	}
	stop.Store(true)
	work.Wait()
	if read == 0 {
		t.Error("nothing is read")
	}
}
