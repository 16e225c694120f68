package tree

import (
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"slices"
	"sort"
	"strings"
	"time"
)

// A Version is the files of a tree, read from a cache. It implements [fs.ReadDirFS], [fs.StatFS] and [fs.ReadLinkFS], and
// has no links. Names may have any bytes. It never changes.
type Version struct {
	tree  *Tree
	cache *Cache
}

// errDamaged reports a copy that something else has changed or removed.
var errDamaged = errors.New("the copy in the cache is damaged; it will be fetched again")

// Open implements [fs.FS].
func (v *Version) Open(name string) (fs.File, error) {
	f, _, err := v.OpenPlain(name)
	return f, err
}

// OpenPlain opens a file or a folder and returns its information.
func (v *Version) OpenPlain(name string) (fs.File, fs.FileInfo, error) {
	e := v.tree.file(name)
	if e == nil {
		info, err := v.Stat(name)
		if err != nil {
			return nil, nil, err
		}
		return &folder{info: info, version: v, path: name}, info, nil
	}
	f, err := v.cache.open(e.Digest, e.Size)
	if err != nil {
		return nil, nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return file{f, fileInfo{e}}, fileInfo{e}, nil
}

// ReadDir implements [fs.ReadDirFS]: the entries are in the order of their names.
func (v *Version) ReadDir(name string) ([]fs.DirEntry, error) {
	if !v.tree.isFolder(name) {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist}
	}
	prefix := ""
	if name != "." {
		prefix = name + "/"
	}
	var found []fs.DirEntry
	rest := v.tree.entries[v.tree.search(prefix):]
	for len(rest) > 0 {
		below, ok := strings.CutPrefix(rest[0].Path, prefix)
		if !ok {
			break
		}
		sub, _, isFolder := strings.Cut(below, "/")
		if !isFolder {
			found = append(found, fs.FileInfoToDirEntry(fileInfo{&rest[0]}))
			rest = rest[1:]
			continue
		}
		found = append(found, fs.FileInfoToDirEntry(folderInfo(sub)))
		after := prefix + sub + "0" // "0" follows "/"
		rest = rest[sort.Search(len(rest), func(i int) bool { return rest[i].Path >= after }):]
	}
	slices.SortFunc(found, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return found, nil
}

// Entries yields what ReadDir returns.
func (v *Version) Entries(name string) iter.Seq2[fs.DirEntry, error] {
	return func(yield func(fs.DirEntry, error) bool) {
		entries, err := v.ReadDir(name)
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// Stat implements [fs.StatFS].
func (v *Version) Stat(name string) (fs.FileInfo, error) {
	if e := v.tree.file(name); e != nil {
		return fileInfo{e}, nil
	}
	if v.tree.isFolder(name) {
		return folderInfo(path.Base(name)), nil
	}
	return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
}

// Lstat implements [fs.ReadLinkFS].
func (v *Version) Lstat(name string) (fs.FileInfo, error) { return v.Stat(name) }

// ReadLink implements [fs.ReadLinkFS].
func (v *Version) ReadLink(name string) (string, error) {
	return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
}

// Identify returns the identity of a file, see package loader: its digest and its time.
func (v *Version) Identify(name string) (id [5]int64, ok bool) {
	e := v.tree.file(name)
	if e == nil {
		return id, false
	}
	return e.identity(), true
}

// IdentifyOpen returns the identity of an open file.
func (v *Version) IdentifyOpen(f fs.File, before, after fs.FileInfo) (id [5]int64, ok bool) {
	opened, ok := f.(file)
	if !ok {
		return id, false
	}
	return opened.info.entry.identity(), true
}

func (e *Entry) identity() (id [5]int64) {
	for i := range 4 {
		id[i] = int64(binary.BigEndian.Uint64(e.Digest[8*i:]))
	}
	id[4] = e.Modified
	return id
}

// A file is an open file of a version: the copy in the cache, with the published time.
type file struct {
	*os.File
	info fileInfo
}

func (f file) Stat() (fs.FileInfo, error) { return f.info, nil }

// A fileInfo is the information of a file.
type fileInfo struct{ entry *Entry }

func (i fileInfo) Name() string       { return path.Base(i.entry.Path) }
func (i fileInfo) Size() int64        { return i.entry.Size }
func (i fileInfo) Mode() fs.FileMode  { return 0o444 }
func (i fileInfo) ModTime() time.Time { return time.Unix(0, i.entry.Modified) }
func (i fileInfo) IsDir() bool        { return false }
func (i fileInfo) Sys() any           { return nil }

// A folderInfo is the information of a folder, which has a name only.
type folderInfo string

func (i folderInfo) Name() string       { return string(i) }
func (i folderInfo) Size() int64        { return 0 }
func (i folderInfo) Mode() fs.FileMode  { return fs.ModeDir | 0o555 }
func (i folderInfo) ModTime() time.Time { return time.Time{} }
func (i folderInfo) IsDir() bool        { return true }
func (i folderInfo) Sys() any           { return nil }

// A folder is an open folder.
type folder struct {
	info    fs.FileInfo
	version *Version
	path    string
	listed  int // entries that ReadDir has returned
}

func (f *folder) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *folder) Close() error               { return nil }

func (f *folder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.path, Err: errors.New("is a folder")}
}

// ReadDir implements [fs.ReadDirFile].
func (f *folder) ReadDir(n int) ([]fs.DirEntry, error) {
	entries, err := f.version.ReadDir(f.path)
	if err != nil {
		return nil, err
	}
	entries = entries[f.listed:]
	if n > 0 {
		if len(entries) == 0 {
			return nil, io.EOF
		}
		entries = entries[:min(n, len(entries))]
	}
	f.listed += len(entries)
	return entries, nil
}
