//go:build !linux

package rootfs

import "os"

// openBelow is not known here.
func openBelow(*os.File, string) (*os.File, error, bool) { return nil, nil, false }
