//go:build !linux

package rootfs

import (
	"io/fs"
	"os"
)

// SameFile reports whether both describe the same file.
func SameFile(a, b fs.FileInfo) bool { return os.SameFile(a, b) }
