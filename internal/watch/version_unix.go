//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package watch

import (
	"io/fs"
	"syscall"
)

// version returns what the system knows a file by, and when anything about it last changed, in nanoseconds. Programs that set
// the time of a file do not set that one.
func version(info fs.FileInfo) (id uint64, changed int64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Ino), changeTime(st)
	}
	return 0, info.ModTime().UnixNano()
}
