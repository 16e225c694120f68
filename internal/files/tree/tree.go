// Package tree keeps versions of a project's files in the store, and serves one of them from a copy on the disk.
//
//  1. A [Tree] is the list of the files of one version: path, time, size and SHA-256 digest of each. It is immutable.
//  2. [Publish] puts the files that the store lacks into it, by their digests, and then the list. One row names the version
//     that is served; it changes in the same transaction. [Rollback] changes it back. Five versions are kept.
//  3. A [Cache] is a folder with copies of files, named by their digests. So files of all versions are next to each other, a
//     file is fetched once, and no path of a project reaches the disk: a name may have any bytes.
//  4. A [Version] is a Tree whose files are in a Cache, as an [fs.FS]. A [Replica] has the version that is served now. When
//     another one is published, it fetches what it lacks and then replaces the version as a whole. If it cannot fetch
//     a file, it keeps the version that it has, and tries again.
package tree

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
)

// A Digest is the SHA-256 digest of a file.
type Digest [sha256.Size]byte

// BytesValue implements [pgtype.BytesValuer].
func (d Digest) BytesValue() ([]byte, error) { return d[:], nil }

// ScanBytes implements [pgtype.BytesScanner].
func (d *Digest) ScanBytes(data []byte) error {
	if len(data) != len(d) {
		return fmt.Errorf("the store has a digest of %d bytes", len(data))
	}
	*d = Digest(data)
	return nil
}

// An Entry is one file of a version.
type Entry struct {
	Path     string // below the project folder, with slashes; any bytes except NUL
	Modified int64  // nanoseconds since 1970
	Size     int64  // bytes
	Digest   Digest
}

// A Tree is the files of one version of a project.
type Tree struct {
	entries []Entry // by path, as bytes
}

const (
	// maxPath is the maximum length of a path in bytes, as in S3.
	maxPath = 1024
	// maxName is the maximum length of a name in bytes, as on most disks.
	maxName = 255
)

// New returns the tree of some files. The error names each path that is not one of a file below a folder, or that is also
// the folder of another file.
func New(entries []Entry) (*Tree, error) {
	t := &Tree{slices.SortedFunc(slices.Values(entries), func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })}
	var errs []error
	for _, e := range t.entries {
		if flaw := t.flaw(e); flaw != "" {
			errs = append(errs, fmt.Errorf("the file %q: %s", e.Path, flaw))
		}
	}
	return t, errors.Join(errs...)
}

// flaw returns why a file cannot be in the tree, or "".
func (t *Tree) flaw(e Entry) string {
	switch i := t.search(e.Path); {
	case e.Path == "." || !walk.ValidPath(e.Path) || strings.IndexByte(e.Path, 0) >= 0:
		return "its path leads out of the folder, or has an empty name, \".\" or a NUL"
	case len(e.Path) > maxPath || slices.ContainsFunc(strings.Split(e.Path, "/"), func(name string) bool { return len(name) > maxName }):
		return fmt.Sprintf("its path has over %d bytes, or a name in it over %d, as most disks allow; use shorter names", maxPath, maxName)
	case e.Size < 0:
		return "its size is negative"
	case i+1 < len(t.entries) && t.entries[i+1].Path == e.Path:
		return "there are two files of this path"
	case t.isFolder(e.Path):
		return "there is a folder of the same path"
	}
	return ""
}

// sizeOf returns the size of all files together.
func sizeOf(files []Entry) (total int64) {
	for _, f := range files {
		total += f.Size
	}
	return total
}

// Digest returns a digest of everything in the tree.
func (t *Tree) Digest() Digest {
	h := sha256.New()
	var numbers [24]byte
	for i := range t.entries {
		e := &t.entries[i]
		binary.BigEndian.PutUint64(numbers[:], uint64(len(e.Path)))
		binary.BigEndian.PutUint64(numbers[8:], uint64(e.Modified))
		binary.BigEndian.PutUint64(numbers[16:], uint64(e.Size))
		h.Write(numbers[:])
		h.Write([]byte(e.Path))
		h.Write(e.Digest[:])
	}
	return Digest(h.Sum(nil))
}

// search returns the index of the first file whose path is not less than a path.
func (t *Tree) search(path string) int {
	return sort.Search(len(t.entries), func(i int) bool { return t.entries[i].Path >= path })
}

// file returns the file at a path, or nil.
func (t *Tree) file(path string) *Entry {
	if i := t.search(path); i < len(t.entries) && t.entries[i].Path == path {
		return &t.entries[i]
	}
	return nil
}

func (t *Tree) isFolder(dir string) bool {
	if dir == "." {
		return true
	}
	dir += "/"
	i := t.search(dir)
	return i < len(t.entries) && strings.HasPrefix(t.entries[i].Path, dir)
}

// A Change is what differs between two trees.
type Change struct {
	// whose entries differ; for a new or removed folder, also the folder above it
	Folders []string
	Files   []string // new or removed, or with another digest or time
}

// changes returns what differs between two trees.
func changes(old, new *Tree) Change {
	folders := make(map[string]bool)
	var c Change
	add := func(file string) {
		c.Files = append(c.Files, file)
		for dir := path.Dir(file); ; dir = path.Dir(dir) {
			known := folders[dir]
			folders[dir] = true
			if known || old.isFolder(dir) && new.isFolder(dir) {
				return
			}
		}
	}
	for _, e := range old.entries {
		if new.file(e.Path) == nil {
			add(e.Path)
		}
	}
	for _, e := range new.entries {
		if before := old.file(e.Path); before == nil || *before != e {
			add(e.Path)
		}
	}
	slices.Sort(c.Files)
	c.Folders = slices.Sorted(maps.Keys(folders))
	return c
}

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
		return &folder{File: rootfs.InMemory(nil, info), version: v, path: name}, info, nil
	}
	f, err := v.cache.open(e.Digest, e.Size)
	if err != nil {
		return nil, nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return file{f, e}, e.info(), nil
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
			found = append(found, fs.FileInfoToDirEntry(rest[0].info()))
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

// Stat implements [fs.StatFS].
func (v *Version) Stat(name string) (fs.FileInfo, error) {
	if e := v.tree.file(name); e != nil {
		return e.info(), nil
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
	return opened.entry.identity(), true
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
	entry *Entry
}

func (f file) Stat() (fs.FileInfo, error) { return f.entry.info(), nil }

func (e *Entry) info() fs.FileInfo {
	return rootfs.NewInfo(path.Base(e.Path), e.Size, 0o444, time.Unix(0, e.Modified))
}

// folderInfo returns the information of a folder, which has a name only.
func folderInfo(name string) fs.FileInfo {
	return rootfs.NewInfo(name, 0, fs.ModeDir|0o555, time.Time{})
}

// A folder is an open folder.
type folder struct {
	fs.File // without bytes
	version *Version
	path    string
	listed  int // entries that ReadDir has returned
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
