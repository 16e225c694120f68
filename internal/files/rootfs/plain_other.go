//go:build !linux

package rootfs

import (
	"io/fs"
	"os"
)

// openBelow returns false: this system does not support it.
func openBelow(*os.File, string) (fs.File, fs.FileInfo, error, bool) { return nil, nil, nil, false }
