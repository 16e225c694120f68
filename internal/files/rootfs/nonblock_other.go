//go:build !unix

package rootfs

// Nonblock is the flag that opens a named pipe without waiting for a writer; these systems have no such files.
const Nonblock = 0
