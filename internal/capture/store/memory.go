package store

import (
	"bytes"
	"compress/flate"
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

// minPacked is the size in bytes from which contents are compressed: smaller contents save little.
const minPacked = 4 << 10

// memory is the engine that keeps captures in the memory of the process, with the index. Text repeats itself, so pages
// are compressed to about a fifth; the garbage collector needs as much again. The bounds of the store count uncompressed
// bytes. No other process changes the captures, so there is nothing to find.
type memory struct{}

// packed has the bytes of a tier.
type packed struct {
	data []byte
	size int // before compression; negative: data is not compressed
}

func (memory) write(_ context.Context, c, _ *Capture, contents Contents) error {
	c.packed = make(map[Tier]packed, len(contents))
	for tier, data := range contents {
		c.packed[tier] = pack(data)
	}
	return nil
}

func (memory) read(_ context.Context, c *Capture, tier Tier, alloc func(int) []byte) ([]byte, error) {
	if c.store.current(c.Meta.Key) != c {
		return nil, ErrNotFound
	}
	return c.packed[tier].unpack(alloc)
}

func (memory) find(context.Context, []string, func(...string) map[string]string) (map[string]found, []removal, error) {
	return nil, nil, nil
}
func (memory) remove(context.Context, []removal) error { return nil }
func (memory) use(map[*Capture]time.Time) error        { return nil }
func (memory) again(...string)                         {}
func (memory) close() error                            { return nil }

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
