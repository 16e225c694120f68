package rootfs

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

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
