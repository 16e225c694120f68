package stdio

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// pipeBytes is how much room a pipe to the client gets, from 64 KiB: a page of a list goes out
// whole then, and while a client reads a part of a file, the next one is made. A user's pipes may
// have 64 MiB together, before those of other programs become small.
const pipeBytes = 256 << 10

// widen gives the output more room, if it is a pipe and the system allows it.
func widen(out io.Writer) {
	file, ok := out.(*os.File)
	if !ok {
		return
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		if size, err := unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0); err == nil && size < pipeBytes {
			_, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeBytes)
		}
	})
}
