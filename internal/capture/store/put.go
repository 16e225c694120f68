package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Put keeps a capture with the contents of its tiers, in place of the previous capture of its key. It
// sets the sizes and digests of the parts, and Created if that is zero. A concurrent reader, or the
// next process after a crash, finds either the old capture or the new one. After an error, the store
// still has the old one.
func (s *Store) Put(ctx context.Context, m Meta, contents Contents) (*Capture, error) {
	c, err := s.prepare(m, contents)
	if err == nil {
		err = s.fits(&c.Meta)
	}
	if err != nil {
		return nil, err
	}
	r := s.begin()
	defer s.end(r)
	s.mu.Lock()
	var old *Capture
	if e := s.index.byKey[m.Key]; e != nil {
		if old = e.capture; c.Meta.Job == "" && s.index.pins[old.Meta.Job] > 0 {
			c.Meta.Job = old.Meta.Job // it stays pinned
		}
	}
	s.mu.Unlock()
	if err := s.engine.write(ctx, c, old, contents); err != nil {
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
	old := s.index.add(c, s.useTime())
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
	for _, text := range []*string{&m.Owner, &m.URL, &m.Location, &m.Source, &m.Title, &m.Description, &m.Language, &m.ETag, &m.LastModified, &m.Prompt, &m.Job} {
		*text = strings.ToValidUTF8(*text, "\ufffd")
	}
	return &Capture{Meta: m, store: s}, nil
}

// fits returns an error if no eviction could make room for a capture. It evicts nothing, since the
// write may fail.
func (s *Store) fits(m *Meta) error {
	if size := m.Size(); size > s.settings.MaxBytes {
		return fmt.Errorf("%w: it has %d bytes, and the limit for all captures together is %d (%s)", ErrTooLarge, size, s.settings.MaxBytes, MaxSizeVariable)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.noRoom(m)
}

// share is the part of a bound that pinned captures may use: a quarter stays free for others.
func share[N int | int64](bound N) N { return bound - bound/4 }

// noRoom returns an error if pinned captures leave no room for a capture, which may be pinned itself.
// The caller holds the lock.
func (s *Store) noRoom(m *Meta) error {
	items, bytes := s.index.pinned()
	if e := s.index.byKey[m.Key]; e != nil && s.index.pins[e.capture.Meta.Job] > 0 { // the capture replaces it, or is itself in the index
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
