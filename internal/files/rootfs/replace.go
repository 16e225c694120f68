package rootfs

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
)

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
	if err := check("replace", name); err != nil || name == "." {
		return errors.Join(err, fs.ErrInvalid)
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
	_ = syncFolder(root, ".") // if this fails, a power failure may bring back the old file
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
