package rootfs

import (
	"io"
	"io/fs"
	"os"
	"path"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A file is an open file that makes its system calls directly. For each file, an [os.File] asks the
// system whether the file blocks and whether it can be polled, which a regular file cannot.
// Together with its allocations, this takes as long as reading a small file.
//
// The owner must close the file. A read may hang for any time; a caller that no longer waits for it
// closes the file. The descriptor stays open until the read returns, so that the read never
// continues on another file with the same descriptor.
type file struct {
	name string
	info dirEntry // when the file was opened

	mu     sync.Mutex // guards all fields below
	fd     int
	users  int // number of calls that are using fd
	closed bool
}

// newFile returns an open file and its information.
func newFile(fd int, name string) (*file, error) {
	f := &file{name: name, fd: fd, info: dirEntry{name: path.Base(name)}}
	if err := retried(func() error { return unix.Fstat(fd, &f.info.st) }); err != nil {
		unix.Close(fd)
		return nil, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	return f, nil
}

// use calls do with the descriptor.
func (f *file) use(op string, do func(fd int) error) error {
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return &fs.PathError{Op: op, Path: f.name, Err: os.ErrClosed}
	}
	f.users++
	f.mu.Unlock()
	err := retried(func() error { return do(f.fd) })
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.users--; f.users == 0 && f.closed {
		unix.Close(f.fd)
	}
	if err != nil {
		return &fs.PathError{Op: op, Path: f.name, Err: err}
	}
	return nil
}

func (f *file) Stat() (fs.FileInfo, error) {
	info := &dirEntry{name: f.info.name}
	if err := f.use("stat", func(fd int) error { return unix.Fstat(fd, &info.st) }); err != nil {
		return nil, err
	}
	return info, nil
}

func (f *file) Read(p []byte) (n int, err error) {
	if len(p) == 0 {
		return 0, nil
	}
	err = f.use("read", func(fd int) (err error) { n, err = unix.Read(fd, p); return err })
	switch {
	case err != nil:
		return 0, err
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

func (f *file) Seek(offset int64, whence int) (position int64, err error) {
	err = f.use("seek", func(fd int) (err error) { position, err = unix.Seek(fd, offset, whence); return err })
	return position, err
}

func (f *file) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return &fs.PathError{Op: "close", Path: f.name, Err: os.ErrClosed}
	}
	f.closed = true
	if f.users > 0 {
		return nil
	}
	return unix.Close(f.fd)
}

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

// AwaitWrite waits for the write(2) calls to an open file that began before it, and seeks to the start of the file. A write that
// begins later changes the file's time, if that time is older than a tick of the clock. Network file systems and file systems in user
// space do not guarantee this.
//
// The local file systems of Linux set the time of the file and then copy the bytes of one write, both under the lock of the inode. A
// read takes no lock on ext4, btrfs and tmpfs, but a search for data with lseek(2) takes that lock. On XFS, a read takes it.
func (f *FS) AwaitWrite(opened fs.File) {
	if o, ok := opened.(*file); ok {
		_ = o.use("await", func(fd int) (err error) {
			_, _ = unix.Seek(fd, 0, unix.SEEK_DATA) // an error for a file without data
			_, err = unix.Seek(fd, 0, unix.SEEK_SET)
			return err
		})
	}
}
