//go:build unix

package rootfs

import (
	"io/fs"
	"os"
	"syscall"
)

// Foreign reports whether a file or folder belongs to another user, who could change it at any time. The
// administrator can change every file, so files of the administrator are not foreign.
func Foreign(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid != 0 && int(stat.Uid) != os.Geteuid()
}

// Nonblock is the flag that opens a named pipe without waiting for a writer.
const Nonblock = syscall.O_NONBLOCK
