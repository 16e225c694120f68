//go:build !linux

package rootfs

import (
	"io/fs"
	"os"
)

// readDirBelow returns false: this system does not support it.
func readDirBelow(*os.File, string) ([]fs.DirEntry, bool) { return nil, false }

// SameFile reports whether both describe the same file.
func SameFile(a, b fs.FileInfo) bool { return os.SameFile(a, b) }
