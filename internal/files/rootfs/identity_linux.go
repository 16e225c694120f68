package rootfs

import (
	"io/fs"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
)

// Identify returns the identity of the current state of the regular file at a path: device, inode,
// size, modification time and status change time (ctime). Every write, truncation or replacement of
// the file changes an identity that [FS.IdentifyOpen] has returned.
//
// Identify reads the identity with a single call. It follows links on the way but not at the end.
// An equal identity therefore proves that the file is the same, but not that it was reached in the
// same way as when it was opened.
func (f *FS) Identify(name string) (id [5]int64, ok bool) {
	if check("stat", name) != nil {
		return id, false
	}
	var st unix.Stat_t
	err := control(f.opened.Load().dir, func(dir int) error { return unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	if err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return id, false
	}
	return identity(&st), true
}

// IdentifyOpen returns the identity of an open file, with its information before and after it was
// read. It returns false if a change could leave the identity the same: the file changed while it
// was read, or it changed so recently that the clock has not advanced since, or it is on another
// machine, whose changes are seen late.
//
// Programs can set the modification time, but not the status change time: each write, rename, link
// and change of the mode or a time sets it to the current time.
func (f *FS) IdentifyOpen(opened fs.File, before, after fs.FileInfo) (id [5]int64, ok bool) {
	return identifyOpen(opened, before, after, walk.Recent)
}

func identifyOpen(opened fs.File, before, after fs.FileInfo, recent func(time.Time) bool) (id [5]int64, ok bool) {
	file, isFile := opened.(*file)
	x, isBefore := before.(*dirEntry)
	y, isAfter := after.(*dirEntry)
	if !isFile || !isBefore || !isAfter {
		return id, false
	}
	if id = identity(&y.st); id != identity(&x.st) || recent(y.ModTime()) || recent(time.Unix(y.st.Ctim.Unix())) {
		return id, false
	}
	_ = file.use("statfs", func(fd int) error { ok = isLocal(fd); return nil })
	return id, ok
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

func identity(st *unix.Stat_t) [5]int64 {
	return [5]int64{int64(st.Dev), int64(st.Ino), st.Size, st.Mtim.Nano(), st.Ctim.Nano()}
}
