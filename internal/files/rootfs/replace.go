package rootfs

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"
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

// Sweep removes what [FS.Replace] left behind when a process was killed: its unfinished files to
// which nobody has written for the time idle.
func (f *FS) Sweep(ctx context.Context, idle time.Duration) error {
	root := f.opened.Load().Root
	folders := []string{"."}
	for len(folders) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		dir := folders[len(folders)-1]
		folders = folders[:len(folders)-1]
		entries, err := f.ReadDir(dir)
		if err != nil {
			continue // the file was removed, or this package did not write it
		}
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			switch {
			case e.IsDir() && !strings.HasPrefix(e.Name(), "."):
				folders = append(folders, name)
			case e.Type().IsRegular() && strings.HasPrefix(e.Name(), freshPrefix) && len(e.Name()) == len(freshPrefix)+len(rand.Text()):
				if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > idle {
					_ = root.Remove(name)
				}
			}
		}
	}
	return nil
}
