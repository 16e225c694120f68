package store

import (
	"context"
	"errors"
	"time"
)

// An engine keeps captures. Its methods may be called concurrently, and without the lock of the store.
// Each Put has a version; versions of a key sort in the order of the Puts.
type engine interface {
	// write keeps a capture whole or not at all. Other versions of its key may stay until they are
	// removed. write may give the capture a later version.
	write(ctx context.Context, c *Capture, contents Contents) error

	// read returns the bytes of a tier, see [Capture.Read]; [ErrNotFound] if they were removed. now
	// is the capture as it is now: c itself, an edited or newer one, or nil if it was removed.
	read(ctx context.Context, c *Capture, tier Tier, alloc func(n int) []byte) (data []byte, now *Capture, err error)

	// look finds what users and other processes did to the capture of a key. c is the capture in the
	// index, or nil; found has c itself if it is unchanged. The error [errMoved] asks for a scan.
	look(ctx context.Context, key string, c *Capture) (found, error)

	// remove removes versions, each whole or not at all. It is not an error if one does not exist.
	// remove returns those that it keeps, as another process has read them, or because of err.
	remove(ctx context.Context, gone []removal) (kept []found, err error)

	// use records when captures were read. Captures of pinned jobs count as just read.
	use(read map[*Capture]time.Time, pinned []*Capture)

	// evicts reports whether this process removes captures that have expired or have no room.
	evicts() bool

	// stale reports whether a scan could find anything, and whether it is time for one.
	stale(ctx context.Context) bool

	// scan finds changes by users and other processes since the last scan. known returns the versions
	// of keys in the index; of all keys if none is given. scan is cheap if nothing has changed.
	scan(ctx context.Context, known func(keys ...string) map[string]string) (scanned, error)

	// file returns the path of a tier in the folder of the store; "": it is not in a file.
	file(c *Capture, tier Tier) string

	close() error
}

// errMoved reports that the place of all captures was replaced by another one.
var errMoved = errors.New("the store was replaced")

// scanned is the result of a scan.
type scanned struct {
	added    []found
	removed  []removal // they and earlier versions are no longer in the engine
	used     []found   // keys and versions, and when another process read them
	outdated []removal // are to be removed from the engine
}

// found is a capture that another process put; nil: none.
type found struct {
	*Capture
	used time.Time // when it was last read
}
