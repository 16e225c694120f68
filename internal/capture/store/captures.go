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

// A Store has captures. It is safe for concurrent use.
type Store struct {
	engine   engine
	scheme   string
	settings Settings
	logger   *slog.Logger
	now      func() time.Time
	wake     chan struct{} // there is something for Run to do

	mu       sync.Mutex // guards the fields below
	index    *index
	clock    int64 // of versions
	watchers []func([]Change)
	changes  map[string]Change      // that watchers have not been notified of, by key
	used     map[*Capture]time.Time // reads that the engine does not know
	expired  []*Capture             // that are in the index no more, and to be removed
	dropped  map[string]bool        // key and version of what left the index since the last scan began
	lastUse  time.Time              // see useTime

	scanning sync.Mutex // one scan at a time
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

// look takes over what others have done to the capture of a key.
func (s *Store) look(ctx context.Context, key string) error {
	checked, ok := s.engine.(checker)
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
		now := checked.verify(c)
		s.replace(c, now)
		if now != nil {
			return ctx.Err()
		}
	}
	if checked.reopen() {
		return s.rescan(ctx)
	}
	if f := checked.find(key); f.Capture != nil {
		s.mu.Lock()
		gone := append(s.take(f), s.shrink(nil)...)
		s.mu.Unlock()
		s.discard(gone)
	}
	return ctx.Err()
}

// Find returns the capture of a key, which does not count as read. If this process does not know it,
// the disk is asked for this key alone, as another process may have put it.
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

// touch says that a capture was read. The lock is held.
func (s *Store) touch(e *entry) {
	now := s.useTime()
	s.index.touch(e, now)
	if s.used != nil {
		s.used[e.capture] = now
	}
}

// useTime returns the time of a use, later than that of the use before: the clock of Windows stands
// still for up to 16 ms. If the clock was set back, it is what the clock says. The lock is held.
func (s *Store) useTime() time.Time {
	now := s.now()
	if ahead := s.lastUse.Sub(now); ahead >= 0 && ahead < time.Second {
		now = s.lastUse.Add(time.Microsecond)
	}
	s.lastUse = now
	return now
}

// Use is [Capture.Read] of the capture, or of the one that has replaced it, and counts as read.
func (s *Store) Use(ctx context.Context, c *Capture, tier Tier, alloc func(n int) []byte) ([]byte, error) {
	now, err := s.Get(ctx, c.Meta.Key)
	if err != nil {
		return nil, err
	}
	return now.Read(ctx, tier, alloc)
}

// Delete removes a capture. The error is [ErrNotFound] if there is none.
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

var errReadOnly = errors.New("the store of captures is only looked at")

// File returns the file of a tier below the folder of the store, or "" if it is not in files.
func (s *Store) File(c *Capture, tier Tier) string {
	if _, ok := s.engine.(*files); !ok {
		return ""
	}
	return folderName(c.Meta.Key, c.version) + "/" + fileName(tier, c.Meta.Parts[tier].MIME)
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

// read reads a tier, and takes over what somebody did to its file.
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
		if e, ok := s.engine.(checker); ok {
			now := e.verify(c)
			if now != nil {
				now = e.present(now)
			}
			s.replace(c, now)
		}
	}
	return data, err
}

// partOf describes a tier.
func partOf(mime string, data []byte) Part {
	sum := sha256.Sum256(data)
	return Part{mime, int64(len(data)), hex.EncodeToString(sum[:])}
}

// replace takes over what somebody made of a capture; nil: it has gone.
func (s *Store) replace(c, now *Capture) {
	if now == c {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.index.byKey[c.Meta.Key]
	switch {
	case e == nil || e.capture != c: // it has been replaced meanwhile
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
