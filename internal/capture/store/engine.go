package store

import (
	"context"
	"errors"
	"maps"
	"slices"
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

	// look returns the captures that keys have now. The error errScan asks the caller to scan instead. If must is true, the
	// answer must be known, and the scan may be a costly one.
	look(ctx context.Context, keys []string, must bool) (map[string]found, error)

	// remove removes versions, each whole or not at all. A version that does not exist is not an error. remove keeps a
	// version that another process has read since, and a later scan finds what it keeps.
	remove(ctx context.Context, gone []removal) error

	// use records when captures were read.
	use(read map[*Capture]time.Time) error

	// stale reports whether a scan could find anything, and whether it is time for one.
	stale(ctx context.Context) bool

	// scan finds what other processes did since the last scan: the keys whose captures differ from those in the index, and
	// the captures that are to be removed. known returns the versions of keys in the index; of all keys if none is given.
	// scan is cheap if nothing has changed.
	scan(ctx context.Context, known func(keys ...string) map[string]string) (now map[string]found, outdated []removal, err error)

	// again makes the next scan look at a key, which has changed since it was looked at.
	again(key string)

	close() error
}

var errScan = errors.New("a scan is needed")

// found is a capture in the engine; nil: none.
type found struct {
	*Capture
	used time.Time // when it was last read
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

// learn invalidates what all readings but one have found for a key. The caller holds the lock.
func (s *Store) learn(key string, except *reading) {
	for r := range s.readings {
		if r != except {
			r.learned[key] = true
		}
	}
}

// settle makes f, which a reading found, the capture of a key, unless the index has learned about the key since. If the
// capture has expired, settle returns it for removal. The caller holds the lock.
func (s *Store) settle(r *reading, key string, f found) (gone []removal, settled bool) {
	if r.learned[key] {
		return nil, false
	}
	e := s.index.byKey[key]
	if f.Capture != nil {
		if leaving := s.leaving[folderName(key, f.version)]; leaving || e != nil && e.capture.version == f.version {
			return nil, !leaving
		}
		if f.Meta.Expired(s.now()) {
			gone = removals(f.Capture)
			f.Capture = nil
		}
	}
	s.learn(key, r)
	switch {
	case f.Capture != nil:
		f.store = s
		s.note(key, s.index.add(f.Capture, f.used), f.Capture)
	case e != nil:
		s.drop(e)
	}
	return gone, true
}

// apply makes the captures that a reading found the ones of their keys. It returns the keys that must be looked at again.
func (s *Store) apply(r *reading, now map[string]found, outdated []removal) (again []string) {
	s.mu.Lock()
	for _, key := range slices.Sorted(maps.Keys(now)) { // the index adds faster at the end of its lists
		expired, settled := s.settle(r, key, now[key])
		if outdated = append(outdated, expired...); !settled {
			again = append(again, key)
		}
	}
	outdated = append(outdated, s.leave()...)
	s.mu.Unlock()
	s.discard(outdated)
	return again
}

// look has the engine say which captures keys have, and updates the index.
func (s *Store) look(ctx context.Context, must bool, keys ...string) error {
	for range 3 {
		r := s.begin()
		now, err := s.engine.look(ctx, keys, must)
		if err == nil {
			keys = s.apply(r, now, nil)
		}
		s.end(r)
		switch {
		case err == errScan:
			return s.rescan(ctx)
		case err != nil:
			return err
		case len(keys) == 0:
			return ctx.Err()
		}
	}
	for _, key := range keys {
		s.engine.again(key)
	}
	return ctx.Err()
}

// rescan updates the index with changes by other processes.
func (s *Store) rescan(ctx context.Context) error {
	s.scanning.Lock()
	defer s.scanning.Unlock()
	r := s.begin()
	defer s.end(r)
	now, outdated, err := s.engine.scan(ctx, s.known)
	if err != nil {
		return err
	}
	for _, key := range s.apply(r, now, outdated) {
		s.engine.again(key)
	}
	return nil
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

// leave takes expired captures out of the index, and returns the ones that the engine still has. The caller holds the lock.
func (s *Store) leave() []removal {
	s.expire()
	gone := removals(s.expired...)
	s.expired = nil
	return s.leaves(gone)
}

// leaves keeps in mind that captures are being removed from the engine.
func (s *Store) leaves(gone []removal) []removal {
	for _, r := range gone {
		s.leaving[folderName(r.Meta.Key, r.version)] = true
	}
	return gone
}

// shrink takes captures out of the index: expired ones, and if a bound is exceeded, the least recently used ones, but never
// keep or a pinned one. It makes room for a hundredth of the store at a time, because it sorts all captures. Of the
// processes that share captures, the one that puts a capture makes room for it. The caller holds the lock.
func (s *Store) shrink(keep *Capture) (gone []removal) {
	gone = s.leave()
	x, items, bytes := s.index, s.settings.MaxItems, s.settings.MaxBytes
	if len(x.byKey) > items || x.bytes > bytes {
		if len(x.byKey) > items {
			items -= items / 100
		} else {
			bytes -= bytes / 100
		}
		oldest := make([]*entry, 0, len(x.byKey))
		for _, e := range x.byKey {
			if e.capture != keep && x.pins[e.capture.Meta.Job] == 0 {
				oldest = append(oldest, e)
			}
		}
		slices.SortFunc(oldest, func(a, b *entry) int { return a.used.Compare(b.used) })
		for _, e := range oldest {
			if len(x.byKey) <= items && x.bytes <= bytes {
				break
			}
			s.drop(e)
			gone = append(gone, removal{Capture: e.capture, used: e.used})
		}
	}
	return s.leaves(gone)
}

// A removal is a capture that has left the index, and is to be removed from the engine.
type removal struct {
	*Capture
	used     time.Time // the last read known here; a capture that another process read later stays. Zero: remove it in any case
	any      bool      // remove any version of the key
	replaced bool      // by a newer one, whose write has removed it from a database
}

func removals(captures ...*Capture) (all []removal) {
	for _, c := range captures {
		all = append(all, removal{Capture: c})
	}
	return all
}

// expire takes expired captures out of the index; shrink returns them for removal. The caller holds the lock.
func (s *Store) expire() {
	for _, e := range s.index.expired(s.now()) {
		s.drop(e)
		s.expired = append(s.expired, e.capture)
	}
}

// drop takes an entry out of the index. The caller holds the lock.
func (s *Store) drop(e *entry) {
	s.index.remove(e)
	delete(s.used, e.capture)
	s.note(e.capture.Meta.Key, e.capture, nil)
}

// note keeps a change for the watcher. The caller holds the lock.
func (s *Store) note(key string, old, now *Capture) {
	s.learn(key, nil)
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
	default: // it is about to work anyway
	}
}

// discard removes captures that have left the index from the engine. The lock is not held, as the disk may be slow. A removal
// that fails is repeated after a scan has found the capture again.
func (s *Store) discard(gone []removal) {
	if len(gone) == 0 {
		return
	}
	err := s.engine.remove(context.Background(), gone)
	s.mu.Lock()
	for _, r := range gone {
		delete(s.leaving, folderName(r.Meta.Key, r.version))
	}
	s.mu.Unlock()
	if err != nil {
		s.logger.Warn("captures cannot be removed", "error", err)
	}
}
