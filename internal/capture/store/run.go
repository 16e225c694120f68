package store

import (
	"context"
	"time"
)

// lookEvery is how often Run checks a folder for changes by other processes, which takes one system call.
const lookEvery = time.Second

// Run notifies the watchers of changes, removes expired captures, and finds changes by users and other
// processes, until ctx ends.
func (s *Store) Run(ctx context.Context) {
	var look <-chan time.Time
	if s.poll > 0 {
		ticker := time.NewTicker(s.poll)
		defer ticker.Stop()
		look = ticker.C
	}
	cleanup := time.NewTicker(s.settings.Cleanup)
	defer cleanup.Stop()
	expiry := time.NewTimer(s.settings.Cleanup)
	defer expiry.Stop()
	for {
		s.mu.Lock()
		s.expire()
		wait := s.settings.Cleanup
		if next := s.index.byExpiry.first(); next != nil {
			wait = min(wait, next.capture.Meta.Expires().Sub(s.now())+1)
		}
		s.mu.Unlock()
		s.deliver()
		expiry.Reset(wait)
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-expiry.C:
		case <-look:
			s.follow(ctx)
		case <-s.stale:
			s.follow(ctx)
		case <-cleanup.C:
			s.clean(ctx)
		}
	}
}

// deliver notifies the watchers of changes.
func (s *Store) deliver() {
	s.mu.Lock()
	changes := make([]Change, 0, len(s.changes))
	for _, c := range s.changes {
		changes = append(changes, c)
	}
	clear(s.changes)
	watchers := s.watchers
	s.mu.Unlock()
	if len(changes) == 0 {
		return
	}
	for _, changed := range watchers {
		changed(changes)
	}
}

// clean writes the times of reads, removes expired captures, and finds changes by other processes.
func (s *Store) clean(ctx context.Context) {
	s.keepUse()
	s.mu.Lock()
	gone := s.shrink(nil)
	s.mu.Unlock()
	s.discard(gone)
	s.takeOver(ctx)
}

// follow finds changes if there may be some.
func (s *Store) follow(ctx context.Context) {
	if s.engine.stale(ctx) {
		s.takeOver(ctx)
	}
}

// takeOver calls rescan, and logs its error.
func (s *Store) takeOver(ctx context.Context) {
	if err := s.rescan(ctx); err != nil && ctx.Err() == nil {
		s.logger.Warn("captures of other processes cannot be read", "error", err)
	}
}

// keepUse gives the times of reads to the engine, and the pinned captures, so that other processes do
// not remove them either.
func (s *Store) keepUse() {
	if s.settings.ReadOnly {
		return
	}
	s.mu.Lock()
	used := s.used
	s.used = make(map[*Capture]time.Time)
	var pinned []*Capture
	for _, j := range s.index.jobs {
		if j.pins > 0 {
			for e := range j.entries {
				pinned = append(pinned, e.capture)
			}
		}
	}
	s.mu.Unlock()
	s.engine.use(used, pinned)
}

// rescan updates the index with changes that users and other processes made.
func (s *Store) rescan(ctx context.Context) error {
	s.scanning.Lock()
	defer s.scanning.Unlock()
	changed, err := s.engine.scan(ctx, s.known)
	if err != nil {
		return err
	}
	var gone []removal
	s.mu.Lock()
	s.turn()
	for _, r := range changed.removed {
		s.forbid(r.Capture)
		if e := s.index.byKey[r.Meta.Key]; e != nil && e.capture.version <= r.version {
			s.drop(e)
		}
	}
	for _, f := range changed.added {
		gone = append(gone, s.take(f)...)
	}
	for _, f := range changed.used {
		if e := s.index.byKey[f.Meta.Key]; e != nil && e.capture.version == f.version {
			s.index.touch(e, f.used)
		}
	}
	gone = append(gone, s.shrink(nil)...)
	s.mu.Unlock()
	s.discard(append(gone, changed.outdated...))
	return nil
}

// known returns the versions of keys in the index; of all keys if none is given.
func (s *Store) known(keys ...string) map[string]string {
	known := make(map[string]string)
	s.mu.Lock()
	if len(keys) > 0 {
		defer s.mu.Unlock()
		for _, key := range keys {
			if e := s.index.byKey[key]; e != nil {
				known[key] = e.capture.version
			}
		}
		return known
	}
	var lists []*Listing
	for _, l := range s.index.lists {
		lists = append(lists, l.listing())
	}
	s.mu.Unlock()
	for _, l := range lists {
		for _, c := range l.Captures {
			known[c.Meta.Key] = c.version
		}
	}
	return known
}

// take adds a capture of another process to the index, unless it has left the index lately or the index
// has a later version. It returns the capture for removal if it has expired. The lock is held.
func (s *Store) take(f found) (gone []removal) {
	e := s.index.byKey[f.Meta.Key]
	if s.left(f.Capture) || e != nil && e.capture.version >= f.version {
		return nil
	}
	f.store = s
	if f.Meta.Expired(s.now()) {
		if s.engine.evicts() {
			return removals(f.Capture)
		}
		return nil
	}
	s.note(f.Meta.Key, s.index.add(f.Capture, f.used), f.Capture)
	return nil
}

// Close writes the times of reads. The store cannot be used afterwards.
func (s *Store) Close() error {
	s.keepUse()
	return s.engine.close()
}
