//go:build !linux

package rootfs

import "os"

// openBelow returns false: this system does not support it.
func openBelow(*os.File, string) (*os.File, error, bool) { return nil, nil, false }
