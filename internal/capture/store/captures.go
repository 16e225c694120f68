package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"maps"
	"slices"
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
	wake     chan struct{} // tells Run to notify the watcher
	stale    chan struct{} // tells Run to ask the engine for changes
	shared   bool

	mu       sync.Mutex // guards the fields below
	index    *index
	readings map[*reading]bool
	watch    func([]Change)
	changes  map[string]Change      // not yet reported, by key
	used     map[*Capture]time.Time // reads that the engine does not know yet
	expired  []*Capture
}

// A Change says what happened to a key.
type Change struct {
	Key      string
	Old, New *Capture // nil: none
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
	c, err := s.Find(ctx, key)
	if err == nil {
		s.touch(key)
	}
	return c, err
}

// Find returns the capture of a key, and does not count as a read. If this process does not know the
// key, Find looks for it in the engine, as another process may have put it.
func (s *Store) Find(ctx context.Context, key string) (*Capture, error) {
	all, err := s.FindAll(ctx, key)
	if err == nil && all[0] == nil {
		err = ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// FindAll is Find for several keys, with one query of a database. A capture is nil if the store has none.
func (s *Store) FindAll(ctx context.Context, keys ...string) ([]*Capture, error) {
	unknown := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return s.current(key) != nil })
	if len(unknown) > 0 {
		if err := s.look(ctx, unknown...); err != nil {
			return nil, err
		}
	}
	all := make([]*Capture, len(keys))
	for i, key := range keys {
		all[i] = s.current(key)
	}
	return all, ctx.Err()
}

// Contents returns the contents of captures, with one query of a database, and counts as a read of them. They are nil if the capture
// was removed meanwhile.
func (s *Store) Contents(ctx context.Context, captures ...*Capture) ([]Contents, error) {
	all := make([]Contents, len(captures))
	if e, ok := s.engine.(*postgresql); ok {
		if err := e.readAll(ctx, captures, all); err != nil {
			return nil, err
		}
	} else {
		for i, c := range captures {
			all[i] = make(Contents)
			for tier := range c.Meta.Parts {
				data, err := c.Content(ctx, tier)
				if err == ErrNotFound {
					all[i] = nil
					break
				} else if err != nil {
					return nil, err
				}
				all[i][tier] = data
			}
		}
	}
	for _, c := range captures {
		s.touch(c.Meta.Key)
	}
	return all, nil
}

// current returns the capture of a key in the index, or nil.
func (s *Store) current(key string) *Capture {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	if e := s.index.byKey[key]; e != nil && !e.capture.Meta.Expired(s.now()) {
		return e.capture
	}
	return nil
}

// touch records a read of a capture.
func (s *Store) touch(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.index.byKey[key]; e != nil {
		e.used = s.now()
		s.used[e.capture] = e.used
	}
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
	c, err := s.Find(ctx, key)
	if err != nil {
		return err
	}
	if err := s.engine.remove(ctx, []removal{{Capture: c, any: true}}); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.index.byKey[key]; e != nil && e.capture == c {
		s.drop(e)
	}
	return nil
}

// All returns the captures of an owner, sorted by key. It does not count as a read.
func (s *Store) All(owner string) []*Capture { return s.Listing(owner).From("") }

// Listing returns the captures that an owner has at the moment; nil: none. It returns the same value
// until one of them changes.
func (s *Store) Listing(owner string) *Listing {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	l := s.index.lists[owner]
	if l != nil {
		l.shared = true
	}
	return l
}

// Totals returns the number of captures and the bytes of their contents.
func (s *Store) Totals() (captures int, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	return len(s.index.byKey), s.index.bytes
}

// Watch sets the function that [Store.Run] calls after changes, with one change for each key that
// changed since the last call. Call it before Run.
func (s *Store) Watch(changed func([]Change)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watch = changed
}

// Pin protects the present and future captures of a job ([Meta.Job]) until release is called: they
// are not removed to make room. They still expire. If a capture without a job replaces a capture of a
// pinned job, it joins that job.
func (s *Store) Pin(job string) (release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index.pins[job]++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		if s.index.pins[job]--; s.index.pins[job] == 0 {
			delete(s.index.pins, job)
		}
		gone := s.shrink(nil)
		s.mu.Unlock()
		s.discard(gone)
	})
}

// verify returns bytes that were read, or [ErrNotFound] if they differ from the tier as it was put.
func verify(c *Capture, tier Tier, data []byte, logger *slog.Logger) ([]byte, error) {
	part := c.Meta.Parts[tier]
	if partOf(part.MIME, data) == part {
		return data, nil
	}
	logger.Warn("a capture in the store has changed since it was put; it is not returned", "capture", c.Meta.Key, "tier", string(tier))
	return nil, ErrNotFound
}

// partOf returns the description of contents.
func partOf(mime string, data []byte) Part {
	sum := sha256.Sum256(data)
	return Part{mime, int64(len(data)), hex.EncodeToString(sum[:])}
}

// lookEvery is how often Run checks a folder for changes by other processes, which takes one system call.
const lookEvery = time.Second

// Run notifies the watcher of changes, removes expired captures, and finds changes by users and other
// processes, until ctx ends.
func (s *Store) Run(ctx context.Context) {
	var changes <-chan time.Time
	if s.shared {
		ticker := time.NewTicker(lookEvery)
		defer ticker.Stop()
		changes = ticker.C
	}
	cleanup := time.NewTicker(s.settings.Cleanup)
	defer cleanup.Stop()
	expiry := time.NewTimer(s.settings.Cleanup)
	defer expiry.Stop()
	for {
		s.mu.Lock()
		s.expire()
		wait := s.settings.Cleanup
		if next := s.index.expiry; !next.IsZero() {
			wait = min(wait, next.Sub(s.now())+1)
		}
		s.mu.Unlock()
		s.deliver()
		expiry.Reset(wait)
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-expiry.C:
		case <-changes:
			s.follow(ctx)
		case <-s.stale:
			s.follow(ctx)
		case <-cleanup.C:
			s.clean(ctx)
		}
	}
}

// deliver notifies the watcher of changes.
func (s *Store) deliver() {
	s.mu.Lock()
	changes := slices.Collect(maps.Values(s.changes))
	clear(s.changes)
	s.mu.Unlock()
	if len(changes) > 0 {
		s.watch(changes)
	}
}

// clean writes the times of reads, removes expired captures, and finds changes by other processes.
func (s *Store) clean(ctx context.Context) {
	s.keepUse()
	s.mu.Lock()
	gone := s.shrink(nil)
	s.mu.Unlock()
	s.discard(gone)
	s.follow(ctx)
}

// follow finds changes by other processes.
func (s *Store) follow(ctx context.Context) {
	if err := s.look(ctx); err != nil && ctx.Err() == nil {
		s.logger.Warn("captures of other processes cannot be read", "error", err)
	}
}

// keepUse gives the times of reads to the engine. Pinned captures count as just read, so that other
// processes do not remove them either.
func (s *Store) keepUse() {
	s.mu.Lock()
	used := s.used
	s.used = make(map[*Capture]time.Time)
	for _, e := range s.index.byKey {
		if s.index.pins[e.capture.Meta.Job] > 0 {
			used[e.capture] = s.now()
		}
	}
	s.mu.Unlock()
	if err := s.engine.use(used); err != nil {
		s.logger.Debug("the times of reads cannot be written", "error", err)
		s.mu.Lock()
		defer s.mu.Unlock()
		maps.Copy(used, s.used)
		s.used = used
	}
}

// Close writes the times of reads. The store cannot be used afterwards.
func (s *Store) Close() error {
	s.keepUse()
	return s.engine.close()
}
