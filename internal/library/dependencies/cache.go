package dependencies

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
)

// maxCache bounds the bytes of a cache. The entries that were not used for the longest time are removed first.
const maxCache = 256 << 20

// cacheSuffix ends the names of the files of a cache.
const cacheSuffix = ".deps"

// sweepEvery is how many entries are put before old ones are removed again, which reads the folder.
const sweepEvery = 64

// maxMemory bounds the bytes of a cache in memory.
const maxMemory = 16 << 20

// A Cache keeps data that takes long to make, in a folder that only this user can read, or in memory. An entry is a hint: a caller
// checks what it gets. A nil Cache keeps nothing.
type Cache struct {
	files *rootfs.FS // nil: it is in memory

	puts atomic.Int64

	mu     sync.Mutex // guards the fields below
	memory map[string][]byte
	size   int // bytes in memory
}

// MemoryCache returns a cache that ends with the program.
func MemoryCache() *Cache { return &Cache{memory: make(map[string][]byte)} }

// OpenCache opens the cache in a folder, which it creates if necessary.
func OpenCache(dir string) (*Cache, error) {
	files, _, err := rootfs.Make(filepath.Clean(dir))
	if err != nil {
		return nil, err
	}
	if info, err := files.Stat("."); err == nil && (rootfs.Foreign(info) || runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0) {
		files.Close()
		return nil, fmt.Errorf("%s: belongs to another user, or other users can write to it: give a folder of your own with --cache-dir", dir)
	}
	files.KeepPrivate()
	return &Cache{files: files}, nil
}

// Close closes the folder.
func (c *Cache) Close() {
	if c != nil && c.files != nil {
		c.files.Close()
	}
}

// cacheName returns the name of the file for a key.
func cacheName(key string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(key))) + cacheSuffix
}

// Get returns the data of a key, which should name everything that the data depends on, including the version of its
// format.
func (c *Cache) Get(key string) ([]byte, bool) {
	if c == nil {
		return nil, false
	}
	if c.files == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		data, ok := c.memory[key]
		return data, ok
	}
	name := cacheName(key)
	data, err := Read(c.files, name, maxCache)
	if err != nil {
		return nil, false
	}
	// the time says when it was last used
	if info, err := c.files.Lstat(name); err == nil && time.Since(info.ModTime()) > time.Hour {
		_ = c.files.SetTime(name, time.Now())
	}
	return data, true
}

// Put keeps the data of a key. What cannot be written is made again next time.
func (c *Cache) Put(key string, data []byte) {
	if c == nil || len(data) > maxCache/2 {
		return
	}
	if c.files == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		if size := c.size + len(data) - len(c.memory[key]); size <= maxMemory {
			c.memory[key], c.size = data, size
		}
		return
	}
	if c.files.ReplaceSoon(cacheName(key), data) == nil && c.puts.Add(1)%sweepEvery == 1 {
		c.sweep()
	}
}

// sweep removes old entries while there are too many bytes.
func (c *Cache) sweep() {
	// what other processes did not finish
	_ = c.files.Sweep(context.Background(), time.Hour, true)
	entries, err := c.files.ReadDir(".")
	if err != nil {
		return
	}
	var infos []fs.FileInfo
	var total int64
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && strings.HasSuffix(e.Name(), cacheSuffix) {
			infos = append(infos, info)
			total += info.Size()
		}
	}
	slices.SortFunc(infos, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range infos {
		if total <= maxCache {
			return
		}
		if c.files.Remove(info.Name()) == nil {
			total -= info.Size()
		}
	}
}
