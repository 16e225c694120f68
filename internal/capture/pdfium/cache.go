package pdfium

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
)

// A cache is a folder with the compiled code, as wazero keeps it, and with its digest.
type cache struct {
	dir    string
	files  *rootfs.FS
	unlock func()
	before []string // the code that the folder had
}

const (
	digestFile = "digest"
	lockFile   = "lock"
	// maxWait is how long another process may compile.
	maxWait = 20 * time.Second
)

// openCache opens a folder, waits until no other process uses it, and removes damaged code.
func openCache(dir string) (_ *cache, err error) {
	files, _, err := rootfs.Make(filepath.Clean(dir))
	if err != nil {
		return nil, errors.New(fserr.Reason(err))
	}
	files.KeepPrivate()
	c := &cache{dir: dir, files: files, unlock: func() {}}
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	info, err := files.Stat(".")
	named, failed := os.Lstat(dir)
	switch {
	case err != nil || failed != nil || !os.SameFile(info, named):
		return nil, fmt.Errorf("%s: is a link", dir)
	case !private(info):
		return nil, fmt.Errorf("%s: belongs to another user, or other users can write to it", dir)
	}
	for start := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		if c.unlock, err = files.Lock(lockFile); err == nil {
			break
		}
		if c.unlock = func() {}; !errors.Is(err, rootfs.ErrLocked) || time.Since(start) > maxWait {
			return nil, fmt.Errorf("%s: %s", dir, fserr.Reason(err))
		}
	}
	found, digest, err := c.digest()
	if kept, failed := rootfs.ReadFile(files, digestFile, 1<<10); err != nil || failed != nil || string(kept) != digest {
		return c, c.remove(found)
	}
	c.before = found
	return c, nil
}

// private reports whether only this user, or root, can change a file.
func private(info fs.FileInfo) bool {
	return !rootfs.Foreign(info) && (runtime.GOOS == "windows" || info.Mode().Perm()&0o022 == 0)
}

func (c *cache) close() {
	c.unlock()
	c.files.Close()
}

// digest returns the files of wazero, and a digest of their names and contents. With an error, the files are all that
// there are.
func (c *cache) digest() (found []string, digest string, err error) {
	h := sha256.New()
	folders, err := c.files.Names(".")
	for _, folder := range folders {
		if !strings.HasPrefix(folder, "wazero-") {
			continue
		}
		names, failed := c.files.Names(folder)
		err = errors.Join(err, failed)
		for _, name := range names {
			name = path.Join(folder, name)
			found = append(found, name)
			f, info, failed := c.files.OpenPlain(name)
			if failed == nil {
				if !private(info) || !info.Mode().IsRegular() {
					failed = errors.New("not private")
				}
				fmt.Fprintf(h, "%s %d\n", name, info.Size())
				_, copied := io.Copy(h, f)
				failed = errors.Join(failed, copied, f.Close())
			}
			err = errors.Join(err, failed)
		}
	}
	return found, fmt.Sprintf("%x", h.Sum(nil)), err
}

// remove removes files.
func (c *cache) remove(names []string) (err error) {
	for _, name := range names {
		err = errors.Join(err, c.files.Remove(name))
		_ = c.files.Remove(path.Dir(name)) // if it is empty
	}
	return err
}

// keep keeps what wazero has compiled, instead of what was kept before. slow says that wazero compiles nothing.
func (c *cache) keep() (slow string, err error) {
	found, _, err := c.digest()
	if err != nil {
		return "", err
	}
	switch {
	case len(found) == 0:
		return "interpreted: the system does not let a program make code", nil
	case len(found) > len(c.before):
		if err := c.remove(c.before); err != nil {
			return "", err
		}
		if _, digest, err := c.digest(); err == nil {
			return "", c.files.Replace(digestFile, []byte(digest))
		}
	}
	return "", err
}
