//go:build !linux

package rootfs

// mountsOf returns nothing: this system does not report mounts as a file.
func mountsOf(string) (below []string, local bool) { return nil, false }
