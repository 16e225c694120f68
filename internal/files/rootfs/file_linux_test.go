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
)

// A file that is closed during a read keeps its descriptor, so that no other file gets it, and
// releases it after the read.
func TestCloseDuringRead(t *testing.T) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	f, err := newFile(ends[0], "pipe")
	if err != nil {
		t.Fatal(err)
	}
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
	if _, err := unix.Write(ends[1], []byte("late")); err != nil {
		t.Fatal(err)
	}
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
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o640); err != nil {
			t.Fatal(err)
		}
		f, info, err := open(t, dir).OpenPlain(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := f.(*file); !ok {
			t.Skip("openat2 is not there")
		}
		want, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		later, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
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

// What do opening, reading and closing a file of 4 KB cost, compared with an os.File?
func BenchmarkFile(b *testing.B) {
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.md"), make([]byte, 4<<10), 0o600); err != nil {
		b.Fatal(err)
	}
	f, err := Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	buf := make([]byte, 4<<10)
	run := func(b *testing.B, open func() (fs.File, error)) {
		b.ReportAllocs()
		for b.Loop() {
			file, err := open()
			if err != nil {
				b.Fatal(err)
			}
			if _, err := io.ReadFull(file, buf); err != nil {
				b.Fatal(err)
			}
			if _, err := file.Stat(); err != nil {
				b.Fatal(err)
			}
			file.Close()
		}
	}
	b.Run("plain", func(b *testing.B) {
		run(b, func() (fs.File, error) { f, _, err := f.OpenPlain("a.md"); return f, err })
	})
	b.Run("os.File", func(b *testing.B) {
		run(b, func() (fs.File, error) {
			fd, err := openat2(f.opened.Load().dir, "a.md", unix.O_NONBLOCK)
			if err != nil {
				return nil, err
			}
			file := os.NewFile(uintptr(fd), "a.md")
			_, err = file.Stat()
			return file, err
		})
	})
}
