package pdfium

import (
	"errors"
	"fmt"
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

// A cache is a folder with the compiled code, as wazero keeps it. wazero checks a sum of the code.
type cache struct {
	dir    string
	files  *rootfs.FS
	unlock func()
	before []string // already stored
}

const (
	lockFile = "lock"
	// maxWait is how long another process may compile.
	maxWait = 20 * time.Second
)

// openCache opens a folder, and waits until no other process uses it.
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
	c.before, err = c.code()
	return c, err
}

// private reports whether only this user, or root, can change a file.
func private(info fs.FileInfo) bool {
	return !rootfs.Foreign(info) && (runtime.GOOS == "windows" || info.Mode().Perm()&0o022 == 0)
}

func (c *cache) close() {
	c.unlock()
	c.files.Close()
}

// code returns the files of wazero. It removes files that another user can change.
func (c *cache) code() (found []string, err error) {
	folders, err := c.files.Names(".")
	for _, folder := range folders {
		if !strings.HasPrefix(folder, "wazero-") {
			continue
		}
		names, failed := c.files.Names(folder)
		err = errors.Join(err, failed)
		for _, name := range names {
			name = path.Join(folder, name)
			if info, failed := c.files.Lstat(name); failed != nil || private(info) {
				err = errors.Join(err, failed)
				found = append(found, name)
			} else {
				err = errors.Join(err, c.remove([]string{name}))
			}
		}
	}
	return found, err
}

// remove removes files.
func (c *cache) remove(names []string) (err error) {
	for _, name := range names {
		err = errors.Join(err, c.files.Remove(name))
		_ = c.files.Remove(path.Dir(name))
	}
	return err
}

// keep keeps what wazero has compiled, instead of what was kept before. slow says that wazero compiles nothing.
func (c *cache) keep() (slow string, err error) {
	found, err := c.code()
	switch {
	case err != nil:
		return "", err
	case len(found) == 0:
		return "interpreted: the system does not let a program make code", nil
	case len(found) > len(c.before):
		return "", c.remove(c.before)
	}
	return "", nil
}
