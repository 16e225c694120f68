package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// WriteFolder writes all files into a folder, or none. The folder must be empty or not exist. If
// it is a link to a folder, the link stays. A name that the disk refuses, or treats as equal to the
// name of another file, is an error.
func WriteFolder(dir string, files []File) error {
	dir = filepath.Clean(dir)
	if info, err := os.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return fmt.Errorf("%s: is a link whose target does not exist: remove it, or name another folder", dir)
		}
		dir = real
	}
	if names, err := os.ReadDir(dir); err == nil && len(names) > 0 {
		return fmt.Errorf("%s: is not empty, and its files would be mixed with the files of the package: name another folder, or empty it", dir)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	// The folder has a temporary name until it is complete.
	made, err := os.MkdirTemp(parent, ".publish-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(made)
	if err := writeAll(made, files); err != nil {
		return err
	}
	if err := os.Chmod(made, 0o755); err != nil {
		return err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(made, dir)
}

func writeAll(dir string, files []File) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range files {
		if err := root.MkdirAll(path.Dir(f.Name), 0o755); err != nil {
			return err
		}
		out, err := root.OpenFile(f.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, os.FileMode(f.Mode))
		if err != nil {
			return err
		}
		if err := errors.Join(f.Copy(out), out.Close()); err != nil {
			return err
		}
		if f.ModTime.IsZero() {
			continue
		}
		if err := root.Chtimes(f.Name, f.ModTime, f.ModTime); err != nil {
			return err
		}
	}
	return nil
}
