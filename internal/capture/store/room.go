package store

import (
	"context"
	"slices"
	"time"
)

// leave takes expired captures out of the index, and returns the ones that the engine still has. The caller holds the lock.
func (s *Store) leave() []removal {
	s.expire()
	gone := removals(s.expired...)
	s.expired = nil
	return s.leaves(gone)
}

// leaves keeps in mind that captures are being removed from the engine.
func (s *Store) leaves(gone []removal) []removal {
	for _, r := range gone {
		s.leaving[folderName(r.Meta.Key, r.version)] = true
	}
	return gone
}

// shrink takes captures out of the index: expired ones, and if a bound is exceeded, the least recently used ones, but never
// keep or a pinned one. It makes room for a hundredth of the store at a time, because it sorts all captures. Of the
// processes that share captures, the one that puts a capture makes room for it. The caller holds the lock.
func (s *Store) shrink(keep *Capture) (gone []removal) {
	gone = s.leave()
	x, items, bytes := s.index, s.settings.MaxItems, s.settings.MaxBytes
	if len(x.byKey) > items || x.bytes > bytes {
		if len(x.byKey) > items {
			items -= items / 100
		} else {
			bytes -= bytes / 100
		}
		oldest := make([]*entry, 0, len(x.byKey))
		for _, e := range x.byKey {
			if e.capture != keep && !x.pins(e.capture.Meta.Job) {
				oldest = append(oldest, e)
			}
		}
		slices.SortFunc(oldest, func(a, b *entry) int { return a.used.Compare(b.used) })
		for _, e := range oldest {
			if len(x.byKey) <= items && x.bytes <= bytes {
				break
			}
			s.drop(e)
			gone = append(gone, removal{Capture: e.capture, used: e.used})
		}
	}
	return s.leaves(gone)
}

// A removal is a capture that has left the index, and is to be removed from the engine.
type removal struct {
	*Capture
	used     time.Time // the last read known here; a capture that another process read later stays. Zero: remove it in any case
	any      bool      // remove any version of the key
	replaced bool      // by a newer one, whose write has removed it from a database
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

// expire takes expired captures out of the index; shrink returns them for removal. The caller holds the lock.
func (s *Store) expire() {
	for _, e := range s.index.expired(s.now()) {
		s.drop(e)
		s.expired = append(s.expired, e.capture)
	}
}

// drop takes an entry out of the index. The caller holds the lock.
func (s *Store) drop(e *entry) {
	s.index.remove(e)
	delete(s.used, e.capture)
	s.note(e.capture.Meta.Key, e.capture, nil)
}

// note keeps a change for the watchers. The caller holds the lock.
func (s *Store) note(key string, old, now *Capture) {
	s.learn(key, nil)
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
	wakeUp(s.wake)
}

// wakeUp wakes the goroutine that reads a channel with room for one value.
func wakeUp(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default: // it is about to work anyway
	}
}

// discard removes captures that have left the index from the engine. The lock is not held, as the disk
// may be slow. What the engine keeps is put back, and other captures make room instead. A removal that fails is repeated
// after the next scan.
func (s *Store) discard(gone []removal) {
	if len(gone) == 0 {
		return
	}
	kept, err := s.engine.remove(context.Background(), gone)
	s.mu.Lock()
	for _, r := range gone {
		delete(s.leaving, folderName(r.Meta.Key, r.version))
	}
	gone = nil
	for _, f := range kept {
		if s.index.byKey[f.Meta.Key] != nil { // it was replaced meanwhile
			gone = append(gone, removal{Capture: f.Capture, replaced: true})
			continue
		}
		s.index.add(f.Capture, f.used)
		s.note(f.Meta.Key, nil, f.Capture)
	}
	if err == nil && len(kept) > 0 {
		gone = append(gone, s.shrink(nil)...)
	}
	s.mu.Unlock()
	if err != nil {
		s.logger.Warn("captures cannot be removed", "error", err)
		return
	}
	s.discard(gone)
}
