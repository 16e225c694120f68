package rootfs

import (
	"io/fs"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
)

// Identify returns what distinguishes the state of the regular file at a path from all others:
// device, inode, size, and the times of the last change of the bytes and of anything. A file that is
// written, cut or replaced has another one, if the one before was returned by [FS.IdentifyOpen].
//
// It is one look, which follows links on the way, but not at the end. So the file is the same, but
// may be reached by other means than when it was opened.
func (f *FS) Identify(name string) (id [5]int64, ok bool) {
	if check("stat", name) != nil {
		return id, false
	}
	raw, err := f.opened.Load().dir.SyscallConn()
	if err != nil {
		return id, false
	}
	var st unix.Stat_t
	if failed := raw.Control(func(fd uintptr) {
		err = retried(func() error { return unix.Fstatat(int(fd), name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	}); failed != nil || err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return id, false
	}
	return identity(&st), true
}

// IdentifyOpen returns the identity of an open file, with its information before and after it was
// read, or false if a change could leave the identity the same: the file was changed while it was
// read, or so recently that the clock has not moved on, or is on another machine, whose changes are
// seen late.
//
// Programs can set the time of the bytes, but not that of anything: each write, rename, link and
// change of the mode or a time sets it to the clock's.
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

func identity(st *unix.Stat_t) [5]int64 {
	return [5]int64{int64(st.Dev), int64(st.Ino), st.Size, st.Mtim.Nano(), st.Ctim.Nano()}
}
