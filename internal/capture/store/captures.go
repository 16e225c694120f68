package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"iter"
	"log/slog"
	"sync"
	"time"
)

// A Store keeps captures. It is safe for concurrent use.
type Store struct {
	engine   engine
	scheme   string
	settings Settings
	logger   *slog.Logger
	now      func() time.Time
	wake     chan struct{} // wakes Run, to notify watchers
	stale    chan struct{} // wakes Run, to ask the engine for changes
	poll     time.Duration // how often Run asks the engine for changes; 0: never

	mu       sync.Mutex // guards the fields below
	index    *index
	clock    int64 // of the newest version, in microseconds
	watchers []func([]Change)
	changes  map[string]Change      // changes that watchers do not know yet, by key
	used     map[*Capture]time.Time // reads that the engine does not know yet
	expired  []*Capture             // out of the index, to be removed from the engine
	dropped  [2]map[string]bool     // folder names of captures that left the index lately, and of those before turned; see forbid
	turned   time.Time
	lastUse  time.Time // see useTime

	scanning sync.Mutex // one scan at a time
}

// A Change says what happened to a key.
type Change struct {
	Key      string
	Old, New *Capture // nil: the key had no capture, or has none now
}

// Owner returns the owner of the captures. All captures of a key have the same owner.
func (c Change) Owner() string {
	if c.New != nil {
		return c.New.Meta.Owner
	}
	return c.Old.Meta.Owner
}

// Get returns the capture of a key, and counts as a read of it. The error is [ErrNotFound] if the
// store has none.
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

// look updates the index with changes that users and other processes made to the capture of a key.
func (s *Store) look(ctx context.Context, key string) error {
	s.mu.Lock()
	var c *Capture
	if e := s.index.byKey[key]; e != nil {
		c = e.capture
	}
	s.mu.Unlock()
	f, err := s.engine.look(ctx, key, c)
	if err != nil && err != errMoved {
		return err
	}
	if c != nil {
		if f.Capture != nil && f.version == c.version {
			s.replace(c, f.Capture)
			return ctx.Err()
		}
		s.replace(c, nil)
	}
	if err == errMoved {
		return s.rescan(ctx)
	}
	if f.Capture != nil {
		s.mu.Lock()
		gone := append(s.take(f), s.shrink(nil)...)
		s.mu.Unlock()
		s.discard(gone)
	}
	return ctx.Err()
}

// Find returns the capture of a key, and does not count as a read. If this process does not know the
// key, Find looks for it in the engine, as another process may have put it.
func (s *Store) Find(ctx context.Context, key string) (*Capture, error) {
	known := func() *Capture {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.expire()
		if e := s.index.byKey[key]; e != nil {
			return e.capture
		}
		return nil
	}
	c := known()
	if c == nil {
		if err := s.look(ctx, key); err != nil {
			return nil, err
		}
		if c = known(); c == nil {
			return nil, ErrNotFound
		}
	}
	return c, nil
}

// touch records a read of a capture. The lock is held.
func (s *Store) touch(e *entry) {
	now := s.useTime()
	s.index.touch(e, now)
	if s.used != nil {
		s.used[e.capture] = now
	}
}

// useTime returns the time of a read, which is later than the previous read: the clock of
// Windows stands still for up to 16 ms. After the clock was set back, it returns the time of the clock.
// The lock is held.
func (s *Store) useTime() time.Time {
	now := s.now()
	if ahead := s.lastUse.Sub(now); ahead >= 0 && ahead < time.Second {
		now = s.lastUse.Add(time.Microsecond)
	}
	s.lastUse = now
	return now
}

// Use reads a tier of the capture, or of the capture that replaced it, as [Capture.Read] does, and
// counts as a read.
func (s *Store) Use(ctx context.Context, c *Capture, tier Tier, alloc func(n int) []byte) (data []byte, err error) {
	for range 2 { // the capture may be replaced between Get and Read
		now, err := s.Get(ctx, c.Meta.Key)
		if err != nil {
			return nil, err
		}
		if data, err = now.Read(ctx, tier, alloc); err != ErrNotFound {
			return data, err
		}
	}
	return nil, ErrNotFound
}

// Delete removes a capture. The error is [ErrNotFound] if the key has none.
func (s *Store) Delete(ctx context.Context, key string) error {
	if s.settings.ReadOnly {
		return errReadOnly
	}
	if err := s.look(ctx, key); err != nil {
		return err
	}
	s.mu.Lock()
	s.expire()
	e := s.index.byKey[key]
	s.mu.Unlock()
	if e == nil {
		return ErrNotFound
	}
	if _, err := s.engine.remove(ctx, []removal{{Capture: e.capture, any: true}}); err != nil {
		return err
	}
	s.replace(e.capture, nil)
	return nil
}

var errReadOnly = errors.New("the store of captures is read-only")

// File returns the path of a tier in the folder of the store, or "" if the store does not keep files.
func (s *Store) File(c *Capture, tier Tier) string { return s.engine.file(c, tier) }

// All yields the captures of an owner, sorted by key. It does not count as a read.
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

// Listing returns the captures that an owner has at the moment; nil: none. It returns the same value
// until one of them changes.
func (s *Store) Listing(owner string) *Listing {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	if l := s.index.lists[owner]; l != nil {
		return l.listing()
	}
	return nil
}

// Totals returns the number of captures and the bytes of their contents.
func (s *Store) Totals() (captures int, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	return len(s.index.byKey), s.index.bytes
}

// Watch registers a function that [Store.Run] calls after changes, with one change for each key that
// changed since the last call. Call it before Run.
func (s *Store) Watch(changed func([]Change)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watchers = append(s.watchers, changed)
}

// Pin protects the present and future captures of a job ([Meta.Job]) until release is called: they
// are not removed to make room. They still expire. If a capture without a job replaces a capture of a
// pinned job, it joins that job.
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

// read reads a tier, and updates the index if the capture was edited, replaced or removed.
func (s *Store) read(ctx context.Context, c *Capture, tier Tier, alloc func(int) []byte) ([]byte, error) {
	data, now, err := s.engine.read(ctx, c, tier, alloc)
	s.replace(c, now)
	return data, err
}

// partOf returns the description of contents.
func partOf(mime string, data []byte) Part {
	sum := sha256.Sum256(data)
	return Part{mime, int64(len(data)), hex.EncodeToString(sum[:])}
}

// replace puts the edited or newer form of a capture into the index; nil: it was removed.
func (s *Store) replace(c, now *Capture) {
	if now == c {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.index.byKey[c.Meta.Key]
	switch {
	case e == nil || e.capture != c: // a Put was faster
	case now == nil:
		s.drop(e)
	default:
		now.store = s
		used := e.used
		delete(s.used, c)
		s.index.add(now, used)
		s.note(now.Meta.Key, c, now)
	}
}
