//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package watch

import "io/fs"

// version returns the time of a file, the only information that this system has.
func version(info fs.FileInfo) (id uint64, changed int64) { return 0, info.ModTime().UnixNano() }

// links returns 1: this system does not report the number of names of a file with its information.
func links(fs.FileInfo) int { return 1 }
