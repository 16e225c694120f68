//go:build !windows

package rootfs

import "os"

// makePrivate makes a folder for this user alone.
func makePrivate(path string) error { return os.Mkdir(path, 0o700) }
