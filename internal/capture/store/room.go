package store

import (
	"context"
	"time"
)

// over reports whether a bound is exceeded. The lock is held.
func (s *Store) over() bool {
	return len(s.index.byKey) > s.settings.MaxItems || s.index.bytes > s.settings.MaxBytes
}

// shrink takes captures out of the index until the bounds hold: first expired captures, then the least
// recently used ones, but never keep. The lock is held.
func (s *Store) shrink(keep *Capture) (gone []removal) {
	s.expire()
	gone = removals(s.expired...)
	s.expired = nil
	var back *entry
	for s.over() {
		e := s.index.byUse.first()
		if e == nil {
			break
		}
		if e.capture == keep {
			s.index.byUse.remove(e)
			back = e
			continue
		}
		s.drop(e)
		gone = append(gone, removal{e.capture, e.used})
	}
	if back != nil {
		s.index.byUse.add(back)
	}
	return gone
}

// A removal is a capture that has left the index, and is to be removed from the engine.
type removal struct {
	*Capture
	used time.Time // the last read known here; a capture that another process read later stays. Zero: remove it in any case
}

func removalOf(key, version string) removal {
	return removal{Capture: &Capture{Meta: Meta{Key: key}, version: version}}
}

func removals(captures ...*Capture) []removal {
	all := make([]removal, len(captures))
	for i, c := range captures {
		all[i].Capture = c
	}
	return all
}

// expire takes expired captures out of the index; shrink returns them for removal. The lock is held.
func (s *Store) expire() {
	for now := s.now(); ; {
		e := s.index.byExpiry.first()
		if e == nil || !e.capture.Meta.Expired(now) {
			return
		}
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
	if s.poll > 0 && old != nil && (now == nil || now.version != old.version) {
		s.dropped[folderName(key, old.version)] = true
	}
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
	default: // Run is about to work anyway
	}
}

// discard removes captures that have left the index from the engine. The lock is not held, as the disk
// may be slow. If a removal fails, it is repeated after the next scan.
func (s *Store) discard(gone []removal) {
	if s.settings.ReadOnly || len(gone) == 0 {
		return
	}
	kept, err := s.engine.remove(context.Background(), gone)
	if err != nil {
		s.logger.Warn("captures cannot be removed", "error", err)
	}
	for _, f := range kept {
		s.revive(f)
	}
}

// revive puts a capture back that another process has read since this one did. Other captures make
// room instead.
func (s *Store) revive(f found) {
	s.mu.Lock()
	var gone []removal
	if s.index.byKey[f.Meta.Key] == nil {
		delete(s.dropped, folderName(f.Meta.Key, f.version))
		s.index.add(f.Capture, f.used)
		s.note(f.Meta.Key, nil, f.Capture)
		gone = s.shrink(nil)
	} else {
		gone = removals(f.Capture) // it was replaced meanwhile
	}
	s.mu.Unlock()
	s.discard(gone)
}
