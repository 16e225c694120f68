package store

import (
	"bytes"
	"compress/flate"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"
)

// An engine keeps captures. Its methods may be called concurrently, and without the lock of the store. It alone decides
// which capture a key has: the index is a copy.
type engine interface {
	// write keeps a capture, whole or not at all, and gives it a version. old is the capture of the key in the index, or
	// nil. In files, it stays until it is removed.
	write(ctx context.Context, c, old *Capture, contents Contents) error

	// read returns the bytes of a tier, see [Capture.Read]; [ErrNotFound] if they are gone, or are not the bytes that were
	// put.
	read(ctx context.Context, c *Capture, tier Tier, alloc func(n int) []byte) ([]byte, error)

	// find returns the captures that keys have now. Without keys, it returns what other processes did since the last time: the
	// keys whose captures differ from those in the index, and the captures that are to be removed. known returns the versions
	// of keys in the index; of all keys if none is given. find is cheap if nothing has changed.
	find(ctx context.Context, keys []string, known func(keys ...string) map[string]string) (now map[string]found, outdated []removal, err error)

	// remove removes versions, each whole or not at all. A version that does not exist is not an error. remove keeps a
	// version that another process has read since, and a later find returns what it keeps.
	remove(ctx context.Context, gone []removal) error

	// use records when captures were read.
	use(read map[*Capture]time.Time) error

	// again makes the next find look at keys that may have changed since it looked at them.
	again(keys ...string)

	close() error
}

// found is a capture in the engine; nil: none.
type found struct {
	*Capture
	used time.Time
}

// A removal is a capture that has left the index, and is to be removed from the engine.
type removal struct {
	*Capture
	// The time that this process knows; a capture that another process read later stays. Zero: remove it in any case.
	used     time.Time
	any      bool // remove any version of the key
	replaced bool // a newer one, whose write has removed it from a database
}

// A reading is an operation of the engine that decides which captures keys have. What the index learns of a key meanwhile
// may be newer, so the result of the reading does not count for that key: it is looked at again.
type reading struct{ learned map[string]bool }

// begin begins a reading. end must be called.
func (s *Store) begin() *reading {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &reading{make(map[string]bool)}
	s.readings[r] = true
	return r
}

func (s *Store) end(r *reading) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.readings, r)
}

// learn invalidates what all readings have found for a key. The caller holds the lock.
func (s *Store) learn(key string) {
	for r := range s.readings {
		r.learned[key] = true
	}
}

// look updates the index with the captures that the engine has for keys, or with changes by other processes if no key is given.
func (s *Store) look(ctx context.Context, keys ...string) error {
	r := s.begin()
	defer s.end(r)
	now, gone, err := s.engine.find(ctx, keys, s.known)
	if err != nil {
		return err
	}
	var again []string
	s.mu.Lock()
	// The index adds faster at the end of its lists.
	for _, key := range slices.Sorted(maps.Keys(now)) {
		if r.learned[key] {
			again = append(again, key)
		} else if f := now[key]; f.Capture != nil && f.Meta.Expired(s.now()) {
			gone = append(gone, removal{Capture: f.Capture})
			s.settle(key, found{})
		} else {
			s.settle(key, f)
		}
	}
	gone = append(gone, s.leave()...)
	s.mu.Unlock()
	s.discard(gone)
	s.engine.again(again...)
	return ctx.Err()
}

// settle makes f, which a reading found, the capture of a key. The caller holds the lock.
func (s *Store) settle(key string, f found) {
	s.learn(key)
	e := s.index.byKey[key]
	switch {
	case f.Capture == nil && e != nil:
		s.drop(e)
	case f.Capture != nil && (e == nil || e.capture.version != f.version):
		f.store = s
		s.note(key, s.index.add(f.Capture, f.used), f.Capture)
	}
}

// known returns the versions of keys in the index; of all keys if none is given.
func (s *Store) known(keys ...string) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(keys) == 0 {
		keys = slices.Collect(maps.Keys(s.index.byKey))
	}
	known := make(map[string]string, len(keys))
	for _, key := range keys {
		if e := s.index.byKey[key]; e != nil {
			known[key] = e.capture.version
		}
	}
	return known
}

// note keeps a change for the watcher. The caller holds the lock.
func (s *Store) note(key string, old, now *Capture) {
	s.learn(key)
	if s.watch == nil {
		return
	}
	if c, ok := s.changes[key]; ok {
		old = c.Old
	}
	s.changes[key] = Change{key, old, now}
	if old == nil && now == nil {
		delete(s.changes, key)
	}
	wakeUp(s.wake)
}

// wakeUp wakes the goroutine that reads a channel with room for one value.
func wakeUp(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// discard removes captures that have left the index from the engine. The lock is not held, as the disk may be slow. A removal
// that fails is repeated after the capture was found again, and so is one whose capture was found while it was under way.
func (s *Store) discard(gone []removal) {
	if len(gone) == 0 {
		return
	}
	if err := s.engine.remove(context.Background(), gone); err != nil {
		s.logger.Warn("captures cannot be removed", "error", err)
	}
}

// minPacked is the size in bytes from which contents are compressed: smaller contents save little.
const minPacked = 4 << 10

// memory is the engine that keeps captures in the memory of the process, with the index. Text repeats itself, so pages
// are compressed to about a fifth; the garbage collector needs as much again. The bounds of the store count uncompressed
// bytes. No other process changes the captures, so there is nothing to find.
type memory struct{}

// packed has the bytes of a tier.
type packed struct {
	data []byte
	size int // negative: data is not compressed
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

func (memory) use(map[*Capture]time.Time) error { return nil }

func (memory) again(...string) {}

func (memory) close() error { return nil }

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
