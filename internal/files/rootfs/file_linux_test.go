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
	if got := <-read; got != "late" {
		t.Errorf("the read returns %q", got)
	}
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
