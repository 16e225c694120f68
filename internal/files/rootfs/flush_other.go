//go:build !linux

package rootfs

// Flush does nothing: this system has no such call for a single file system.
func (f *FS) Flush() error { return nil }
