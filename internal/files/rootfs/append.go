package rootfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ErrLocked reports that another process has a lock.
var ErrLocked = errors.New("is in use by another process")

// Append opens a regular file for writing at its end. If the file does not exist, Append creates
// it, readable by this user only. Written data survives if the program is killed; for data that
// must survive a crash of the computer, see [FS.Replace].
func (f *FS) Append(name string) (*os.File, error) {
	return f.openFor(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE)
}

func (f *FS) openFor(name string, flags int) (*os.File, error) {
	if err := check("open", name); err != nil || name == "." {
		return nil, errors.Join(err, fs.ErrInvalid)
	}
	root := f.opened.Load().Root
	if info, err := root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: ErrIrregular}
	}
	return root.OpenFile(name, flags|Nonblock, 0o600)
}

// Remove removes a file, or an empty folder.
func (f *FS) Remove(name string) error {
	if err := check("remove", name); err != nil || name == "." {
		return errors.Join(err, fs.ErrInvalid)
	}
	return f.opened.Load().Remove(name)
}

// Lock takes a lock, which is a file. The lock lasts until release is called or the process ends
// for any reason. Lock does not wait: the error is [ErrLocked] if another process, or another call
// in this process, holds the lock. The file is removed with the lock.
func (f *FS) Lock(name string) (release func(), err error) {
	for range 100 {
		var file *os.File
		if err := settled(func() (err error) {
			file, err = f.openFor(name, os.O_RDWR|os.O_CREATE)
			return err
		}, busy); err != nil { // also while the owner removes the file
			return nil, err
		}
		if err := lockFile(file); err != nil {
			file.Close()
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		mine, err := file.Stat()
		now, gone := f.opened.Load().Lstat(name)
		if err == nil && gone == nil && os.SameFile(mine, now) {
			return func() {
				_ = f.opened.Load().Remove(name) // before another process can lock it
				file.Close()
			}, nil
		}
		file.Close() // the owner has removed the file meanwhile
	}
	return nil, fmt.Errorf("%s: %w", name, ErrLocked)
}
