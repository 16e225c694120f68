package stdio

import (
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A pipe to the client is enlarged. Other outputs do not change, nor does a pipe that
// is larger.
func TestWiden(t *testing.T) {
	room := func(f *os.File) (size int) {
		raw, err := f.SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		if failed := raw.Control(func(fd uintptr) { size, err = unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0) }); failed != nil || err != nil {
			t.Fatal(failed, err)
		}
		return size
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	raw, err := w.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var allowed error
	if err := raw.Control(func(fd uintptr) { _, allowed = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeBytes) }); err != nil {
		t.Fatal(err)
	}
	if allowed != nil {
		t.Skip("the system gives a pipe no more room:", allowed)
	}
	if err := raw.Control(func(fd uintptr) { _, allowed = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 4096) }); err != nil || allowed != nil {
		t.Fatal(err, allowed)
	}
	for range 2 {
		if widen(w); room(w) != pipeBytes {
			t.Errorf("the pipe has %d bytes", room(w))
		}
	}
	if err := raw.Control(func(fd uintptr) { _, allowed = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 2*pipeBytes) }); err != nil {
		t.Fatal(err)
	}
	if allowed == nil {
		if widen(w); room(w) != 2*pipeBytes {
			t.Errorf("the pipe has %d bytes", room(w))
		}
	}
	file, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	widen(file)
	widen(io.Discard)
	widen(&strings.Builder{})
}
