package store

import (
	"context"
	"time"
)

// An engine keeps captures. Its methods may be called at the same time, and without the lock of the
// store. A version is that of one Put: the later of two sorts behind the other.
type engine interface {
	// write keeps a capture whole or not at all. Other versions of its key stay.
	write(ctx context.Context, m *Meta, version string, contents Contents) error

	// read returns the bytes of a tier, see [Capture.Read]; [ErrNotFound] if they have gone.
	read(ctx context.Context, c *Capture, tier Tier, alloc func(n int) []byte) ([]byte, error)

	// remove removes a version, whole or not at all; one that has gone is no error.
	remove(key, version string) error

	// use keeps when a capture was read, and returns when anybody last read it, as far as that is
	// known; the zero time only asks.
	use(c *Capture, at time.Time) time.Time

	// scan finds out what others have done since the last scan to the captures that are known, each
	// with its version. It is cheap if that is nothing.
	scan(ctx context.Context, known map[string]string) (scanned, error)
}

// A checker is an engine whose captures others may change.
type checker interface {
	// reopen reports whether another folder has the name of this one, which is then used instead.
	reopen() bool

	// stale reports whether a scan could find something. A scan is put off if the last one took long.
	stale() bool

	// find returns the version of a key that another process has put lately, without a scan.
	find(key string) found

	// verify returns a capture as it is now: another one if somebody edited what is known of it, nil
	// if it has gone.
	verify(c *Capture) *Capture

	// present returns a capture with the tiers that there are; nil: none.
	present(c *Capture) *Capture

	// sweep removes what processes that were killed have left behind.
	sweep()
}

// scanned is what a scan has found.
type scanned struct {
	came     []found
	went     []string    // keys, of captures that were known
	outdated [][2]string // keys and versions that are to be removed
}

// found is a capture that somebody else made; nil: none.
type found struct {
	*Capture
	used time.Time
}
