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

// links returns the number of names of a file.
func links(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && info.Mode().IsRegular() {
		return int(st.Nlink)
	}
	return 1
}
