//go:build !linux

package rootfs

import (
	"io/fs"
	"os"
)

// openBelow returns false: this system does not support it.
func openBelow(*os.File, string) (fs.File, fs.FileInfo, error, bool) { return nil, nil, nil, false }

func (*opened) lstatAtOnce(string) (fs.FileInfo, error, bool) { return nil, nil, false }

func (*opened) openFolderBelow(string) (*os.File, bool) { return nil, false }

// Plain reports whether a path exists and has no link. If it returns false, it may nevertheless be so.
func (f *FS) Plain(string) bool { return false }

// mountsOf returns nothing: this system does not report mounts as a file.
func mountsOf(string) (below []string, local bool) { return nil, false }

// Flush does nothing: this system has no such call for a single file system.
func (f *FS) Flush() error { return nil }
