//go:build unix

package authoring

import (
	"io/fs"
	"os"
	"syscall"
)

// copyOwner gives a file the owner and the group of another file if they differ, for example when root
// edits the file of a user.
func copyOwner(name string, like fs.FileInfo) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	is, ok := info.Sys().(*syscall.Stat_t)
	should, known := like.Sys().(*syscall.Stat_t)
	if !ok || !known || is.Uid == should.Uid && is.Gid == should.Gid {
		return nil
	}
	if err := os.Chown(name, int(should.Uid), int(should.Gid)); err != nil {
		return err
	}
	return os.Chmod(name, like.Mode().Perm()) // a change of the owner may have removed permissions
}
