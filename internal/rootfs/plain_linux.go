package rootfs

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// openBelow opens a file below a folder without following any link, in one system call. It returns
// false if the system does not support that: before Linux 5.6, under a filter of system calls, or
// for a path that is too long for one call.
func openBelow(dir *os.File, name string) (*os.File, error, bool) {
	how := unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NONBLOCK,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	var fd int
	var err error
	raw, rawErr := dir.SyscallConn()
	if rawErr != nil {
		return nil, rawErr, true
	}
	if rawErr = raw.Control(func(dirfd uintptr) {
		for {
			if fd, err = unix.Openat2(int(dirfd), name, &how); err != unix.EINTR {
				return
			}
		}
	}); rawErr != nil {
		return nil, rawErr, true
	}
	switch {
	case err == nil:
		return os.NewFile(uintptr(fd), name), nil, true
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM), errors.Is(err, unix.EAGAIN), errors.Is(err, unix.ENAMETOOLONG), errors.Is(err, unix.EINVAL):
		return nil, nil, false
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: err}, true
}
