package store

import (
	"context"
	"io"
	"time"
)

// lookEvery is how often Run finds out whether other processes have changed the captures, with one
// call of the system.
const lookEvery = time.Second

// Run notifies the watchers of changes, removes what has expired, and finds what other processes do
// to the captures, until ctx ends.
func (s *Store) Run(ctx context.Context) {
	var look <-chan time.Time
	others, shared := s.engine.(checker)
	if shared {
		if !s.settings.ReadOnly {
			others.sweep()
		}
		ticker := time.NewTicker(lookEvery)
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
			if others.stale() {
				s.takeOver(ctx)
			}
		case <-cleanup.C:
			s.clean(ctx)
		}
	}
}

// deliver notifies the watchers of what has changed.
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

// clean removes what is past, keeps which captures were read, and finds what others have done.
func (s *Store) clean(ctx context.Context) {
	s.keepUse()
	s.mu.Lock()
	gone := s.shrink(nil)
	s.mu.Unlock()
	s.discard(gone)
	s.takeOver(ctx)
}

// takeOver is rescan for Run.
func (s *Store) takeOver(ctx context.Context) {
	if err := s.rescan(ctx); err != nil && ctx.Err() == nil {
		s.logger.Warn("the folder of captures cannot be read", "error", err)
	}
}

// keepUse has the engine keep which captures were read. Those that are pinned count as read, so that
// other processes do not remove them either.
func (s *Store) keepUse() {
	if s.settings.ReadOnly {
		return
	}
	s.mu.Lock()
	used := s.used
	s.used = make(map[*Capture]time.Time)
	now := s.now()
	for _, j := range s.index.jobs {
		if j.pins > 0 {
			for e := range j.entries {
				used[e.capture] = now
			}
		}
	}
	s.mu.Unlock()
	for c, at := range used {
		s.engine.use(c, at)
	}
}

// rescan takes over what others have done to the captures.
func (s *Store) rescan(ctx context.Context) error {
	s.scanning.Lock()
	defer s.scanning.Unlock()
	s.mu.Lock()
	// What leaves the index during the scan may be found by it.
	earlier := s.dropped
	s.dropped = make(map[string]bool)
	var lists []*Listing
	for _, l := range s.index.lists {
		lists = append(lists, l.listing())
	}
	s.mu.Unlock()
	known := make(map[string]string)
	for _, l := range lists {
		for _, c := range l.Captures {
			known[c.Meta.Key] = c.version
		}
	}
	changed, err := s.engine.scan(ctx, known)
	if err != nil {
		return err
	}
	var gone []removal
	s.mu.Lock()
	for _, f := range changed.came {
		if !earlier[folderName(f.Meta.Key, f.version)] {
			gone = append(gone, s.take(f)...)
		}
	}
	for _, key := range changed.went {
		if e := s.index.byKey[key]; e != nil && e.capture.version == known[key] {
			s.drop(e)
		}
	}
	gone = append(gone, s.shrink(nil)...)
	s.mu.Unlock()
	s.discard(gone)
	if s.settings.ReadOnly {
		return nil
	}
	for _, old := range changed.outdated {
		if err := s.engine.remove(old[0], old[1]); err != nil {
			return err
		}
	}
	return nil
}

// take adds a capture of another process to the index, unless it has left the index or there is a
// later one. It returns one that has expired. The lock is held.
func (s *Store) take(f found) (gone []removal) {
	e := s.index.byKey[f.Meta.Key]
	if s.dropped[folderName(f.Meta.Key, f.version)] || e != nil && e.capture.version >= f.version {
		return nil
	}
	f.store = s
	if f.Meta.Expired(s.now()) {
		return removals(f.Capture)
	}
	s.note(f.Meta.Key, s.index.add(f.Capture, f.used), f.Capture)
	return nil
}

// Close keeps what the engine does not know yet. Nothing of the store may be used after it.
func (s *Store) Close() error {
	s.keepUse()
	if c, ok := s.engine.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
