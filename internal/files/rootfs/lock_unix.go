//go:build unix && !solaris && !aix

package rootfs

import (
	"errors"
	"os"
	"syscall"
)

// lockFile locks an open file until it is closed.
func lockFile(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}
