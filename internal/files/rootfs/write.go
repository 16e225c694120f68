package rootfs

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// goneFolder is the prefix of the name of a folder that is being removed.
const goneFolder = ".old-"

// A NewFile is a file for [FS.WriteFolder].
type NewFile struct {
	Name string
	Data [][]byte // the contents in pieces
}

// WriteFolder writes a folder of files completely or not at all, readable by this user only. If the
// program or the computer stops at any moment, the folder has all files or does not exist.
// WriteFolder writes under a hidden name and then renames the folder. The folder and its files get
// the modification time modTime. A folder with the name must not exist.
func (f *FS) WriteFolder(ctx context.Context, name string, files []NewFile, modTime time.Time) (err error) {
	if err := checkBelow("write", name); err != nil {
		return err
	}
	opened := f.opened.Load()
	root := opened.Root
	fresh := path.Join(path.Dir(name), freshPrefix+strings.ToLower(rand.Text()))
	if err := root.Mkdir(fresh, 0o700); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = root.RemoveAll(fresh)
		}
	}()
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		name := path.Join(fresh, file.Name)
		if err := writeNew(root, name, 0o600, true, file.Data...); err != nil {
			return err
		}
		if err := root.Chtimes(name, modTime, modTime); err != nil {
			return err
		}
	}
	if err := root.Chtimes(fresh, modTime, modTime); err != nil {
		return err
	}
	if err := syncFolder(root, fresh); err != nil {
		return err
	}
	if err := opened.rename(fresh, name); err != nil {
		return err
	}
	// if this fails, a power failure may remove the whole folder again
	_ = syncFolder(root, path.Dir(name))
	return nil
}

// writeNew writes a file that does not exist, and may wait until it is on the disk.
func writeNew(root *os.Root, name string, mode fs.FileMode, wait bool, data ...[]byte) error {
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	for _, piece := range data {
		if _, err = file.Write(piece); err != nil {
			break
		}
	}
	if err == nil && wait {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// syncFolder flushes the names in a folder to the disk.
func syncFolder(root *os.Root, name string) error {
	if runtime.GOOS == "windows" { // Windows cannot open folders for this
		return nil
	}
	d, err := root.Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// RemoveFolder removes a folder with its contents, completely or not at all: it first renames the
// folder to a hidden name. A folder that does not exist is not an error.
func (f *FS) RemoveFolder(name string) error {
	if err := checkBelow("remove", name); err != nil {
		return err
	}
	root := f.opened.Load()
	gone := path.Join(path.Dir(name), goneFolder+strings.ToLower(rand.Text()))
	if err := root.rename(name, gone); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	return root.RemoveAll(gone)
}

// Sweep removes what [FS.WriteFolder], [FS.RemoveFolder] and [FS.Replace] left when a process was killed, directly in the folder or,
// with deep, also in the folders below it that are not hidden. It removes unfinished files and folders only if nobody has written to
// them for the time idle, because another process may still be writing.
func (f *FS) Sweep(ctx context.Context, idle time.Duration, deep bool) error {
	root := f.opened.Load().Root
	var failed []error
	for folders := []string{"."}; len(folders) > 0; {
		dir := folders[len(folders)-1]
		folders = folders[:len(folders)-1]
		for e, err := range f.Entries(dir) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err != nil {
				if dir == "." {
					return err
				}
				break // the folder was removed meanwhile
			}
			switch name := path.Join(dir, e.Name()); {
			case temporary(e.Name(), goneFolder), temporary(e.Name(), freshPrefix) && f.idle(name, idle):
				failed = append(failed, root.RemoveAll(name))
			case deep && e.IsDir() && !strings.HasPrefix(e.Name(), "."):
				folders = append(folders, name)
			}
		}
	}
	return errors.Join(failed...)
}

// temporary reports whether a name is a hidden name of this package.
func temporary(name, prefix string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	return ok && len(rest) == len(rand.Text()) && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// idle reports whether nobody has written to a file, or to a folder and its files, for some time.
func (f *FS) idle(name string, since time.Duration) bool {
	info, err := f.Lstat(name)
	if err != nil || time.Since(info.ModTime()) <= since {
		return false
	}
	if !info.IsDir() {
		return true
	}
	entries, err := f.ReadDir(name)
	for _, e := range entries {
		if info, err := e.Info(); err != nil || time.Since(info.ModTime()) <= since {
			return false
		}
	}
	return err == nil
}

// Names returns the names in a folder in the order of the disk.
func (f *FS) Names(name string) (names []string, err error) {
	for e, err := range f.Entries(name) {
		if err != nil {
			return nil, err
		}
		names = append(names, e.Name())
	}
	return names, nil
}

// SetTime sets the modification time of a file or folder.
func (f *FS) SetTime(name string, modTime time.Time) error {
	if err := check("chtimes", name); err != nil {
		return err
	}
	return f.opened.Load().Chtimes(name, modTime, modTime)
}

// Make opens the folder at path. If it does not exist, Make creates it, accessible to this user
// only.
func Make(path string) (f *FS, made bool, err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, false, err
		}
		switch err := makePrivate(path); {
		case err == nil:
			made = true
		case !errors.Is(err, fs.ErrExist): // otherwise another process was faster
			return nil, false, err
		}
	}
	f, err = Open(path)
	return f, made, err
}

// ErrLocked reports that another process has a lock.
var ErrLocked = errors.New("is in use by another process")

// Append opens a regular file for writing at its end. If the file does not exist, Append creates
// it, readable by this user only. Written data survives if the program is killed; for data that
// must survive a crash of the computer, see [FS.Replace].
func (f *FS) Append(name string) (*os.File, error) {
	return f.openFor(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE)
}

func (f *FS) openFor(name string, flags int) (*os.File, error) {
	if err := checkBelow("open", name); err != nil {
		return nil, err
	}
	root := f.opened.Load().Root
	if info, err := root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: ErrIrregular}
	}
	return root.OpenFile(name, flags|Nonblock, 0o600)
}

// Remove removes a file, or an empty folder.
func (f *FS) Remove(name string) error {
	if err := checkBelow("remove", name); err != nil {
		return err
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

// freshPrefix is the prefix of the name of a file that is being written.
const freshPrefix = ".new-"

// Replace writes a file completely or not at all, and creates the folders above it. A reader, or a
// program that starts after a crash, finds either the old file or the new one. Replace writes the
// new file in the same folder under a hidden name and then renames it.
func (f *FS) Replace(name string, data []byte) (err error) { return f.replace(name, data, true) }

// ReplaceSoon is [FS.Replace] for one of many files: it does not wait for the disk. If the computer
// stops before [FS.Flush], the file may exist without its bytes. If only the program stops, nothing
// is lost.
func (f *FS) ReplaceSoon(name string, data []byte) error { return f.replace(name, data, false) }

func (f *FS) replace(name string, data []byte, wait bool) (err error) {
	if err := checkBelow("replace", name); err != nil {
		return err
	}
	mode, folderMode := f.modes()
	dir, base := path.Split(name)
	root, err := f.folder(strings.TrimSuffix(dir, "/"), folderMode)
	if err != nil {
		return err
	}
	defer root.Close()
	if info, err := root.Lstat(base); err == nil {
		if !info.Mode().IsRegular() {
			return &fs.PathError{Op: "replace", Path: name, Err: ErrIrregular}
		}
		if !f.private {
			mode = info.Mode().Perm()
		}
	}
	fresh := freshPrefix + strings.ToLower(rand.Text())
	defer func() {
		if err != nil {
			_ = root.Remove(fresh)
		}
	}()
	if err := writeNew(root, fresh, mode, wait, data); err != nil {
		return err
	}
	if err := settled(func() error { return root.Rename(fresh, base) }, busy); err != nil || !wait {
		return err
	}
	// if this fails, a power failure may bring back the old file
	_ = syncFolder(root, ".")
	return nil
}

// folder opens a folder and creates it if it does not exist; "" is the folder of f itself. Names in
// the opened folder are looked up in one step, instead of one step for each folder above.
func (f *FS) folder(dir string, mode fs.FileMode) (*os.Root, error) {
	root := f.opened.Load().Root
	if dir == "" {
		return root.OpenRoot(".")
	}
	folder, err := openFolder(root, dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return folder, err
	}
	if err := root.MkdirAll(dir, mode); err != nil {
		return nil, err
	}
	return openFolder(root, dir)
}

// openFolder opens a folder. Opening a pipe would wait for a writer; the name ends in "/." because
// only a folder can be opened by such a name.
func openFolder(root *os.Root, dir string) (*os.Root, error) { return root.OpenRoot(dir + "/.") }

const (
	// busyTime is how long a change is retried while other programs use the file. busyPause is the
	// longest pause between two attempts.
	busyTime  = 2 * time.Second
	busyPause = 100 * time.Millisecond
)

// settled makes a change, and retries while it fails because another program has a file open. On
// Windows, an open file cannot be renamed, replaced or removed, and virus scanners, indexers and
// other readers open each new file for a short time.
func settled(change func() error, busy func(error) bool) error {
	end := time.Now().Add(busyTime)
	for pause := time.Millisecond; ; pause = min(2*pause, busyPause) {
		err := change()
		if err == nil || !busy(err) || time.Now().After(end) {
			return err
		}
		time.Sleep(pause)
	}
}

// rename renames a file or folder below the root; see [settled].
func (o *opened) rename(from, to string) error {
	return settled(func() error { return o.Rename(from, to) }, busy)
}
