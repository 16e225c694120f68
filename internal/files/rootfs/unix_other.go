//go:build !unix

package rootfs

import "io/fs"

// Foreign reports whether a file or folder belongs to another user. These systems do not report owners.
func Foreign(fs.FileInfo) bool { return false }

// Nonblock is the flag that opens a named pipe without waiting for a writer; these systems have no such files.
const Nonblock = 0
