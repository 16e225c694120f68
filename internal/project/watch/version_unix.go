//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package watch

import (
	"io/fs"
	"syscall"
)

// version returns the identity of a file and the time of its last status change in nanoseconds.
// Unlike the modification time, programs cannot set that time.
func version(info fs.FileInfo) (id uint64, changed int64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Ino), changeTime(st)
	}
	return 0, info.ModTime().UnixNano()
}
