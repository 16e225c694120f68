// Package store keeps captures: what was fetched from the web, for some time, within bounds.
//
// A capture is what one [Request] led to. It has up to three tiers, which are written together or
// not at all: the bytes that were received ([Raw]), Markdown made of them ([Cleaned]), and what was
// extracted for a prompt ([Extracted]). It never changes; [Store.Put] under the same key replaces
// it.
//
// # Keys
//
// [Request.Key] returns a name that people can read, such as
// example.com_docs_start_b4kq3hmoy2ivzk5jtd3aaawkpq. It has at most 200 bytes of a to z, 0 to 9, dot,
// hyphen and underscore, and is a file name on every system. Its digest covers everything that the
// result depends on: the URL as it is, the options, the headers, the owner. What it reads in front
// of that is for people only.
//
// # Owners
//
// A capture has an owner if only one caller may see it. The owner is part of the key, so two callers
// never share what only one of them could fetch.
//
// # Time and room
//
// A capture expires when it is older than its TTL, counted from when it was made; a TTL of 0 means
// never. From that moment on the store does not have it, and the watchers are notified then, if
// [Store.Run] runs. If there are more captures than [Settings.MaxItems], or more bytes of contents
// than [Settings.MaxBytes], those that were not read for the longest time go. One that is larger than
// the whole store is refused, before anything goes for it, and so is one for which only captures of
// pinned jobs could make room. Those may have three quarters of the store together, so that there is
// room for others while crawls run.
//
// # Engines
//
// The index of all captures is in memory, with their sizes, times and order. An engine, of five
// methods, keeps the captures themselves: in memory, or in files. One that several machines share
// can come behind the same methods.
package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Tier is one of the forms that a capture has.
type Tier string

// The tiers, in the order of lists.
const (
	Cleaned   Tier = "cleaned"
	Extracted Tier = "extracted"
	Raw       Tier = "raw"
)

// Tiers are all tiers, in the order of lists.
func Tiers() []Tier { return []Tier{Cleaned, Extracted, Raw} }

// Contents are the bytes of the tiers of a capture. Nobody changes them afterwards.
type Contents map[Tier][]byte

// Meta is what is known of a capture besides its contents.
type Meta struct {
	Key   string
	Owner string // the only caller that may see it; "": all may

	URL      string        // that was asked for
	Location string        // the URL after redirects, if it is another one
	Created  time.Time     // when it was fetched, or last found to be up to date; set by Put if zero
	TTL      time.Duration // 0: it never expires
	Source   string        // the strategy that fetched it: native, browser, firecrawl

	Title, Description string // "": none
	Language           string // BCP 47; "": unknown
	ETag, LastModified string // what a conditional request says

	Options map[string]string // those of the request that changed the result, without headers
	Prompt  string            // what was extracted
	Job     string            // of the crawl that it belongs to; see [Store.Pin]

	// Of the call that made the capture, whose contents are whole whatever it returned.
	StartIndex, MaxChars int
	Truncated            bool
	Diagnostics          []string // what was tried before

	Parts map[Tier]Part // set by Put, but for the types, which the caller sets
}

// A Part is what is known of a tier.
type Part struct {
	MIME   string // such as text/markdown; Put sets one if it is ""
	Bytes  int64
	SHA256 string // in hexadecimal
}

// Size returns the number of bytes of all tiers.
func (m *Meta) Size() int64 {
	var n int64
	for _, p := range m.Parts {
		n += p.Bytes
	}
	return n
}

// Expires returns the last moment at which there is a capture; the zero time: it never expires.
func (m *Meta) Expires() time.Time {
	if m.TTL == 0 {
		return time.Time{}
	}
	return m.Created.Add(m.TTL)
}

// Expired reports whether a capture is older than its TTL.
func (m *Meta) Expired(now time.Time) bool { return m.TTL != 0 && now.After(m.Expires()) }

// ErrNotFound reports that there is no capture of a key, or no such tier of it: never was, expired,
// or removed for others.
var ErrNotFound = errors.New("is not in the store: it expired or was removed for others")

// ErrTooLarge reports that there is no room for a capture; see [NoRoomError].
var ErrTooLarge = errors.New("has no room in the store")

// A NoRoomError names the bound that a capture does not fit into. It is [ErrTooLarge].
type NoRoomError struct {
	Size, Limit int64  // bytes, or captures
	Unit        string // "bytes", "captures"
	Setting     string // that changes the limit
	Share       int64  // of Limit, that pages of running jobs may have
	Pinned      bool   // pages of running jobs keep the room
	Joins       bool   // the capture is one of them
}

func (e *NoRoomError) Error() string {
	if e.Joins {
		return fmt.Sprintf("%v: pages of running crawls may have three quarters of it, which is %d of %d %s (%s); raise it, or crawl fewer pages at a time",
			ErrTooLarge, e.Share, e.Limit, e.Unit, e.Setting)
	}
	if e.Pinned {
		return fmt.Sprintf("%v: pages of a running crawl hold it, and the limit is %d %s (%s); raise it, or wait until the crawl has finished",
			ErrTooLarge, e.Limit, e.Unit, e.Setting)
	}
	return fmt.Sprintf("%v: it has %d %s, and the limit for all captures together is %d (%s)", ErrTooLarge, e.Size, e.Unit, e.Limit, e.Setting)
}

// Is reports that the error is [ErrTooLarge].
func (e *NoRoomError) Is(target error) bool { return target == ErrTooLarge }

// A Capture is what the store has for a key. It does not change.
type Capture struct {
	Meta    Meta
	version string
	edited  time.Time // the time of meta.json, if it was edited
	store   *Store
}

// Content returns the bytes of a tier, which nobody may change. The error is [ErrNotFound] if the
// capture has no such tier, or has gone since it was found.
func (c *Capture) Content(ctx context.Context, tier Tier) ([]byte, error) {
	return c.Read(ctx, tier, func(n int) []byte { return make([]byte, n) })
}

// Read is Content with a buffer of at least n bytes from alloc, if it needs one. If alloc returns
// nil, the error is [ErrNoBuffer].
func (c *Capture) Read(ctx context.Context, tier Tier, alloc func(n int) []byte) ([]byte, error) {
	if _, ok := c.Meta.Parts[tier]; !ok {
		return nil, ErrNotFound
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return c.store.read(ctx, c, tier, alloc)
}

// ErrNoBuffer reports that the caller of [Capture.Read] had no buffer.
var ErrNoBuffer = errors.New("there is no buffer for it")

// URI returns the URI of a tier of a capture: memory://cleaned/KEY or capture://cleaned/KEY. It is
// canonical, for keys need no escape.
func (s *Store) URI(tier Tier, key string) string { return s.scheme + "://" + string(tier) + "/" + key }

// Scheme returns that of the URIs of the store.
func (s *Store) Scheme() string { return s.scheme }
