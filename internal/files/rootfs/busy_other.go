//go:build !windows

package rootfs

// busy returns false: what is open can be renamed and removed.
func busy(error) bool { return false }
