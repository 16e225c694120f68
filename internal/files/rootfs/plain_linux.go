package rootfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// openBelow opens a file below a folder without following any link, in one system call, and returns
// its information. It returns false if the system does not support that: before Linux 5.6, if a
// system call filter forbids it, or for a path that is too long for one call.
func openBelow(dir *os.File, name string) (fs.File, fs.FileInfo, error, bool) {
	fd, err := openat2(dir, name, unix.O_NONBLOCK)
	switch {
	case err == nil:
		f, err := newFile(fd, name)
		if err != nil {
			return nil, nil, err, true
		}
		return f, &f.info, nil, true
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM), errors.Is(err, unix.EAGAIN), errors.Is(err, unix.ENAMETOOLONG), errors.Is(err, unix.EINVAL):
		return nil, nil, nil, false
	}
	return nil, nil, &fs.PathError{Op: "open", Path: name, Err: err}, true
}

// openat2 opens a file below a folder for reading, without following any link.
func openat2(dir *os.File, name string, flags uint64) (fd int, err error) {
	how := unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_CLOEXEC | flags,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	err = control(dir, func(dir int) (err error) { fd, err = unix.Openat2(dir, name, &how); return err })
	return fd, err
}

// control calls do with the descriptor of an open file.
func control(file *os.File, do func(fd int) error) error {
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	if failed := raw.Control(func(fd uintptr) { err = retried(func() error { return do(int(fd)) }) }); failed != nil {
		return failed
	}
	return err
}

// lstatAtOnce is [os.Root.Lstat] in one lookup, where os.Root opens each folder on the way. It returns false if there is a link on the way,
// or if it cannot tell: then os.Root decides.
func (o *opened) lstatAtOnce(name string) (fs.FileInfo, error, bool) {
	fd, err := openat2(o.dir, name, unix.O_PATH|unix.O_NOFOLLOW)
	switch {
	case err == nil:
		file := os.NewFile(uintptr(fd), filepath.Join(o.Name(), name))
		defer file.Close()
		info, err := file.Stat()
		return info, err, true
	case errors.Is(err, unix.ENOENT):
		return nil, &fs.PathError{Op: "lstat", Path: name, Err: err}, true
	}
	return nil, nil, false
}

// openFolderBelow opens a folder to list it, without following any link. It returns false if it cannot: then [os.Root] decides.
func (o *opened) openFolderBelow(name string) (*os.File, bool) {
	fd, err := openat2(o.dir, name, unix.O_DIRECTORY)
	if err != nil {
		return nil, false
	}
	return os.NewFile(uintptr(fd), filepath.Join(o.Name(), name)), true
}

// Plain reports whether a path exists and has no link. If it returns false, it may nevertheless be so.
func (f *FS) Plain(name string) bool {
	if f.bounds() || check("open", name) != nil {
		return false
	}
	fd, err := openat2(f.opened.Load().dir, name, unix.O_PATH)
	if err != nil {
		return false
	}
	unix.Close(fd)
	return true
}
