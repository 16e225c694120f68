//go:build unix

package rootfs

import "syscall"

// Nonblock is the flag that opens a named pipe without waiting for a writer.
const Nonblock = syscall.O_NONBLOCK
