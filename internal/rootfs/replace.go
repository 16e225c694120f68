package rootfs

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"
)

// Replace writes a file whole or not at all, and makes the folders above it: whoever reads it
// meanwhile, and whatever ends the program, finds the old file or the new one. The new file is
// written beside the old one, under a hidden name, and then gets its name.
func (f *FS) Replace(name string, data []byte) (err error) {
	if err := check("replace", name); err != nil || name == "." {
		return errors.Join(err, fs.ErrInvalid)
	}
	root := f.opened.Load().Root
	mode := fs.FileMode(0o666) // less the umask
	if info, err := root.Lstat(name); err == nil {
		if !info.Mode().IsRegular() {
			return &fs.PathError{Op: "replace", Path: name, Err: ErrIrregular}
		}
		mode = info.Mode().Perm()
	}
	dir := path.Dir(name)
	if dir != "." {
		if err := root.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	fresh := path.Join(dir, ".new-"+strings.ToLower(rand.Text()))
	defer func() {
		if err != nil {
			_ = root.Remove(fresh)
		}
	}()
	file, err := root.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	if err := root.Rename(fresh, name); err != nil {
		return err
	}
	if runtime.GOOS != "windows" { // where folders cannot be opened for this
		if d, err := root.Open(dir); err == nil {
			_ = d.Sync() // after a loss of power, the old file may be there
			d.Close()
		}
	}
	return nil
}
