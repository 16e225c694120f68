package store

import (
	"container/heap"
	"context"
	"iter"
	"log/slog"
	"sync"
	"time"
)

// A Store has captures. It is safe for concurrent use.
type Store struct {
	engine   engine
	scheme   string
	settings Settings
	logger   *slog.Logger
	now      func() time.Time
	wake     chan struct{} // there is something for Run to do

	mu       sync.Mutex // guards all fields below
	index    *index
	clock    int64 // of versions
	watchers []func([]Change)
	changes  map[string]Change      // that watchers have not been notified of, by key
	used     map[*Capture]time.Time // reads that the engine does not know
	expired  []*Capture             // that are in the index no more, and to be removed
}

// A Change is what became of a key.
type Change struct {
	Key      string
	Old, New *Capture // nil: there was none, there is none
}

// Owner returns whom a change concerns. A key has one owner only.
func (c Change) Owner() string {
	if c.New != nil {
		return c.New.Meta.Owner
	}
	return c.Old.Meta.Owner
}

// Get returns the capture of a key, which counts as read. The error is [ErrNotFound] if there is
// none.
func (s *Store) Get(ctx context.Context, key string) (*Capture, error) {
	if err := s.look(ctx, key); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	e := s.index.byKey[key]
	if e == nil {
		return nil, ErrNotFound
	}
	s.touch(e)
	return e.capture, nil
}

// touch says that a capture was read. The lock is held.
func (s *Store) touch(e *entry) {
	now := s.now()
	s.index.touch(e, now)
	s.used[e.capture] = now
}

// Delete removes a capture. The error is [ErrNotFound] if there is none.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := s.look(ctx, key); err != nil {
		return err
	}
	s.mu.Lock()
	s.expire()
	e := s.index.byKey[key]
	if e != nil {
		s.drop(e)
	}
	s.mu.Unlock()
	if e == nil {
		return ErrNotFound
	}
	return s.engine.remove(key, e.capture.version)
}

// All yields what an owner has, and nobody else, sorted by key. It does not count as read.
func (s *Store) All(owner string) iter.Seq[*Capture] {
	return func(yield func(*Capture) bool) {
		if l := s.Listing(owner); l != nil {
			for _, c := range l.Captures {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// Listing returns what an owner has at the moment, and nobody else; nil: nothing. It is the same
// value until something of it changes.
func (s *Store) Listing(owner string) *Listing {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	if l := s.index.lists[owner]; l != nil {
		return l.listing()
	}
	return nil
}

// Totals returns how many captures there are, and the bytes of their contents.
func (s *Store) Totals() (captures int, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	return len(s.index.byKey), s.index.bytes
}

// Watch has a function called by [Store.Run] after each change, with all that changed since the
// last call, one for each key. It is to be called before Run.
func (s *Store) Watch(changed func([]Change)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watchers = append(s.watchers, changed)
}

// Pin keeps the captures of a job ([Meta.Job]), those to come too, from being removed for others
// until release is called. They expire all the same. If a capture of a pinned job is replaced by
// one without a job, that one belongs to the job too.
func (s *Store) Pin(job string) (release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index.pin(job)
	return sync.OnceFunc(func() {
		s.mu.Lock()
		s.index.unpin(job)
		gone := s.shrink(nil)
		s.mu.Unlock()
		s.discard(gone)
	})
}

// pinnedJob returns the job that a key is pinned by, or "".
func (s *Store) pinnedJob(key string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.index.byKey[key]; e != nil && e.order < 0 {
		return e.capture.Meta.Job
	}
	return ""
}

// over reports whether a bound is exceeded. The lock is held.
func (s *Store) over() bool {
	return len(s.index.byKey) > s.settings.MaxItems || s.index.bytes > s.settings.MaxBytes
}

// shrink takes captures out of the index until the bounds hold: those that expired, and then those
// that were not read for the longest time, but for one that is to stay. The lock is held.
func (s *Store) shrink(stays *Capture) (gone []*Capture) {
	s.expire()
	gone, s.expired = s.expired, nil
	var back *entry
	for s.over() && len(s.index.byUse) > 0 {
		e := s.index.byUse[0]
		if e.capture == stays {
			back = heap.Pop(&s.index.byUse).(*entry)
			continue
		}
		s.drop(e)
		gone = append(gone, e.capture)
	}
	if back != nil {
		heap.Push(&s.index.byUse, back)
	}
	return gone
}

// expire takes what has expired out of the index; shrink and Run remove it. The lock is held.
func (s *Store) expire() {
	for now := s.now(); len(s.index.byExpiry) > 0 && s.index.byExpiry[0].capture.Meta.Expired(now); {
		e := s.index.byExpiry[0]
		s.drop(e)
		s.expired = append(s.expired, e.capture)
	}
}

// drop takes an entry out of the index. The lock is held.
func (s *Store) drop(e *entry) {
	s.index.remove(e)
	delete(s.used, e.capture)
	s.note(e.capture.Meta.Key, e.capture, nil)
}

// note keeps a change for the watchers. The lock is held.
func (s *Store) note(key string, old, now *Capture) {
	if len(s.watchers) == 0 {
		return
	}
	if c, ok := s.changes[key]; ok {
		old = c.Old
	}
	s.changes[key] = Change{key, old, now}
	if old == nil && now == nil {
		delete(s.changes, key)
	}
	s.signal()
}

// signal wakes Run.
func (s *Store) signal() {
	select {
	case s.wake <- struct{}{}:
	default: // it has something to do anyway
	}
}

// discard removes captures that are in the index no more. What cannot be removed now is removed by
// the next scan.
func (s *Store) discard(gone []*Capture) {
	for _, c := range gone {
		if err := s.engine.remove(c.Meta.Key, c.version); err != nil {
			s.logger.Warn("a capture cannot be removed", "capture", c.Meta.Key, "error", err)
		}
	}
}

func (s *Store) read(ctx context.Context, c *Capture, tier Tier, part Part, alloc func(int) []byte) ([]byte, error) {
	return s.engine.read(ctx, c, tier, alloc)
}
