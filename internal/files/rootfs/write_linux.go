package rootfs

import (
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// AwaitWrite waits for the write(2) calls to an open file that began before it, and seeks to the
// start of the file. A write that begins later changes the file's time, if that time is at least
// tick old. Network file systems and file systems in user space do not guarantee this: for them
// AwaitWrite does nothing and returns false.
//
// The local file systems of Linux set the time of the file and then copy the bytes of one write,
// both under the lock of the inode. A read takes no lock on ext4, btrfs and tmpfs, but a search for
// data with lseek(2) takes that lock. On XFS, a read takes it.
func (f *FS) AwaitWrite(opened fs.File) (tick time.Duration, ok bool) {
	switch opened := opened.(type) {
	case *file:
		_ = opened.use("await", func(fd int) error { ok = awaitWrite(fd); return nil })
	case *os.File:
		raw, err := opened.SyscallConn()
		if err != nil || raw.Control(func(fd uintptr) { ok = awaitWrite(int(fd)) }) != nil {
			return 0, false
		}
	}
	if !ok {
		return 0, false
	}
	return timeTick(), true
}

// isLocal reports whether an open file is on one of the local file systems of Linux.
func isLocal(fd int) bool {
	var stat unix.Statfs_t
	if err := unix.Fstatfs(fd, &stat); err != nil {
		return false
	}
	switch uint32(stat.Type) {
	case unix.EXT4_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.OVERLAYFS_SUPER_MAGIC:
		return true
	}
	return false
}

func awaitWrite(fd int) bool {
	if !isLocal(fd) {
		return false
	}
	if _, err := unix.Seek(fd, 0, unix.SEEK_DATA); err != nil && err != unix.ENXIO { // ENXIO: the file has no data
		return false
	}
	_, err := unix.Seek(fd, 0, unix.SEEK_SET)
	return err == nil
}

// timeTick is the maximum time between two writes that may get the same modification time. Since
// Linux 6.13, a write after a stat(2) always gets a new time on these file systems. Before 6.13, it
// gets the time of the last tick of the kernel's clock.
var timeTick = sync.OnceValue(func() time.Duration {
	var name unix.Utsname
	if err := unix.Uname(&name); err == nil && fineTimes(unix.ByteSliceToString(name.Release[:])) {
		return 0
	}
	var resolution unix.Timespec
	if err := unix.ClockGetres(unix.CLOCK_REALTIME_COARSE, &resolution); err != nil {
		return 20 * time.Millisecond // two ticks of the slowest clock of Linux
	}
	return 2 * time.Duration(resolution.Nano())
})

// fineTimes reports whether a release of Linux, such as "6.12.9-amd64", gives a new time to each
// write after a stat(2).
func fineTimes(release string) bool {
	first, rest, _ := strings.Cut(release, ".")
	second, _, _ := strings.Cut(rest, ".")
	second, _, _ = strings.Cut(second, "-")
	major, err := strconv.Atoi(first)
	if err != nil {
		return false
	}
	minor, err := strconv.Atoi(second)
	return err == nil && (major > 6 || major == 6 && minor >= 13)
}
