package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Put keeps a capture with the contents of its tiers, in place of the previous capture of its key. It
// sets the sizes and digests of the parts, and Created if that is zero. A concurrent reader, or the
// next process after a crash, finds either the old capture or the new one. After an error, the store
// still has the old one.
func (s *Store) Put(ctx context.Context, m Meta, contents Contents) (*Capture, error) {
	c, err := s.prepare(m, contents)
	if err != nil {
		return nil, err
	}
	r := s.begin()
	defer s.end(r)
	s.mu.Lock()
	err = s.noRoom(&c.Meta) // before anything is removed, since the write may fail
	var old *Capture
	if e := s.index.byKey[m.Key]; e != nil {
		if old = e.capture; c.Meta.Job == "" && s.index.pins[old.Meta.Job] > 0 {
			c.Meta.Job = old.Meta.Job // it stays pinned
		}
	}
	s.mu.Unlock()
	if err == nil {
		err = s.engine.write(ctx, c, old, contents)
	}
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	if s.shared && r.learned[m.Key] { // another Put or a removal came in between
		s.mu.Unlock()
		s.engine.again(m.Key)
		return c, s.look(ctx, m.Key)
	}
	gone, err := s.commit(c)
	s.mu.Unlock()
	s.discard(gone)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// PutJSON keeps JSON that a tool has made for a request, and returns its URI.
func (s *Store) PutJSON(ctx context.Context, r Request, data []byte, source, title, description string) (uri string, err error) {
	kept, err := s.Put(ctx, Meta{
		Key: r.Key(), Owner: r.Owner, URL: r.URL.String(), TTL: s.settings.TTL, Source: source, Title: title, Description: description,
		Options: r.Options, Parts: map[Tier]Part{Raw: {MIME: "application/json"}},
	}, Contents{Raw: data})
	if err != nil {
		return "", err
	}
	return s.URI(Raw, kept.Meta.Key), nil
}

// commit adds a written capture to the index, and returns the captures that it replaces and that make room for it, or itself if
// it does not fit. The lock is held.
func (s *Store) commit(c *Capture) (gone []removal, err error) {
	old := s.index.add(c, s.now())
	s.note(c.Meta.Key, old, c)
	if old != nil {
		gone = []removal{{Capture: old, replaced: true}}
	}
	gone = append(gone, s.shrink(c)...)
	if err := s.noRoom(&c.Meta); err != nil { // others were put or pinned meanwhile
		s.drop(s.index.byKey[c.Meta.Key])
		return append(gone, removal{Capture: c}), err
	}
	return gone, nil
}

// usual has the types of tiers for which the caller sets none.
var usual = map[Tier]string{Raw: "application/octet-stream", Cleaned: "text/markdown", Extracted: "text/markdown"}

// prepare checks the arguments of Put, and makes a capture of them.
func (s *Store) prepare(m Meta, contents Contents) (*Capture, error) {
	if !validKey(m.Key) {
		return nil, fmt.Errorf("%q cannot be the key of a capture: use the key of a request", m.Key)
	}
	if m.TTL < 0 || m.TTL > maxTTL {
		return nil, fmt.Errorf("the TTL of a capture is %v, must be from 0 to %v", m.TTL, maxTTL)
	}
	if m.Created.IsZero() {
		m.Created = s.now()
	}
	m.Created = m.Created.UTC().Truncate(time.Millisecond)
	m.TTL = m.TTL.Truncate(time.Millisecond)
	parts := make(map[Tier]Part, len(contents))
	for tier, data := range contents {
		if usual[tier] == "" {
			return nil, fmt.Errorf("%q is not a tier of a capture", tier)
		}
		parts[tier] = partOf(cmp.Or(m.Parts[tier].MIME, usual[tier]), data)
	}
	if len(parts) == 0 {
		return nil, errors.New("a capture has no contents")
	}
	m.Parts = parts
	for _, text := range []*string{&m.Owner, &m.URL, &m.Location, &m.Source, &m.Title, &m.Description, &m.ETag, &m.LastModified, &m.Prompt, &m.Job} {
		*text = strings.ToValidUTF8(*text, "\ufffd")
	}
	return &Capture{Meta: m, store: s}, nil
}

// share is the part of a bound that pinned captures may use: a quarter stays free for others.
func share[N int | int64](bound N) N { return bound - bound/4 }

// noRoom returns an error if no eviction could make room for a capture, which may be pinned itself: it is too large, or pinned captures
// leave no room. The caller holds the lock.
func (s *Store) noRoom(m *Meta) error {
	if size := m.Size(); size > s.settings.MaxBytes {
		return fmt.Errorf("%w: it has %d bytes, and the limit for all captures together is %d (%s)", ErrTooLarge, size, s.settings.MaxBytes, MaxSizeVariable)
	}
	items, bytes := s.index.pinned()
	// The capture replaces it, or is itself in the index.
	if e := s.index.byKey[m.Key]; e != nil && s.index.pins[e.capture.Meta.Job] > 0 {
		items--
		bytes -= e.capture.Meta.Size()
	}
	maxItems, maxBytes := s.settings.MaxItems, s.settings.MaxBytes
	if s.index.pins[m.Job] > 0 {
		maxItems, maxBytes = share(maxItems), share(maxBytes)
	}
	const advice = "raise it, crawl fewer pages at a time, or wait until a crawl has finished"
	if items >= maxItems {
		return fmt.Errorf("%w: pages of running crawls hold %d of %d captures (%s); %s", ErrTooLarge, items, s.settings.MaxItems, MaxItemsVariable, advice)
	}
	if bytes+m.Size() > maxBytes {
		return fmt.Errorf("%w: pages of running crawls hold %d of %d bytes (%s); %s", ErrTooLarge, bytes, s.settings.MaxBytes, MaxSizeVariable, advice)
	}
	return nil
}

// leave takes expired captures out of the index, and returns the ones that the engine still has. The caller holds the lock.
func (s *Store) leave() (gone []removal) {
	s.expire()
	for _, c := range s.expired {
		gone = append(gone, removal{Capture: c})
	}
	s.expired = nil
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
			if e.capture != keep && x.pins[e.capture.Meta.Job] == 0 {
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
	return gone
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

// An entry is a capture in the index.
type entry struct {
	capture *Capture
	size    int64
	used    time.Time // last read, or made
}

// index has all captures. The lock of the store guards it.
type index struct {
	byKey map[string]*entry
	bytes int64
	lists map[string]*Listing
	pins  map[string]int

	expiry time.Time // of the first capture that expires; zero: none does
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
	Captures []*Capture
	shared   bool
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
