package rootfs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
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
