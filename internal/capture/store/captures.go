package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"iter"
	"log/slog"
	"maps"
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
	wake     chan struct{} // wakes Run

	mu       sync.Mutex // guards the fields below
	index    *index
	clock    int64 // of the newest version, in microseconds
	watchers []func([]Change)
	changes  map[string]Change      // changes that watchers do not know yet, by key
	used     map[*Capture]time.Time // reads that the engine does not know yet
	expired  []*Capture             // out of the index, to be removed from the engine
	dropped  map[string]bool        // folder names of captures that left the index since the last scan began
	lastUse  time.Time              // see useTime

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
	disk, ok := s.engine.(*files)
	if !ok {
		return ctx.Err()
	}
	s.mu.Lock()
	e := s.index.byKey[key]
	var c *Capture
	if e != nil {
		c = e.capture
	}
	s.mu.Unlock()
	if c != nil {
		now := disk.verify(c)
		s.replace(c, now)
		if now != nil {
			return ctx.Err()
		}
	}
	if disk.reopen() {
		return s.rescan(ctx)
	}
	if f := disk.find(key); f.Capture != nil {
		s.mu.Lock()
		gone := append(s.take(f), s.shrink(nil)...)
		s.mu.Unlock()
		s.discard(gone)
	}
	return ctx.Err()
}

// Find returns the capture of a key, and does not count as a read. If this process does not know the
// key, Find looks for it on the disk, as another process may have put it.
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
func (s *Store) Use(ctx context.Context, c *Capture, tier Tier, alloc func(n int) []byte) ([]byte, error) {
	now, err := s.Get(ctx, c.Meta.Key)
	if err != nil {
		return nil, err
	}
	return now.Read(ctx, tier, alloc)
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
	if e != nil {
		s.drop(e)
	}
	s.mu.Unlock()
	if e == nil {
		return ErrNotFound
	}
	return s.engine.remove(key, e.capture.version)
}

var errReadOnly = errors.New("the store of captures is read-only")

// File returns the path of a tier in the folder of the store, or "" if the store is in memory.
func (s *Store) File(c *Capture, tier Tier) string {
	if _, ok := s.engine.(*files); !ok {
		return ""
	}
	return folderName(c.Meta.Key, c.version) + "/" + fileName(tier, c.Meta.Parts[tier].MIME)
}

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

// read reads a tier, and updates the index if its file was edited or removed.
func (s *Store) read(ctx context.Context, c *Capture, tier Tier, alloc func(int) []byte) ([]byte, error) {
	data, err := s.engine.read(ctx, c, tier, alloc)
	switch err {
	case errEdited:
		part := partOf(c.Meta.Parts[tier].MIME, data)
		if part != c.Meta.Parts[tier] {
			now := *c
			now.Meta.Parts = maps.Clone(c.Meta.Parts)
			now.Meta.Parts[tier] = part
			s.replace(c, &now)
		}
		return data, nil
	case ErrNotFound:
		if disk, ok := s.engine.(*files); ok {
			now := disk.verify(c)
			if now != nil {
				now = disk.present(now)
			}
			s.replace(c, now)
		}
	}
	return data, err
}

// partOf returns the description of contents.
func partOf(mime string, data []byte) Part {
	sum := sha256.Sum256(data)
	return Part{mime, int64(len(data)), hex.EncodeToString(sum[:])}
}

// replace puts the edited form of a capture into the index; nil: it was removed.
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
