package store

import (
	"bytes"
	"compress/flate"
	"context"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"
)

// minPacked is the size in bytes from which contents are compressed: smaller contents save little.
const minPacked = 4 << 10

// memory is the engine that keeps captures in the memory of the process. Text repeats itself, so pages
// are compressed to about a fifth; the garbage collector needs as much again. The bounds of the store
// count uncompressed bytes.
type memory struct {
	mu   sync.RWMutex
	kept map[string]inMemory // by key; guarded by mu
	last int64               // number of the last version; guarded by mu
}

// An inMemory is a capture in memory. It never changes.
type inMemory struct {
	*Capture
	tiers map[Tier]packed
}

func newMemory() *memory { return &memory{kept: make(map[string]inMemory)} }

// packed has the bytes of a tier.
type packed struct {
	data []byte
	size int // before compression; negative: data is not compressed
}

func (e *memory) write(_ context.Context, c, _ *Capture, contents Contents) error {
	tiers := make(map[Tier]packed, len(contents))
	for tier, data := range contents {
		tiers[tier] = pack(data)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	c.version = strconv.FormatInt(e.last, 10)
	e.kept[c.Meta.Key] = inMemory{c, tiers}
	return nil
}

func (e *memory) read(_ context.Context, c *Capture, tier Tier, alloc func(int) []byte) ([]byte, error) {
	e.mu.RLock()
	k := e.kept[c.Meta.Key]
	e.mu.RUnlock()
	if k.Capture != c {
		return nil, ErrNotFound
	}
	return k.tiers[tier].unpack(alloc)
}

func (e *memory) remove(_ context.Context, gone []removal) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, r := range gone {
		if e.kept[r.Meta.Key].Capture == r.Capture {
			delete(e.kept, r.Meta.Key)
		}
	}
	return nil
}

func (e *memory) look(_ context.Context, keys []string, _ bool) (map[string]found, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	now := make(map[string]found)
	for _, key := range keys {
		now[key] = found{e.kept[key].Capture, time.Now()}
	}
	return now, nil
}

// No other process changes the captures, so there is nothing to find.

func (e *memory) again(string)                     {}
func (e *memory) use(map[*Capture]time.Time) error { return nil }
func (e *memory) stale(context.Context) bool       { return false }
func (e *memory) scan(context.Context, func(...string) map[string]string) (map[string]found, []removal, error) {
	return nil, nil, nil
}
func (e *memory) close() error { return nil }

// packers are idle writers, each of which has more than a megabyte.
var packers = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(io.Discard, flate.BestSpeed) // fails for invalid levels only
	return w
}}

// pack compresses data if that saves a quarter.
func pack(data []byte) packed {
	if len(data) < minPacked {
		return packed{data, -1}
	}
	var b bytes.Buffer
	w := packers.Get().(*flate.Writer)
	defer packers.Put(w)
	w.Reset(&b)
	_, _ = w.Write(data) // writing to a buffer does not fail
	_ = w.Close()
	if b.Len() > len(data)/4*3 {
		return packed{data, -1}
	}
	return packed{bytes.Clone(b.Bytes()), len(data)}
}

// unpack returns the uncompressed bytes, in a buffer of alloc if data is compressed.
func (p packed) unpack(alloc func(int) []byte) ([]byte, error) {
	if p.size < 0 {
		return p.data, nil
	}
	buf := alloc(p.size)
	if buf == nil {
		return nil, ErrNoBuffer
	}
	r := flate.NewReader(bytes.NewReader(p.data))
	defer r.Close()
	if _, err := io.ReadFull(r, buf[:p.size]); err != nil {
		return nil, fmt.Errorf("contents in memory cannot be unpacked: %w", err)
	}
	return buf[:p.size], nil
}
