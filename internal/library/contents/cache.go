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
	// current is how long the bytes of a file are used again. While they are, each use asks the
	// file for its identity, which shows all changes but two: those through mapped memory, which
	// show up late or not at all, and a link in the place of a folder that leads to the same file.
	// Both are seen this much later than without a cache.
	current = 250 * time.Millisecond
	// maxCached is how long a file in the cache is at most.
	maxCached = 32 << 10
	// cacheBytes is what the cache takes at most, but for files in answers on their way.
	cacheBytes = 8 << 20
	// cachedCost is the memory of an entry without its bytes.
	cachedCost = 200
)

// A cache has the bytes of small files that were read twice within a short time. All projects of a
// process have one.
//
// What an entry is used for is right at that moment, as if the file were read: its identity is
// taken from the open file, before and after the read, and only once the clock has moved on since
// its last change, so that another change makes another identity. Whether the file at the path
// still has that identity is looked up for each use.
type cache struct {
	hits, misses atomic.Uint64

	mu         sync.Mutex // guards all fields below
	young, old map[place]cached
	size       int       // of young
	began      time.Time // when young did
}

// A place is where a file is: a path of a project.
type place struct {
	of   *Reader
	path string
}

// cached is what was read of a file. data is nil on the first read after a long pause, since most
// files are not read again soon.
type cached struct {
	id      loader.Identity
	data    []byte    // nobody may change it
	isText  bool      // clients get data as it is, which is UTF-8
	escaped []byte    // data as a string of JSON, without the quotes; nil for a blob, or if it is long
	at      time.Time // before the read
}

func (e *cached) size(p place) int { return len(e.data) + len(e.escaped) + len(p.path) + cachedCost }

// get returns what may be used of a file if it still has that identity.
func (c *cache) get(p place, now time.Time) (e cached, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok = c.young[p]; !ok {
		e = c.old[p]
	}
	return e, e.data != nil && now.Sub(e.at) <= current
}

// put keeps a copy of the bytes of a file that was read from at on. isText reports that clients get
// them as they are.
func (c *cache) put(p place, id loader.Identity, data []byte, isText bool, at time.Time) {
	if id == (loader.Identity{}) || len(data) > maxCached || len(data) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e := cached{id: id, at: at}
	_, inYoung := c.young[p]
	if _, inOld := c.old[p]; inYoung || inOld {
		e.data, e.isText = slices.Clone(data), isText
		if isText {
			if n := jsonwire.EscapedLen(data); len(data)+n <= smallAnswer { // an answer from the cache is not counted
				room := NewBuffer(jsonwire.MaxEscaped * len(data))
				e.escaped = slices.Clone(jsonwire.AppendText(room.Data[:0], data))
				room.Free()
			}
		}
	}
	if c.young == nil || c.size+e.size(p) > cacheBytes/2 || at.Sub(c.began) > 2*current {
		c.young, c.old = make(map[place]cached), c.young
		c.size, c.began = 0, at
	}
	c.size += e.size(p)
	c.young[p] = e
}

// CacheCounts are the state of the cache. Hits and misses are reads of single files that found
// their bytes there, and those that did not; they only grow.
type CacheCounts struct {
	Hits, Misses uint64
	Entries      int
	Bytes        int64
}

// CacheCounts returns the state of the cache.
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

// fromCache returns a file whose bytes are in the cache, or nil. It does not go through OnDisk: the
// file was read just now from a local file system, which does not hang over a look at it.
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
	if e.isText { // as it is nearly always, and then it need not be looked for again
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
