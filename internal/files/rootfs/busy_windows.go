package rootfs

import (
	"errors"

	"golang.org/x/sys/windows"
)

// busy reports whether an error can be that of a file that is open. It may be one of permissions too:
// the system does not say.
func busy(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
}
