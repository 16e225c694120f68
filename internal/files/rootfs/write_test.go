package rootfs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestWriteFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "deep")
	f, made, err := Make(dir)
	if err != nil || !made {
		t.Fatal(made, err)
	}
	defer f.Close()
	if again, made, err := Make(dir); err != nil || made {
		t.Error(made, err)
	} else {
		again.Close()
	}
	modTime := time.Unix(1_700_000_000, 0)
	files := []NewFile{{"a.txt", [][]byte{[]byte("one "), []byte("two")}}, {"b.txt", nil}}
	must.Do(t, f.WriteFolder(t.Context(), "folder", files, modTime))
	if data, err := os.ReadFile(filepath.Join(dir, "folder", "a.txt")); err != nil || string(data) != "one two" {
		t.Errorf("%q, %v", data, err)
	}
	for _, name := range []string{"folder", "folder/a.txt", "folder/b.txt"} {
		info, err := f.Lstat(name)
		if err != nil || !info.ModTime().Equal(modTime) {
			t.Errorf("%s: %v, %v", name, info, err)
		}
		if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: others may read it: %v", name, info.Mode())
		}
	}
	// A folder that cannot be written completely does not exist afterwards.
	ended, end := context.WithCancel(t.Context())
	end()
	for what, err := range map[string]error{
		"one that is there": f.WriteFolder(t.Context(), "folder", files, modTime),
		"a name twice":      f.WriteFolder(t.Context(), "twice", append(files, files...), modTime),
		"no time":           f.WriteFolder(ended, "ended", files, modTime),
		"a path out":        f.WriteFolder(t.Context(), "../out", files, modTime),
		"a file out":        f.WriteFolder(t.Context(), "out", []NewFile{{"../../../x", nil}}, modTime),
		"itself":            f.WriteFolder(t.Context(), ".", files, modTime),
	} {
		if err == nil {
			t.Errorf("%s is written", what)
		}
	}
	names, err := f.Names(".")
	if err != nil || !slices.Equal(names, []string{"folder"}) {
		t.Errorf("there are %q, %v", names, err)
	}
	for range 2 { // removing a folder that does not exist is not an error
		if err := f.RemoveFolder("folder"); err != nil {
			t.Error(err)
		}
	}
	if _, err := f.Lstat("folder"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is there: %v", err)
	}
	if err := errors.Join(f.RemoveFolder(".")); err == nil {
		t.Error("the folder itself is removed")
	}
}

// Removing a link to a folder removes the link and keeps the target.
func TestRemoveFolderKeepsTheTargetOfALink(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	must.Write(t, filepath.Join(outside, "kept"), "")
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Skipf("links cannot be made here: %v", err)
	}
	f := open(t, dir)
	if err := f.RemoveFolder("link"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(outside, "kept")); err != nil {
		t.Error(err)
	}
}

func TestSweep(t *testing.T) {
	const random = "abcdefghijklmnopqrstuvwx"
	past := time.Now().Add(-time.Hour)
	for deep, gone := range map[bool][]string{false: {".new-" + random + "za/file", ".new-" + random + "zc", ".old-" + random + "zd/file"},
		true: {".new-" + random + "za/file", ".new-" + random + "zc", ".old-" + random + "zd/file", "a/.new-" + random + "ze"}} {
		f := open(t, t.TempDir())
		names := []string{".new-" + random + "za/file", ".new-" + random + "zb/file", ".new-" + random + "zc", ".old-" + random + "zd/file", ".old-mine/file",
			"a/.new-" + random + "ze", ".git/.new-" + random + "zf", ".new-folder/x", "a/x.md"}
		for _, name := range names {
			must.Write(t, filepath.Join(f.Path(), name), "")
		}
		for _, name := range names {
			for ; name != "."; name = filepath.Dir(name) {
				must.Do(t, f.SetTime(name, past))
			}
		}
		must.Do(t, f.SetTime(names[1], time.Now())) // another process is still writing to it
		must.Do(t, f.Sweep(t.Context(), time.Minute, deep))
		for _, name := range names {
			if _, err := f.Lstat(name); (err != nil) != slices.Contains(gone, name) {
				t.Errorf("deep %v: %s: %v", deep, name, err)
			}
		}
	}
}

func open(t *testing.T, dir string) *FS {
	t.Helper()
	f := must.Get(Open(dir))(t)
	t.Cleanup(func() { f.Close() })
	return f
}

func TestAppend(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	for _, text := range []string{"one\n", "two\n"} {
		file := must.Get(f.Append(".log"))(t)
		must.Get(file.WriteString(text))(t)
		file.Close()
	}
	if text, err := os.ReadFile(filepath.Join(dir, ".log")); string(text) != "one\ntwo\n" {
		t.Errorf("%q, %v", text, err)
	}
	outside := filepath.Join(t.TempDir(), "file")
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Skip("no links here")
	}
	for _, name := range []string{"link", "../x", ".", "a/../b", ""} {
		if file, err := f.Append(name); err == nil {
			file.Close()
			t.Errorf("%q was opened", name)
		}
		if err := f.Remove(name); err == nil && name != "link" {
			t.Errorf("%q was removed", name)
		}
	}
	if _, err := os.Lstat(outside); err == nil {
		t.Error("a file was written by way of a link")
	}
}

func TestLock(t *testing.T) {
	f := open(t, t.TempDir())
	for range 2 {
		release := must.Get(f.Lock(".lock"))(t)
		if _, err := f.Lock(".lock"); !errors.Is(err, ErrLocked) {
			t.Errorf("it was locked twice: %v", err)
		}
		release()
	}
	if names, err := f.Names("."); err != nil || len(names) != 0 {
		t.Errorf("%v, %v", names, err)
	}
}

func TestAChangeWaitsForOtherPrograms(t *testing.T) {
	inUse, other := errors.New("in use"), errors.New("other")
	busy := func(err error) bool { return err == inUse }
	for _, test := range []struct {
		name  string
		free  time.Duration // when the other program closes the file
		after error
		want  error
		least time.Duration
		most  time.Duration
	}{
		{"a file that nobody has open", 0, nil, nil, 0, 0},
		{"an error that no time mends", 0, other, other, 0, 0},
		{"a virus scanner", 300 * time.Millisecond, nil, nil, 300 * time.Millisecond, 300*time.Millisecond + busyPause},
		{"a virus scanner, and then an error", 300 * time.Millisecond, other, other, 300 * time.Millisecond, 300*time.Millisecond + busyPause},
		{"an editor", time.Hour, nil, inUse, busyTime, busyTime + busyPause},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			err := settled(func() error {
				if time.Since(began) < test.free {
					return inUse
				}
				return test.after
			}, busy)
			if passed := time.Since(began); err != test.want || passed < test.least || passed > test.most {
				t.Errorf("%s: %v after %v", test.name, err, passed)
			}
		})
	}
}

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
