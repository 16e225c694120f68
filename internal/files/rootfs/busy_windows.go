package rootfs

import (
	"errors"

	"golang.org/x/sys/windows"
)

// busy reports whether a change may have failed because a file is open. The cause may also be a
// missing permission: Windows returns the same error.
func busy(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
}
