// Package rootfs provides a project folder as an [fs.FS]. All packages that serve, check or publish a
// project read its files through an [FS].
//
// It is a thin layer over [os.Root], which keeps every access below the folder even if links or
// names change at the same time. The file system of os.Root itself refuses names that are not UTF-8
// and waits forever on a named pipe. FS accepts any name except the empty one, "." and "..", opens
// without blocking, and returns only regular files and folders.
package rootfs

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
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
	path    string // as the caller gave it
	opened  atomic.Pointer[opened]
	private bool   // see [FS.KeepPrivate]
	waits   *waits // nil without [FS.Bound]
}

// opened is the folder that was at the path at the last check.
type opened struct {
	*os.Root
	dir  *os.File // the folder itself, open
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
	// opening a pipe would wait
	if info, err := os.Stat(f.path); err == nil && !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: f.path, Err: syscall.ENOTDIR}
	}
	root, err := os.OpenRoot(f.path)
	if err != nil {
		return nil, err
	}
	return f.openedAs(root)
}

// openedAs returns the opened folder for root. It closes root on error.
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

// Path returns the absolute path of the folder, with links resolved, or "" if it is not known.
func (f *FS) Path() string {
	dirs := f.opened.Load().dirs
	if len(dirs) == 0 {
		return ""
	}
	return dirs[len(dirs)-1]
}

// KeepPrivate makes all files and folders that f writes accessible to this user only, whatever the
// umask allows: files get the mode 600, folders 700. It also applies to folders that are opened
// from f later. Call it before f is used. Windows has no modes: there, only the contents of a
// folder from [Make] are private.
func (f *FS) KeepPrivate() { f.private = true }

// modes returns the modes of new files and folders.
func (f *FS) modes() (file, folder fs.FileMode) {
	if f.private {
		return 0o600, 0o700
	}
	return 0o666, 0o777 // the umask applies
}

// OpenFolder opens a folder below f as an FS of its own. Unlike with [Open], no link may lead out
// of f. With create, it creates the folder and the folders above it if necessary. If f is private,
// OpenFolder also makes the folder private.
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
			_ = here.Chmod(name, mode) // this fails if the folder belongs to another user
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

// Open opens a regular file or a folder for reading. It follows links that stay in the project
// folder.
func (f *FS) Open(name string) (fs.File, error) {
	file, err := bounded(f, name, func() (*os.File, error) { return f.open(name) }, func(late *os.File) { late.Close() })
	if err != nil {
		return nil, err
	}
	return file, nil
}

// ErrLink reports that a path was not opened because a link has replaced a file or folder on it.
var ErrLink = errors.New("has become a link")

// OpenPlain opens a regular file or a folder, returns its information, and follows no link on the
// path: a link may have replaced a file or folder since the path was found.
func (f *FS) OpenPlain(name string) (fs.File, fs.FileInfo, error) {
	if err := check("open", name); err != nil {
		return nil, nil, err
	}
	type plain struct {
		fs.File
		info fs.FileInfo
	}
	o, err := bounded(f, name, func() (o plain, err error) {
		folder, ok := f.opened.Load(), false
		if o.File, o.info, err, ok = openBelow(folder.dir, name); !ok {
			o.File, o.info, err = openSteps(folder.Root, name)
		}
		if err == nil {
			err = regular(o.File, o.info, name)
		}
		return o, err
	}, func(late plain) { late.Close() })
	if err != nil {
		return nil, nil, err
	}
	return o.File, o.info, nil
}

// openSteps opens a file and follows no link, on systems that cannot do that in one call. It opens each folder of the path by itself, and
// checks that what it has opened is the entry that was no link before.
func openSteps(root *os.Root, name string) (fs.File, fs.FileInfo, error) {
	here, rest, deeper := strings.Cut(name, "/")
	info, err := root.Lstat(here)
	if err != nil {
		return nil, nil, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return nil, nil, &fs.PathError{Op: "open", Path: here, Err: ErrLink}
	}
	if deeper {
		folder, err := openFolder(root, here)
		if err != nil {
			return nil, nil, err
		}
		defer folder.Close()
		if now, err := folder.Stat("."); err != nil || !os.SameFile(info, now) {
			return nil, nil, cmp.Or(err, error(&fs.PathError{Op: "open", Path: here, Err: ErrLink}))
		}
		return openSteps(folder, rest)
	}
	file, err := root.OpenFile(here, os.O_RDONLY|Nonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	now, err := file.Stat()
	if err == nil && !os.SameFile(info, now) {
		err = &fs.PathError{Op: "open", Path: here, Err: ErrLink}
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, now, nil
}

func (f *FS) open(name string) (*os.File, error) {
	if err := check("open", name); err != nil {
		return nil, err
	}
	file, err := f.opened.Load().OpenFile(name, os.O_RDONLY|Nonblock, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, regular(file, info, name)
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
// link, it describes the link itself.
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := check("open", name); err != nil {
		return nil, err
	}
	if f.bounds() {
		var entries []fs.DirEntry
		var err error
		f.eachBounded(name, func(e fs.DirEntry, failed error) bool {
			if err = failed; err == nil {
				entries = append(entries, e)
			}
			return err == nil
		})
		return entries, err
	}
	dir, err := f.open(name)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.ReadDir(-1)
}

// Entries yields the entries of a folder while it reads them, in the order of the disk. A caller
// that stops early saves reading the rest of a large folder. An entry has only a name and a type,
// because reading the information of each entry, as [os.Root] does, takes most of the time of
// [FS.ReadDir]. An error is the last element.
func (f *FS) Entries(name string) iter.Seq2[fs.DirEntry, error] {
	return func(yield func(fs.DirEntry, error) bool) {
		if f.bounds() {
			f.eachBounded(name, yield)
			return
		}
		if err := check("open", name); err != nil {
			yield(nil, err)
			return
		}
		file, fast := f.opened.Load().openFolderBelow(name)
		if !fast {
			var err error
			if file, err = f.open(name); err != nil {
				yield(nil, err)
				return
			}
		}
		defer file.Close()
		for {
			entries, err := file.ReadDir(entriesAtOnce)
			for _, e := range entries {
				if !yield(entry{e, f, name}, nil) {
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

// An entry is an entry of [FS.Entries]. Its information is read below the project folder when it is asked for.
type entry struct {
	fs.DirEntry
	fsys *FS
	dir  string
}

func (e entry) Info() (fs.FileInfo, error) { return e.fsys.Lstat(path.Join(e.dir, e.Name())) }

// entriesAtOnce is how many entries of a folder are read at a time. Callers that stop early need
// few.
const entriesAtOnce = 16

// Stat returns the information of a file or folder. It follows links that stay below the project
// folder.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	if err := check("stat", name); err != nil {
		return nil, err
	}
	return bounded(f, name, func() (fs.FileInfo, error) {
		here := f.opened.Load()
		if info, err, ok := here.lstatAtOnce(name); ok && (err != nil || info.Mode()&fs.ModeSymlink == 0) {
			return info, err
		}
		return uninterrupted(name, here.Stat)
	}, nil)
}

// Lstat returns the information of a file, folder or link.
func (f *FS) Lstat(name string) (fs.FileInfo, error) {
	if err := check("lstat", name); err != nil {
		return nil, err
	}
	return bounded(f, name, func() (fs.FileInfo, error) {
		here := f.opened.Load()
		if info, err, ok := here.lstatAtOnce(name); ok {
			return info, err
		}
		return uninterrupted(name, here.Lstat)
	}, nil)
}

// ReadLink returns the target of a link, with slashes. An absolute target below the project folder
// is returned relative to the link's own folder, so that absolute and relative links are
// equivalent.
func (f *FS) ReadLink(name string) (string, error) {
	if err := check("readlink", name); err != nil {
		return "", err
	}
	o := f.opened.Load()
	target, err := bounded(f, name, func() (string, error) { return o.Readlink(name) }, nil)
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
	return checkBelow(op, name)
}

// checkBelow is check for what is changed, which is not the project folder itself.
func checkBelow(op, name string) error {
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." || part == ".." || strings.IndexByte(part, 0) >= 0 {
			return &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
		}
	}
	return nil
}
