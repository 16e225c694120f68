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
		if next := s.index.expiry; !next.IsZero() {
			wait = min(wait, max(next.Sub(s.now())+1, 20*s.index.took-time.Since(s.index.swept)))
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

// Close writes the times of reads. The store cannot be used afterwards.
func (s *Store) Close() error {
	s.keepUse()
	return s.engine.close()
}
