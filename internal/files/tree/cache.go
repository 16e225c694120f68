package tree

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
)

// A Cache is a folder with copies of files of the store. One process uses it at a time.
type Cache struct {
	dir    string
	files  *rootfs.FS
	copies *os.Root // the files, each named by its digest
	unlock func()

	// for reading, from the check what is missing until the version is in use; for writing, to remove copies
	fetching sync.RWMutex

	mu sync.Mutex
	// by the name of the project: the version that is served, and the one before; guarded by mu
	used map[string][]*Tree
	lost []func() // called when a copy is found damaged; guarded by mu
}

const (
	copiesFolder = "files"
	treesFolder  = "trees" // the lists of files of the versions that were served last
	newCopy      = "new-"
	// privateFolder is the cache in a folder to which other users may write.
	privateFolder = "mcp-docs-server"
	// retired is how long copies stay that no version needs: answers in progress may read them.
	retired = time.Minute
)

// OpenCache opens a folder as a cache, and makes it if it does not exist, private to this user.
func OpenCache(dir string) (*Cache, error) {
	c := &Cache{dir: dir, used: make(map[string][]*Tree)}
	if err := c.openFolders(); err != nil {
		c.Close()
		return nil, fmt.Errorf("--cache-dir %s: %s", dir, fserr.Reason(err))
	}
	return c, nil
}

func (c *Cache) openFolders() (err error) {
	if c.files, _, err = rootfs.Make(c.dir); err != nil {
		return err
	}
	c.files.KeepPrivate()
	info, err := c.files.Stat(".")
	if err == nil && !rootfs.Foreign(info) && runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 {
		// others may write to it, as to a volume of Kubernetes
		c.files.Close()
		c.dir = filepath.Join(c.dir, privateFolder)
		if c.files, _, err = rootfs.Make(c.dir); err != nil {
			return err
		}
		c.files.KeepPrivate()
		if info, err = os.Lstat(c.dir); err == nil && !info.IsDir() {
			return errors.New("is a link: give a folder of your own")
		}
	}
	if err != nil {
		return err
	}
	if rootfs.Foreign(info) {
		return errors.New("belongs to another user: give a folder of your own")
	}
	if c.unlock, err = c.files.Lock("lock"); errors.Is(err, rootfs.ErrLocked) {
		return errors.New("is in use by another process: give each replica a folder of its own")
	} else if err != nil {
		return err
	}
	for _, folder := range []string{copiesFolder, treesFolder} {
		opened, err := c.files.OpenFolder(folder, true)
		if err != nil {
			return err
		}
		opened.Close()
	}
	c.copies, err = os.OpenRoot(filepath.Join(c.dir, copiesFolder))
	return err
}

// Close closes the folder. No file of a version may be opened after it.
func (c *Cache) Close() {
	if c.copies != nil {
		c.copies.Close()
	}
	if c.unlock != nil {
		c.unlock()
	}
	if c.files != nil {
		c.files.Close()
	}
}

// open opens the copy of a file of this size. If there is none, or it has another size, something else has changed the
// folder: it will be fetched again.
func (c *Cache) open(d Digest, size int64) (*os.File, error) {
	f, err := c.copies.OpenFile(hex.EncodeToString(d[:]), os.O_RDONLY|rootfs.Nonblock, 0)
	if err == nil {
		var info fs.FileInfo
		if info, err = f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() == size {
			return f, nil
		}
		f.Close()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, lost := range c.lost {
		lost()
	}
	return nil, errors.Join(errDamaged, err)
}

// onLoss calls a function when a copy is found damaged.
func (c *Cache) onLoss(lost func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lost = append(c.lost, lost)
}

// missing returns the entries that the cache does not hold, one for each digest. It compares the sizes of the copies and,
// if verify is true, their digests, and removes damaged copies.
func (c *Cache) missing(ctx context.Context, entries []Entry, verify bool) ([]Entry, error) {
	var mu sync.Mutex // guards lacking
	var lacking []Entry
	seen := make(map[Digest]bool, len(entries))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, e := range entries {
		if seen[e.Digest] {
			continue
		}
		seen[e.Digest] = true
		group.Go(func() error {
			if ctx.Err() == nil && !c.intact(e, verify) {
				mu.Lock()
				defer mu.Unlock()
				lacking = append(lacking, e)
			}
			return ctx.Err()
		})
	}
	err := group.Wait()
	return lacking, err
}

// intact reports whether there is a copy of a file, and removes a damaged one.
func (c *Cache) intact(e Entry, verify bool) bool {
	name := hex.EncodeToString(e.Digest[:])
	info, err := c.copies.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err == nil && info.Mode().IsRegular() && info.Size() == e.Size {
		if !verify {
			return true
		}
		if f, err := c.copies.OpenFile(name, os.O_RDONLY|rootfs.Nonblock, 0); err == nil {
			h := sha256.New()
			_, err = io.Copy(h, f)
			f.Close()
			if err == nil && Digest(h.Sum(nil)) == e.Digest {
				return true
			}
		}
	}
	_ = c.copies.RemoveAll(name) // otherwise the copy that replaces it reports the error
	return false
}

// A copying writes one file after the other into the cache, each from its parts in order.
type copying struct {
	cache   *Cache
	written int // complete files
	digest  Digest
	name    string // "" between files
	file    *os.File
	hash    hash.Hash
}

// write adds a part to the copy of the file with a digest. If the digest differs from the one before, the earlier file is
// complete.
func (w *copying) write(d Digest, part []byte) error {
	if w.name != "" && w.digest != d {
		if err := w.end(); err != nil {
			return err
		}
	}
	if w.name == "" {
		name := newCopy + strings.ToLower(rand.Text())
		f, err := w.cache.copies.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		w.digest, w.name, w.file, w.hash = d, name, f, sha256.New()
	}
	w.hash.Write(part)
	_, err := w.file.Write(part)
	return err
}

// end completes the last file. A copy with another digest is removed.
func (w *copying) end() error {
	if w.name == "" {
		return nil
	}
	name := w.name
	w.name = ""
	w.written++
	err := w.file.Close()
	if err == nil && Digest(w.hash.Sum(nil)) != w.digest {
		err = fmt.Errorf("the store has other bytes for the file with the digest %x; publish the project again", w.digest)
	}
	if err == nil {
		err = w.cache.copies.Rename(name, hex.EncodeToString(w.digest[:]))
	}
	if err != nil {
		_ = w.cache.copies.Remove(name)
	}
	return err
}

// abandon removes an incomplete file.
func (w *copying) abandon() {
	if w.name != "" {
		w.file.Close()
		_ = w.cache.copies.Remove(w.name)
		w.name = ""
	}
}

// use records which version of a project is served, so that its files stay.
func (c *Cache) use(project string, t *Tree) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used[project] = append([]*Tree{t}, c.used[project]...)[:min(2, len(c.used[project])+1)]
}

// forget makes sweep remove the files of all versions of a project that are not served.
func (c *Cache) forget(project string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used[project] = c.used[project][:min(1, len(c.used[project]))]
}

// sweep removes the copies that no version needs and that have not just been made.
func (c *Cache) sweep(ctx context.Context) error {
	c.fetching.Lock()
	defer c.fetching.Unlock()
	needed := make(map[Digest]bool)
	c.mu.Lock()
	for _, trees := range c.used {
		for _, t := range trees {
			for i := range t.entries {
				needed[t.entries[i].Digest] = true
			}
		}
	}
	c.mu.Unlock()
	folder, err := c.copies.Open(".")
	if err != nil {
		return err
	}
	defer folder.Close()
	names, err := folder.Readdirnames(-1)
	if err != nil {
		return err
	}
	var failed []error
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		d, err := hex.DecodeString(name)
		if err == nil && len(d) == len(Digest{}) && needed[Digest(d)] {
			continue
		}
		if info, err := c.copies.Lstat(name); err == nil && time.Since(info.ModTime()).Abs() > retired {
			failed = append(failed, c.copies.RemoveAll(name))
		}
	}
	return errors.Join(failed...)
}

// A saved is the list of the files that were served last.
type saved struct {
	Number    int
	Digest    Digest // of the tree
	Published time.Time
	Files     []Entry
}

func listOf(project string) string { return treesFolder + "/" + project }

// save keeps the list of a version for a start without the store.
func (c *Cache) save(project string, v *served) error {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(saved{v.number, v.digest, v.published, v.tree.entries}); err != nil {
		return err
	}
	return c.files.Replace(listOf(project), b.Bytes())
}

// load returns the version that was served last, or nil if there is none, or if its list or a copy of its files is damaged.
func (c *Cache) load(ctx context.Context, project string) *served {
	f, err := c.files.Open(listOf(project))
	if err != nil {
		return nil
	}
	defer f.Close()
	var s saved
	if err := gob.NewDecoder(bufio.NewReader(f)).Decode(&s); err != nil {
		return nil
	}
	t, err := New(s.Files)
	if err != nil || t.Digest() != s.Digest {
		return nil
	}
	if lacking, err := c.missing(ctx, t.entries, true); err != nil || len(lacking) > 0 {
		return nil
	}
	return &served{Version{t, c}, s.Number, s.Digest, s.Published}
}
