// Package rootfs provides a project folder as an [fs.FS]. No other package opens the files of a
// project.
//
// It is a thin layer over [os.Root], which keeps every access below the folder even if links or
// names change at the same time. The file system of os.Root itself refuses names that are not UTF-8
// and waits forever on a named pipe. This one accepts any name except the empty one, "." and "..";
// opens without blocking; and returns only regular files and folders.
package rootfs

import (
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
)

// ErrIrregular reports that a path is a pipe, socket or device, which is not opened.
var ErrIrregular = errors.New("is not a regular file")

// An FS is a project folder. It implements [fs.ReadDirFS], [fs.StatFS] and [fs.ReadLinkFS]; names
// are slash-separated and relative to the folder, which itself is ".".
type FS struct {
	path    string // as given
	opened  atomic.Pointer[opened]
	private bool // see [FS.KeepPrivate]
}

// opened is the folder at the path at the last check.
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
	if info, err := os.Stat(f.path); err == nil && !info.IsDir() { // to open a pipe would wait
		return nil, &fs.PathError{Op: "open", Path: f.path, Err: syscall.ENOTDIR}
	}
	root, err := os.OpenRoot(f.path)
	if err != nil {
		return nil, err
	}
	return f.openedAs(root)
}

// openedAs returns the folder that root is. It closes root on error.
func (f *FS) openedAs(root *os.Root) (*opened, error) {
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

// KeepPrivate has all files and folders that f writes, and those below a folder of f that is opened
// later, be for this user alone, whatever the umask allows: files get the mode 600, folders 700. It
// is called before f is used. Windows has no modes: there, what a folder of [Make] has is private.
func (f *FS) KeepPrivate() { f.private = true }

// modes returns those of new files and folders.
func (f *FS) modes() (file, folder fs.FileMode) {
	if f.private {
		return 0o600, 0o700
	}
	return 0o666, 0o777 // less the umask
}

// OpenFolder opens a folder below f as one of its own. Unlike with [Open], no link leads out of f.
// It makes the folder, and those above it, if create; one that is to be private and is not, becomes
// so.
func (f *FS) OpenFolder(name string, create bool) (*FS, error) {
	if err := check("open", name); err != nil {
		return nil, err
	}
	here := f.opened.Load()
	if create && name != "." {
		_, mode := f.modes()
		if err := here.MkdirAll(name, mode); err != nil {
			return nil, err
		}
		if info, err := here.Lstat(name); f.private && err == nil && info.IsDir() && info.Mode().Perm()&0o077 != 0 {
			_ = here.Chmod(name, mode) // it may belong to somebody else
		}
	}
	root, err := openFolder(here.Root, name)
	if err != nil {
		return nil, err
	}
	folder := &FS{path: filepath.Join(f.path, filepath.FromSlash(name)), private: f.private}
	o, err := folder.openedAs(root)
	if err != nil {
		return nil, err
	}
	folder.opened.Store(o)
	return folder, nil
}

// Reopen opens the folder again if another folder is at its path now, and reports whether it did.
// Open files stay usable; the old folder is closed when nothing refers to it.
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

// Close closes the folder. Open files stay open.
func (f *FS) Close() error {
	o := f.opened.Load()
	return errors.Join(o.dir.Close(), o.Close())
}

// Open opens a regular file or a folder for reading. It follows links that stay below the project
// folder.
func (f *FS) Open(name string) (fs.File, error) {
	file, _, err := f.open(name)
	if err != nil {
		return nil, err
	}
	return file, nil
}

// OpenRegular is [FS.Open] that returns the information of the file too. Where no link is on the path,
// it takes one call to the system on Linux.
func (f *FS) OpenRegular(name string) (fs.File, fs.FileInfo, error) {
	if err := check("open", name); err != nil {
		return nil, nil, err
	}
	if file, info, err, ok := openBelow(f.opened.Load().dir, name); ok && (err == nil || errors.Is(err, fs.ErrNotExist)) {
		if err == nil {
			err = regular(file, info, name)
		}
		if err != nil {
			return nil, nil, err
		}
		return file, info, nil
	}
	file, info, err := f.open(name)
	if err != nil {
		return nil, nil, err
	}
	return file, info, nil
}

// ErrLink reports that a link has replaced a file or folder on a path, so that it is not opened.
var ErrLink = errors.New("has become a link")

// OpenPlain opens a regular file or a folder, returns its information, and follows no link on the
// path: a link may have replaced a file or folder since the path was found.
func (f *FS) OpenPlain(name string) (fs.File, fs.FileInfo, error) {
	if err := check("open", name); err != nil {
		return nil, nil, err
	}
	o := f.opened.Load()
	if file, info, err, ok := openBelow(o.dir, name); ok {
		if err == nil {
			err = regular(file, info, name)
		}
		if err != nil {
			return nil, nil, err
		}
		return file, info, nil
	}
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
	file, info, err := f.open(name)
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
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	if err := regular(file, info, name); err != nil {
		return nil, nil, err
	}
	return file, info, nil
}

// regular closes an open file that is neither regular nor a folder, and returns an error.
func regular(file fs.File, info fs.FileInfo, name string) error {
	if info.Mode().IsRegular() || info.IsDir() {
		return nil
	}
	file.Close()
	return &fs.PathError{Op: "open", Path: name, Err: ErrIrregular}
}

// ReadDir lists a folder in the order of the disk. The entries contain their [fs.FileInfo]; for a
// link it is that of the link itself.
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := check("open", name); err != nil {
		return nil, err
	}
	if entries, ok := readDirBelow(f.opened.Load().dir, name); ok {
		return entries, nil
	}
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

// Entries returns the entries of a folder while they are read, in the order of the disk: whoever ends
// early has not read the rest of a large folder. An entry is its name and its type; no information
// is asked for, which is most of the time of [FS.ReadDir]. An error is the last element.
func (f *FS) Entries(name string) iter.Seq2[fs.DirEntry, error] {
	return func(yield func(fs.DirEntry, error) bool) {
		file, _, err := f.open(name)
		if err != nil {
			yield(nil, err)
			return
		}
		defer file.Close()
		for {
			entries, err := file.ReadDir(entriesAtOnce)
			for _, e := range entries {
				if !yield(e, nil) {
					return
				}
			}
			if err == io.EOF {
				return
			} else if err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// entriesAtOnce is how many entries of a folder exist at a time. A first look needs a few.
const entriesAtOnce = 16

// Stat returns the information of a file or folder. It follows links that stay below the project
// folder.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	if err := check("stat", name); err != nil {
		return nil, err
	}
	return f.opened.Load().Stat(name)
}

// Lstat returns the information of a file, folder or link.
func (f *FS) Lstat(name string) (fs.FileInfo, error) {
	if err := check("lstat", name); err != nil {
		return nil, err
	}
	return f.opened.Load().Lstat(name)
}

// ReadLink returns the target of a link, with slashes. An absolute target below the project folder
// is returned relative to the link's own folder, so that absolute and relative links are
// equivalent.
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

// check refuses names that [os.Root] would clean or treat as anything but a plain path downwards.
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
