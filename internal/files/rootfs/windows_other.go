//go:build !windows

package rootfs

import "os"

// makePrivate makes a folder that only this user may access.
func makePrivate(path string) error { return os.Mkdir(path, 0o700) }

// busy returns false: on this system, open files can be renamed and removed.
func busy(error) bool { return false }
