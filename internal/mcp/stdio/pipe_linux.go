package stdio

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// pipeBytes is the size that a pipe to the client gets, from 64 KiB. A page of a list then fits
// into it, and while a client reads a part of a file, the next one is made. The pipes of a user may
// have 64 MiB together before the system makes the pipes of other programs smaller.
const pipeBytes = 256 << 10

// widen enlarges the output if it is a pipe and the system allows it.
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
