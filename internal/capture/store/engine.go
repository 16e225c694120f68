package store

import (
	"context"
	"time"
)

// An engine keeps captures. Its methods may be called concurrently, and without the lock of the store.
// Each Put has a version; versions sort in the order of the Puts.
type engine interface {
	// write keeps a capture whole or not at all. Other versions of its key stay.
	write(ctx context.Context, m *Meta, version string, contents Contents) error

	// read returns the bytes of a tier, see [Capture.Read]; [ErrNotFound] if they were removed.
	read(ctx context.Context, c *Capture, tier Tier, alloc func(n int) []byte) ([]byte, error)

	// remove removes a version whole or not at all. It is not an error if the version does not exist.
	remove(key, version string) error

	// use records that a capture was read, and returns the time of the last known read by any process.
	// The zero time records nothing.
	use(c *Capture, read time.Time) time.Time

	// scan finds changes by users and other processes since the last scan. known has the version of
	// each key in the index. It is cheap if nothing has changed.
	scan(ctx context.Context, known map[string]string) (scanned, error)
}

// scanned is the result of a scan.
type scanned struct {
	added    []found
	removed  []string    // keys that were known
	outdated [][2]string // keys and versions to be removed
}

// found is a capture that another process put; nil: none.
type found struct {
	*Capture
	used time.Time // when it was last read
}
