package rootfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// A file that is closed during a read keeps its descriptor, so that no other file gets it, and
// releases it after the read.
func TestCloseDuringRead(t *testing.T) {
	var ends [2]int
	must.Do(t, unix.Pipe2(ends[:], unix.O_CLOEXEC))
	f := must.Get(newFile(ends[0], "pipe"))(t)
	read := make(chan string)
	go func() {
		buf := make([]byte, 10)
		n, err := f.Read(buf)
		if err != nil {
			t.Error(err)
		}
		read <- string(buf[:n])
	}()
	for hangs := false; !hangs; runtime.Gosched() {
		f.mu.Lock()
		hangs = f.users == 1
		f.mu.Unlock()
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := unix.FcntlInt(uintptr(ends[0]), unix.F_GETFD, 0); err != nil {
		t.Errorf("the descriptor is closed: %v", err)
	}
	must.Get(unix.Write(ends[1], []byte("late")))(t)
	must.Equal(t, "late", <-read, "the read returns")
	unix.Close(ends[1])
	if !f.closed || f.users != 0 {
		t.Errorf("closed %v, %d users", f.closed, f.users)
	}
	for what, err := range map[string]error{"read": second(f.Read(make([]byte, 1))), "stat": second(f.Stat()), "seek": second(f.Seek(0, 0)), "close": f.Close()} {
		if !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%s of a closed file: %v", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// Files behave like the files of the standard library.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"a/b.txt": strings.Repeat("text", 3000), "empty": ""} {
		path := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must.Do(t, os.WriteFile(path, []byte(content), 0o640))
		f, info, err := open(t, dir).OpenPlain(name)
		must.Do(t, err)
		if _, ok := f.(*file); !ok {
			t.Skip("openat2 is not there")
		}
		want := must.Get(os.Stat(path))(t)
		later := must.Get(f.Stat())(t)
		for _, info := range []fs.FileInfo{info, later} {
			if info.Name() != want.Name() || info.Size() != want.Size() || info.Mode() != want.Mode() || !info.ModTime().Equal(want.ModTime()) {
				t.Errorf("%s is %v, not %v", name, fs.FormatFileInfo(info), fs.FormatFileInfo(want))
			}
		}
		for range 2 {
			if data, err := io.ReadAll(f); err != nil || string(data) != content {
				t.Errorf("%s has %d bytes, %v", name, len(data), err)
			}
			if position, err := f.(io.Seeker).Seek(0, io.SeekStart); err != nil || position != 0 {
				t.Error(position, err)
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, _, err := open(t, dir).OpenPlain("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("OpenPlain(none) = %v", err)
	}
}

// After AwaitWrite, the file is at its start. A file without data has no writes to wait for.
func TestAwaitWrite(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"a": "abc", "empty": ""} {
		must.Write(t, filepath.Join(dir, name), content)
	}
	must.Write(t, filepath.Join(dir, "hole"), "")
	must.Do(t, os.Truncate(filepath.Join(dir, "hole"), 1<<20))
	f := open(t, dir)
	for name, size := range map[string]int{"a": 3, "empty": 0, "hole": 1 << 20} {
		file, _, err := f.OpenPlain(name)
		must.Do(t, err)
		f.AwaitWrite(file)
		if data, err := io.ReadAll(file); err != nil || len(data) != size {
			t.Errorf("%s: %d bytes, %v", name, len(data), err)
		}
		file.Close()
	}
}

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
