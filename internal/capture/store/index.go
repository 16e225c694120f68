package store

import (
	"slices"
	"strings"
	"time"
)

// An entry is a capture in the index.
type entry struct {
	capture *Capture
	size    int64     // bytes of its tiers
	used    time.Time // when it was last read, or made
}

// index has all captures. The lock of the store guards it.
type index struct {
	byKey map[string]*entry
	bytes int64
	lists map[string]*Listing // by owner
	pins  map[string]int      // of each pinned job

	expiry time.Time // no capture expires before this time; zero: none expires
}

func newIndex() *index {
	return &index{byKey: make(map[string]*entry), lists: make(map[string]*Listing), pins: make(map[string]int)}
}

// add adds a capture, in place of the previous capture of its key.
func (x *index) add(c *Capture, used time.Time) (old *Capture) {
	if e := x.byKey[c.Meta.Key]; e != nil {
		old = e.capture
		x.remove(e)
	}
	e := &entry{capture: c, size: c.Meta.Size(), used: used}
	x.byKey[c.Meta.Key] = e
	x.expires(c)
	x.bytes += e.size
	l := x.listing(c.Meta.Owner)
	i, _ := search(l.Captures, c.Meta.Key)
	l.Captures = slices.Insert(l.Captures, i, c)
	return old
}

func (x *index) remove(e *entry) {
	m := &e.capture.Meta
	delete(x.byKey, m.Key)
	x.bytes -= e.size
	l := x.listing(m.Owner)
	i, _ := search(l.Captures, m.Key)
	if l.Captures = slices.Delete(l.Captures, i, i+1); len(l.Captures) == 0 {
		delete(x.lists, m.Owner)
	}
}

// expires makes expiry no later than the end of a capture.
func (x *index) expires(c *Capture) {
	if end := c.Meta.Expires(); !end.IsZero() && (x.expiry.IsZero() || end.Before(x.expiry)) {
		x.expiry = end
	}
}

// expired returns the captures that have expired. If there are some, it looks at all captures.
func (x *index) expired(now time.Time) (all []*entry) {
	if x.expiry.IsZero() || !now.After(x.expiry) {
		return nil
	}
	x.expiry = time.Time{}
	for _, e := range x.byKey {
		if e.capture.Meta.Expired(now) {
			all = append(all, e)
		} else {
			x.expires(e.capture)
		}
	}
	return all
}

// pinned returns the number of pinned captures and their bytes.
func (x *index) pinned() (items int, bytes int64) {
	if len(x.pins) == 0 {
		return 0, 0
	}
	for _, e := range x.byKey {
		if x.pins[e.capture.Meta.Job] > 0 {
			items++
			bytes += e.size
		}
	}
	return items, bytes
}

// listing returns the listing of an owner for a change, which is a copy if callers have the last one. A copy takes 40 µs for 100,000
// captures.
func (x *index) listing(owner string) *Listing {
	l := x.lists[owner]
	if l == nil || l.shared {
		l = &Listing{Captures: slices.Clone(l.From(""))}
		x.lists[owner] = l
	}
	return l
}

// A Listing has the captures of an owner at one moment. It is immutable: a change makes another one.
type Listing struct {
	Captures []*Capture // sorted by key
	shared   bool       // callers have it; guarded by the lock of the store
}

// search returns where a key is, or belongs, among captures sorted by key.
func search(captures []*Capture, key string) (index int, found bool) {
	return slices.BinarySearchFunc(captures, key, func(c *Capture, key string) int { return strings.Compare(c.Meta.Key, key) })
}

// Find returns the capture of a key.
func (l *Listing) Find(key string) (*Capture, bool) {
	if rest := l.From(key); len(rest) > 0 && rest[0].Meta.Key == key {
		return rest[0], true
	}
	return nil, false
}

// From returns the captures from a key on.
func (l *Listing) From(key string) []*Capture {
	if l == nil {
		return nil
	}
	i, _ := search(l.Captures, key)
	return l.Captures[i:]
}
