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

// AwaitWrite waits until no write(2) to an open file is under way that had begun before the call, and sets the file to its
// beginning. A write that begins later gives the file another time, if the time that it has is at least tick old. It reports
// false, and has done nothing, on file systems that are not known to give this: those of other machines or of programs.
//
// The local file systems of Linux copy the bytes of one write under the lock of the inode, and give the file its time before that.
// Reading takes no lock on ext4, btrfs and tmpfs, but looking for data with lseek(2) takes the same one. On XFS, reading does.
func (f *FS) AwaitWrite(file fs.File) (tick time.Duration, ok bool) {
	osFile, isFile := file.(*os.File)
	if !isFile {
		return 0, false
	}
	raw, err := osFile.SyscallConn()
	if err != nil {
		return 0, false
	}
	if err := raw.Control(func(fd uintptr) { ok = awaitWrite(int(fd)) }); err != nil || !ok {
		return 0, false
	}
	return timeTick(), true
}

func awaitWrite(fd int) bool {
	var stat unix.Statfs_t
	if err := unix.Fstatfs(fd, &stat); err != nil {
		return false
	}
	switch uint32(stat.Type) {
	case unix.EXT4_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.OVERLAYFS_SUPER_MAGIC:
	default:
		return false
	}
	if _, err := unix.Seek(fd, 0, unix.SEEK_DATA); err != nil && err != unix.ENXIO { // which says that there is no data
		return false
	}
	_, err := unix.Seek(fd, 0, unix.SEEK_SET)
	return err == nil
}

// timeTick is how far the times of two writes may lie apart and still be the same. Since Linux 6.13 a write after a stat(2) has a
// time of its own on these file systems; before that, the time is that of the last tick of the kernel's clock.
var timeTick = sync.OnceValue(func() time.Duration {
	var name unix.Utsname
	if err := unix.Uname(&name); err == nil && fineTimes(unix.ByteSliceToString(name.Release[:])) {
		return 0
	}
	var resolution unix.Timespec
	if err := unix.ClockGetres(unix.CLOCK_REALTIME_COARSE, &resolution); err != nil {
		return 20 * time.Millisecond // two ticks of the slowest clock that Linux can be built with
	}
	return 2 * time.Duration(resolution.Nano())
})

// fineTimes reports whether a release of Linux, such as "6.12.9-amd64", gives each write that somebody could tell apart a time of
// its own.
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
