package rootfs

import (
	"io/fs"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// retried repeats a system call while signals interrupt it.
func retried(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}

// A dirEntry is the information of an open file.
type dirEntry struct {
	name string
	st   unix.Stat_t
}

func (e *dirEntry) Name() string       { return e.name }
func (e *dirEntry) IsDir() bool        { return e.Mode().IsDir() }
func (e *dirEntry) Size() int64        { return e.st.Size }
func (e *dirEntry) ModTime() time.Time { return time.Unix(e.st.Mtim.Unix()) }

// Sys returns the part of the status that identifies files and their versions.
func (e *dirEntry) Sys() any {
	return &syscall.Stat_t{
		Dev: e.st.Dev, Ino: e.st.Ino, Nlink: e.st.Nlink, Mode: e.st.Mode, Uid: e.st.Uid, Gid: e.st.Gid, Rdev: e.st.Rdev,
		Size: e.st.Size, Blksize: e.st.Blksize, Blocks: e.st.Blocks,
		Atim: syscall.Timespec(e.st.Atim), Mtim: syscall.Timespec(e.st.Mtim), Ctim: syscall.Timespec(e.st.Ctim),
	}
}

// Mode returns the permissions, and whether the file is a folder or anything else that is not a regular file.
func (e *dirEntry) Mode() fs.FileMode {
	mode := fs.FileMode(e.st.Mode & 0o777)
	switch e.st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return mode
	case unix.S_IFDIR:
		return mode | fs.ModeDir
	}
	return mode | fs.ModeIrregular
}
