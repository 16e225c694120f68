package walk

import "time"

const (
	// Grain is the minimum age of a change after which a further change always alters the file's
	// time, on any file system. The coarsest times in use are 2 s apart, on FAT; the clock of a
	// server may run a little behind.
	Grain = 3 * time.Second
	// Skew is how far the clock of a file system may be ahead of ours. A later time was set by hand
	// and proves nothing.
	Skew = time.Minute
)

// Recent reports whether a further change may leave this modification time the same. A file with the
// same size and time as before has the same bytes, unless it changed twice within one tick of the
// file system's clock: a time that is not older than [Grain] proves nothing yet.
func Recent(t time.Time) bool { return RecentAt(t, time.Now()) }

// RecentAt is [Recent] for a given current time.
func RecentAt(t, now time.Time) bool { return t.After(now.Add(-Grain)) && t.Before(now.Add(Skew)) }
