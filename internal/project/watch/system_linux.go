package watch

import (
	"os"

	"golang.org/x/sys/unix"
)

// maxFiles is 0: a watch needs no open file, and the system returns an error when its own limit is
// reached.
const maxFiles = 0

// silent reports whether a folder is on a file system that other machines or programs change
// without an inotify event.
func silent(file string) bool {
	var st unix.Statfs_t
	if err := unix.Statfs(file, &st); err != nil {
		return false
	}
	switch uint32(st.Type) {
	case unix.NFS_SUPER_MAGIC, unix.FUSE_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.V9FS_MAGIC, unix.AFS_SUPER_MAGIC, unix.CODA_SUPER_MAGIC:
		return true
	}
	return false
}

// An identity identifies a folder independently of its path.
type identity struct{ dev, ino uint64 }

// identify returns the identity of a folder.
func identify(file string) (identity, error) {
	var st unix.Stat_t
	if err := unix.Stat(file, &st); err != nil {
		return identity{}, &os.PathError{Op: "stat", Path: file, Err: err}
	}
	return identity{uint64(st.Dev), st.Ino}, nil
}
