// Package rootfs shows a project folder as an [fs.FS], and is the one place that opens the disk.
//
// It is a thin layer over [os.Root], which keeps every access below the folder whatever links or renames do meanwhile.
// The file system that os.Root itself offers refuses names that are not UTF-8 and waits for ever on a named pipe. This
// one takes any name but the empty one, "." and ".."; opens without blocking; and hands out regular files and folders
// only.
package rootfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
)

// ErrIrregular is the reason why a pipe, socket or device is not opened.
var ErrIrregular = errors.New("is not a regular file")

// An FS is a project folder. It implements [fs.ReadDirFS], [fs.StatFS] and [fs.ReadLinkFS]; names are slash-separated
// and relative to the folder, which itself is ".".
type FS struct {
	path   string // as given
	opened atomic.Pointer[opened]
}

// opened is the folder that the path led to when it was last looked at.
type opened struct {
	*os.Root
	dir  *os.File // the folder itself
	dirs []string // its absolute paths, as given and with links resolved
}

// Open opens the folder at path. Close it after use.
func Open(path string) (*FS, error) {
	f := &FS{path: path}
	o, err := f.openRoot()
	if err != nil {
		return nil, err
	}
	f.opened.Store(o)
	return f, nil
}

func (f *FS) openRoot() (*opened, error) {
	root, err := os.OpenRoot(f.path)
	if err != nil {
		return nil, err
	}
	dir, err := root.Open(".")
	if err != nil {
		root.Close()
		return nil, err
	}
	o := &opened{Root: root, dir: dir}
	if abs, err := filepath.Abs(f.path); err == nil {
		o.dirs = append(o.dirs, abs)
		if real, err := filepath.EvalSymlinks(abs); err == nil && real != abs {
			o.dirs = append(o.dirs, real)
		}
	}
	return o, nil
}

// Reopen opens the folder anew if another one is at its path by now, and reports whether that is so. What was opened
// before stays usable; the old folder is closed once nothing refers to it.
func (f *FS) Reopen() (bool, error) {
	there, err := os.Stat(f.path)
	if err != nil {
		return false, err
	}
	if here, err := f.opened.Load().Stat("."); err == nil && os.SameFile(here, there) {
		return false, nil
	}
	o, err := f.openRoot()
	if err != nil {
		return false, err
	}
	f.opened.Store(o)
	return true, nil
}

// Close closes the folder. Files that are open stay so.
func (f *FS) Close() error {
	o := f.opened.Load()
	return errors.Join(o.dir.Close(), o.Close())
}

// Open opens a regular file or a folder for reading. It follows links that stay below the project folder.
func (f *FS) Open(name string) (fs.File, error) {
	file, _, err := f.open(name)
	if err != nil {
		return nil, err
	}
	return file, nil
}

// ErrLink is the reason why a path is not opened on which a link has taken the place of a file or folder.
var ErrLink = errors.New("has become a link")

// OpenPlain opens a regular file or a folder, which it describes, and follows no link on the way to it: what was no link when
// it was found may have been exchanged for one since.
func (f *FS) OpenPlain(name string) (fs.File, fs.FileInfo, error) {
	if err := check("open", name); err != nil {
		return nil, nil, err
	}
	o := f.opened.Load()
	file, err, ok := openBelow(o.dir, name)
	if !ok {
		for i := 0; i <= len(name); i++ {
			if i < len(name) && name[i] != '/' {
				continue
			}
			info, err := o.Lstat(name[:i])
			if err != nil {
				return nil, nil, err
			}
			if info.Mode()&fs.ModeSymlink != 0 {
				return nil, nil, &fs.PathError{Op: "open", Path: name, Err: ErrLink}
			}
		}
		file, err = o.OpenFile(name, os.O_RDONLY|openNonblock, 0)
	}
	if err != nil {
		return nil, nil, err
	}
	info, err := regular(file, name)
	if err != nil {
		return nil, nil, err
	}
	return file, info, nil
}

func (f *FS) open(name string) (*os.File, fs.FileInfo, error) {
	if err := check("open", name); err != nil {
		return nil, nil, err
	}
	file, err := f.opened.Load().OpenFile(name, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := regular(file, name)
	return file, info, err
}

// regular describes a file that was opened, and closes it if it is not one to hand out.
func regular(file *os.File, name string) (fs.FileInfo, error) {
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: name, Err: ErrIrregular}
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return info, nil
}

// ReadDir lists a folder in the order the disk gives. The entries carry their [fs.FileInfo], which is the link's own
// for a link.
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	file, info, err := f.open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errors.New("is not a folder")}
	}
	return file.ReadDir(-1)
}

// Stat describes a file or folder, following links that stay below the project folder.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	if err := check("stat", name); err != nil {
		return nil, err
	}
	return f.opened.Load().Stat(name)
}

// Lstat describes a file, folder or link.
func (f *FS) Lstat(name string) (fs.FileInfo, error) {
	if err := check("lstat", name); err != nil {
		return nil, err
	}
	return f.opened.Load().Lstat(name)
}

// ReadLink returns the target of a link, with slashes. An absolute target below the project folder is given relative to
// the link's own folder, so that a link means the same whether it was made with an absolute path or not.
func (f *FS) ReadLink(name string) (string, error) {
	if err := check("readlink", name); err != nil {
		return "", err
	}
	o := f.opened.Load()
	target, err := o.Readlink(name)
	if err != nil {
		return "", err
	}
	if filepath.IsAbs(target) {
		target = filepath.Clean(target)
		for _, dir := range o.dirs {
			if below, ok := strings.CutPrefix(target, strings.TrimSuffix(dir, string(filepath.Separator))); ok && (below == "" || os.IsPathSeparator(below[0])) {
				return strings.Repeat("../", strings.Count(name, "/")) + "." + filepath.ToSlash(below), nil
			}
		}
	}
	return filepath.ToSlash(target), nil
}

// check refuses the names that [os.Root] would clean or read otherwise than as a plain walk down.
func check(op, name string) error {
	if name == "." {
		return nil
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." || part == ".." || strings.IndexByte(part, 0) >= 0 {
			return &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
		}
	}
	return nil
}
