// Package mtime knows what the time of a file's last change says about its bytes.
//
// A file whose size and time are as before has the same bytes, except where the file changed twice within one grain of the file
// system's clock. So a time that is not older than [Grain] proves nothing yet: it is [Recent].
package mtime

import "time"

const (
	// Grain is how old a change must be to be sure that another one shows in the file's time, on any file system. The coarsest
	// times in use, those of FAT, are 2 s apart; the clock of a server may run a little behind.
	Grain = 3 * time.Second
	// Skew is how far the clock of a file system may be ahead of ours. A time beyond it was set by hand and says nothing.
	Skew = time.Minute
)

// Recent reports whether another change may not show in this time of a change.
func Recent(t time.Time) bool { return RecentAt(t, time.Now()) }

// RecentAt is [Recent] at another time than now.
func RecentAt(t, now time.Time) bool { return t.After(now.Add(-Grain)) && t.Before(now.Add(Skew)) }
