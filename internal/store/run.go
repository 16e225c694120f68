package store

import (
	"context"
	"time"
)

// Run notifies the watchers of changes, removes what has expired, and finds what other processes do
// to the captures, until ctx ends.
func (s *Store) Run(ctx context.Context) {
	cleanup := time.NewTicker(s.settings.Cleanup)
	defer cleanup.Stop()
	expiry := time.NewTimer(s.settings.Cleanup)
	defer expiry.Stop()
	for {
		s.mu.Lock()
		s.expire()
		wait := s.settings.Cleanup
		if next := s.index.byExpiry; len(next) > 0 {
			wait = min(wait, next[0].capture.Meta.Expires().Sub(s.now())+1)
		}
		s.mu.Unlock()
		s.deliver()
		expiry.Reset(wait)
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-expiry.C:
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

// clean removes what is past, and has the engine keep which captures were read.
func (s *Store) clean(ctx context.Context) {
	s.mu.Lock()
	used := s.used
	s.used = make(map[*Capture]time.Time)
	gone := s.shrink(nil)
	s.mu.Unlock()
	s.engine.use(used)
	s.discard(gone)
	s.rescan(ctx)
}

// rescan takes over what others have done to the captures.
func (s *Store) rescan(ctx context.Context) {
	changed, err := s.engine.scan(ctx, func(key string) string {
		s.mu.Lock()
		defer s.mu.Unlock()
		if e := s.index.byKey[key]; e != nil {
			return e.capture.version
		}
		return ""
	})
	_, _ = changed, err
}

// look finds out whether others have changed something that matters for a key.
func (s *Store) look(ctx context.Context, key string) error { return ctx.Err() }

// Close keeps what the engine does not know yet. Nothing of the store may be used after it.
func (s *Store) Close() error {
	s.mu.Lock()
	used := s.used
	s.used = nil
	s.mu.Unlock()
	s.engine.use(used)
	return nil
}
