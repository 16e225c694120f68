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
// recently used ones, but never keep. If another process does this, it takes out only expired captures.
// The lock is held.
func (s *Store) shrink(keep *Capture) (gone []removal) {
	s.expire()
	gone = removals(s.expired...)
	s.expired = nil
	if !s.engine.evicts() {
		return nil
	}
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
		gone = append(gone, removal{Capture: e.capture, used: e.used})
	}
	if back != nil {
		s.index.byUse.add(back)
	}
	return gone
}

// A removal is a capture that has left the index, and is to be removed from the engine.
type removal struct {
	*Capture
	used     time.Time // the last read known here; a capture that another process read later stays. Zero: remove it in any case
	replaced bool      // by a later version that is in the engine
	any      bool      // remove any version of the key
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
	if old != nil && (now == nil || now.version != old.version) {
		s.forbid(old)
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

// droppedFor is how long a version that left the index is not added again. Nothing that found the version
// before takes longer.
const droppedFor = 10 * time.Second

// forbid, restore and left keep versions that left the index from being added again by a scan or look
// that found them before. The lock is held.
func (s *Store) forbid(c *Capture) {
	if s.poll == 0 { // nothing finds captures
		return
	}
	s.turn()
	s.dropped[0][folderName(c.Meta.Key, c.version)] = true
}

// turn forgets what was dropped long ago. The lock is held.
func (s *Store) turn() {
	if time.Since(s.turned) > droppedFor {
		s.turned = time.Now()
		s.dropped[1], s.dropped[0] = s.dropped[0], make(map[string]bool)
	}
}

func (s *Store) restore(c *Capture) {
	delete(s.dropped[0], folderName(c.Meta.Key, c.version))
	delete(s.dropped[1], folderName(c.Meta.Key, c.version))
}

func (s *Store) left(c *Capture) bool {
	name := folderName(c.Meta.Key, c.version)
	return s.dropped[0][name] || s.dropped[1][name]
}

// signal wakes Run.
func (s *Store) signal() {
	select {
	case s.wake <- struct{}{}:
	default: // Run is about to work anyway
	}
}

// ask wakes Run, to ask the engine for changes.
func (s *Store) ask() {
	select {
	case s.stale <- struct{}{}:
	default: // Run is about to ask anyway
	}
}

// discard removes captures that have left the index from the engine. The lock is not held, as the disk
// may be slow. If a removal fails, it is repeated after the next scan.
func (s *Store) discard(gone []removal) {
	if len(gone) == 0 || s.settings.ReadOnly {
		return
	}
	kept, err := s.engine.remove(context.Background(), gone)
	if err != nil {
		s.logger.Warn("captures cannot be removed", "error", err)
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, r := range gone {
			s.restore(r.Capture)
		}
		for _, f := range kept {
			s.putBack(f)
		}
		return
	}
	for _, f := range kept {
		s.revive(f)
	}
}

// putBack puts a capture back into the index, unless it was replaced meanwhile. The lock is held.
func (s *Store) putBack(f found) (replaced bool) {
	if s.index.byKey[f.Meta.Key] != nil {
		return true
	}
	s.restore(f.Capture)
	s.index.add(f.Capture, f.used)
	s.note(f.Meta.Key, nil, f.Capture)
	return false
}

// revive puts a capture back that another process has read since this one did. Other captures make
// room instead.
func (s *Store) revive(f found) {
	s.mu.Lock()
	var gone []removal
	if s.putBack(f) {
		gone = []removal{{Capture: f.Capture, replaced: true}}
	} else {
		gone = s.shrink(nil)
	}
	s.mu.Unlock()
	s.discard(gone)
}
