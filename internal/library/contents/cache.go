package contents

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

const (
	// fresh is how long the bytes of a file are used again. Each use compares the identity of the
	// file, which shows all changes but two: changes through mapped memory, which show late or not at
	// all, and a link that replaces a folder and leads to the same file. Both are seen this much later
	// than without a cache.
	fresh = 250 * time.Millisecond
	// maxCached is the greatest size of a file in the cache.
	maxCached = 32 << 10
	// cacheBytes bounds the memory of the cache, without files in answers that are being written.
	cacheBytes = 8 << 20
	// cachedCost is the memory of an entry without its bytes.
	cachedCost = 200
)

// A cache has the bytes of small files that were read twice within a short time. All projects of a
// process share it.
//
// An answer from the cache equals a read of the file at that moment. The identity of an entry was taken
// from the open file, before and after the read, and only after the clock had moved on since the last
// change, so that another change gives another identity. Each use checks that the file at the path
// still has that identity.
type cache struct {
	hits, misses atomic.Uint64

	mu         sync.Mutex // guards all fields below
	young, old map[place]cached
	size       int       // of young
	began      time.Time // when young was made
}

// A place is a path in a project.
type place struct {
	reader *Reader // of the project
	path   string
}

// cached has the bytes of a file. data is nil on the first read after a long pause, since most files
// are not read again soon.
type cached struct {
	id     loader.Identity
	data   []byte // must not change
	isText bool   // data is UTF-8, which clients get unchanged
	// data as a JSON string, without the quotes; nil for a blob, or if it is long
	escaped []byte
	began   time.Time // when the read began
}

func (e *cached) size(p place) int { return len(e.data) + len(e.escaped) + len(p.path) + cachedCost }

// get returns the entry of a file, which may be used if the file still has that identity.
func (c *cache) get(p place, now time.Time) (e cached, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok = c.young[p]; !ok {
		e = c.old[p]
	}
	return e, e.data != nil && now.Sub(e.began) <= fresh
}

// put keeps a copy of the bytes of a file. began is when the read began; isText says that clients get
// the bytes as text, unchanged.
func (c *cache) put(p place, id loader.Identity, data []byte, isText bool, began time.Time) {
	if id == (loader.Identity{}) || len(data) > maxCached || len(data) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e := cached{id: id, began: began}
	_, inYoung := c.young[p]
	if _, inOld := c.old[p]; inYoung || inOld {
		e.data, e.isText = slices.Clone(data), isText
		if isText {
			// the memory budget does not count an answer from the cache
			if n := jsonwire.EscapedLen(data); len(data)+n <= smallAnswer {
				room := NewBuffer(jsonwire.MaxEscaped * len(data))
				e.escaped = slices.Clone(jsonwire.AppendText(room.Data[:0], data))
				room.Free()
			}
		}
	}
	if c.young == nil || c.size+e.size(p) > cacheBytes/2 || began.Sub(c.began) > 2*fresh {
		c.young, c.old = make(map[place]cached), c.young
		c.size, c.began = 0, began
	}
	c.size += e.size(p)
	c.young[p] = e
}

// CacheCounts describe the cache. Hits and Misses count the reads of single files that found their
// bytes in the cache, and the reads that did not; they only grow.
type CacheCounts struct {
	Hits, Misses uint64
	Entries      int
	Bytes        int64
}

// CacheCounts returns the counts of the cache.
func (m *Memory) CacheCounts() CacheCounts {
	c := &m.cache
	counts := CacheCounts{Hits: c.hits.Load(), Misses: c.misses.Load()}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, entries := range []map[place]cached{c.young, c.old} {
		counts.Entries += len(entries)
		for p, e := range entries {
			counts.Bytes += int64(e.size(p))
		}
	}
	return counts
}

// fromCache returns a file from the cache, or nil. It does not use OnDisk: the file was just read from
// a local file system, where asking for its identity does not hang.
func (t *task) fromCache(r loader.Resource) *Contents {
	if r.Size() > maxCached {
		return nil
	}
	cache := &t.reader.memory.cache
	e, ok := cache.get(place{t.reader, r.Path()}, time.Now())
	if !ok || int64(len(e.data)) > t.most {
		return nil
	}
	if id, ok := t.catalog.Identify(r); !ok || id != e.id {
		return nil
	}
	c := Content{URI: r.URI(), data: e.data}
	var classified loader.Classification
	if e.isText { // nearly always; then the bytes need not be examined again
		classified = t.catalog.ClassifyHead(r, e.data[:min(len(e.data), loader.HeadLen)], true)
	} else {
		classified = t.catalog.Classify(r, e.data)
	}
	c.MIME, c.IsText, c.form = classified.MIME, classified.Text(), classified.Form
	t.used = t.reader.envelope
	if c.IsText {
		c.escaped = e.escaped
	}
	if c.form == loader.UTF16 || t.admit(&c, c.Size(), func() int64 { return c.encodedSize(t.scratch) }) != nil {
		return nil
	}
	cache.hits.Add(1)
	return &Contents{Files: []Content{c}}
}
